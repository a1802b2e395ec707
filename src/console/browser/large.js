import { call } from './api.js';
import { compare } from './compare.js';
import { fill, h, openDialog } from './element.js';
import { errorBox } from './error-box.js';
import { dropUrls, urlOf } from './image-files.js';
import { say } from './texts.js';

/** @typedef {import('./run-view.js').RunImage} RunImage */

/** Cut-out and photo have the same shape if these differ by less. */
const RATIO_TOLERANCE = 0.01;

/** @param {Blob} file */
async function ratioOf(file) {
  const { width, height } = await createImageBitmap(file);
  return width / height;
}

/**
 * Photo and cut-out: one over the other, or side by side if the cut-out has another frame; the cut-out alone if its
 * photo is no longer there.
 * @param {string} name @param {Blob} cutOut @param {Blob | undefined} photo
 */
async function pictures(name, cutOut, photo) {
  const after = urlOf(cutOut);
  const alone = h('img.checkerboard', { src: after, alt: say('picture.cutOut', { name }) });
  if (!photo) return [alone];
  const before = urlOf(photo);
  const [width, ofPhoto] = await Promise.all([cutOut, photo].map(ratioOf));
  if (width && ofPhoto && Math.abs(width / ofPhoto - 1) < RATIO_TOLERANCE)
    return [compare({ before, after, width, height: 1, name })];
  return [h('img', { src: before, alt: say('picture.photo', { name }) }), alone];
}

/**
 * Opens a finished picture large, with the photo it was made from if that is still there. Arrows go to the others,
 * Escape closes.
 * @param {readonly RunImage[]} images
 * @param {RunImage} first
 */
export function openLarge(images, first) {
  let at = images.indexOf(first);
  /** @type {(Blob | undefined)[]} */
  let shown = [];
  const place = h('div.large-pictures');
  const title = h('h2', { id: 'large-title' });
  const count = h('p.fine', { role: 'status' });

  /** @param {number} step */
  async function go(step) {
    at = (at + step + images.length) % images.length;
    const image = /** @type {RunImage} */ (images[at]);
    const isLatest = () => images[at] === image && dialog.isConnected;
    title.textContent = image.name;
    count.textContent = say('picture.place', { at: at + 1, count: images.length });
    try {
      const cutOut = await (await call(image.path)).blob();
      const photo = await image.photo?.().catch(() => undefined); // it is deleted
      if (!isLatest()) return;
      const nodes = await pictures(image.name, cutOut, photo).catch(() =>
        pictures(image.name, cutOut, undefined),
      );
      if (!isLatest()) return dropUrls(cutOut, photo);
      fill(place, nodes);
      dropUrls(...shown);
      shown = [cutOut, photo];
    } catch (error) {
      if (isLatest()) fill(place, errorBox(error));
    }
  }

  /** @param {KeyboardEvent} event */
  function onkeydown({ key, target }) {
    if (target instanceof HTMLInputElement) return; // the divider has the arrows itself
    if (key === 'ArrowLeft') go(-1);
    if (key === 'ArrowRight') go(1);
  }

  /** @param {string} label @param {() => void} onclick */
  const button = (label, onclick) => h('button', { onclick }, label);
  const dialog = openDialog(
    {
      class: 'panel large',
      'aria-labelledby': 'large-title',
      onkeydown,
      onclose: () => dropUrls(...shown),
    },
    h('div.row-head', title, count),
    place,
    h(
      'div.buttons',
      images.length > 1 && button(say('picture.previous'), () => go(-1)),
      images.length > 1 && button(say('picture.next'), () => go(1)),
      button(say('dialog.close'), () => dialog.close()),
    ),
  );
  go(0);
}
