import { call } from './api.js';
import { h } from './element.js';
import { thumbnail } from './pictures.js';

/** So many are shown; all of them are in the downloads. */
const MOST = 48;
const PIXELS = 240;

/** @typedef {import('./run-view.js').Picture} Picture */

/**
 * Pictures as they come, each fetched once.
 * @param {() => AsyncGenerator<Picture>} pictures those that are done
 */
export function gallery(pictures) {
  const list = h('ul', { class: 'gallery' });
  /** @type {Set<string>} */
  const shown = new Set();

  /** @param {Picture} picture */
  async function add({ name, path, more }) {
    const small = await thumbnail(await (await call(path)).blob(), PIXELS);
    const image = h('img', { src: URL.createObjectURL(small), alt: `Cut-out of ${name}` });
    list.append(
      h(
        'li',
        {},
        h('div', { class: 'check' }, image),
        more && h('span', {}, more),
        h('span', { class: 'fine' }, name),
      ),
    );
  }

  async function refresh() {
    for await (const picture of pictures()) {
      if (shown.size >= MOST) return;
      if (shown.has(picture.path)) continue;
      shown.add(picture.path);
      // One that cannot be had is no reason to show none.
      await add(picture).catch(() => {});
    }
  }
  return { list, refresh };
}
