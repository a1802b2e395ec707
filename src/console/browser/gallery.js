import { call } from './api.js';
import { h } from './element.js';
import { thumbnail } from './image-files.js';

/** Images shown; the downloads have all of them. */
const MAX_IMAGES = 48;
const THUMBNAIL_PIXELS = 240;

/** @typedef {import('./run-view.js').RunImage} RunImage */

/**
 * Shows images as they become available; each is fetched once.
 * @param {() => AsyncGenerator<RunImage>} images the finished ones
 */
export function gallery(images) {
  const list = h('ul', { class: 'gallery' });
  /** @type {Set<string>} */
  const shown = new Set();

  /** @param {RunImage} image */
  async function add({ name, path, subtitle }) {
    const small = await thumbnail(await (await call(path)).blob(), THUMBNAIL_PIXELS);
    const image = h('img', { src: URL.createObjectURL(small), alt: `Cut-out of ${name}` });
    list.append(
      h(
        'li',
        {},
        h('div', { class: 'checkerboard' }, image),
        subtitle && h('span', {}, subtitle),
        h('span', { class: 'fine' }, name),
      ),
    );
  }

  async function refresh() {
    for await (const image of images()) {
      if (shown.size >= MAX_IMAGES) return;
      if (shown.has(image.path)) continue;
      shown.add(image.path);
      // One image that fails to load must not hide the others.
      await add(image).catch(() => {});
    }
  }
  return { list, refresh };
}
