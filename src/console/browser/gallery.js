import { call } from './api.js';
import { h } from './element.js';
import { thumbnail } from './image-files.js';
import { openLarge } from './large.js';
import { say } from './texts.js';

/** Images shown at first, and more on request. */
const IMAGES_PER_STEP = 48;
const THUMBNAIL_PIXELS = 240;

/** @typedef {import('./run-view.js').RunImage} RunImage */

/**
 * Shows images as they become available; each is fetched once.
 * @param {() => AsyncGenerator<RunImage>} images the finished ones
 */
export function gallery(images) {
  const list = h('ul.gallery');
  let max = IMAGES_PER_STEP;
  const more = h('button.quiet', { hidden: true, onclick: showMore }, say('list.more'));
  /** @type {Set<string>} */
  const known = new Set();
  /** @type {RunImage[]} */
  const shown = [];

  /** @param {RunImage} image */
  async function add(image) {
    const { name, path, subtitle } = image;
    const small = await thumbnail(await (await call(path)).blob(), THUMBNAIL_PIXELS);
    const picture = h('img', {
      src: URL.createObjectURL(small),
      alt: say('picture.cutOut', { name }),
    });
    shown.push(image);
    list.append(
      h(
        'li',
        h('button.checkerboard', { onclick: () => openLarge(shown, image) }, picture),
        subtitle && h('span', subtitle),
        h('span.fine', name),
      ),
    );
  }

  async function refresh() {
    for await (const image of images()) {
      if (known.has(image.path)) continue;
      more.hidden = known.size < max;
      if (!more.hidden) return;
      known.add(image.path);
      // One image that fails to load must not hide the others.
      await add(image).catch(() => {});
    }
    more.hidden = true;
  }

  async function showMore() {
    max += IMAGES_PER_STEP;
    more.disabled = true;
    await refresh().catch(() => {}); // it may be pressed again
    more.disabled = false;
  }
  return { node: [list, more], refresh };
}
