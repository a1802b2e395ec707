import { callWithRetry, formOf } from './api.js';
import { say } from './texts.js';

/**
 * @typedef {import('./look.js').Values} Values
 * @typedef {{key: string, blob: Blob, rules: string | null}} Made by which options, and the verdict of its rules
 *
 * A photo and its cut-out.
 * @typedef {object} Upload
 * @property {string} id
 * @property {File} photo
 * @property {string} name without its extension
 * @property {Values} options how it is cut out
 * @property {'waiting' | 'working' | 'done' | 'failed'} state
 * @property {string} note shown until it is done
 * @property {number} startedAt by `performance.now()`
 * @property {Blob} [cutOut]
 * @property {Made} [made] the file that was drawn last
 * @property {number} [width]
 * @property {number} [height]
 * @property {string} [model]
 * @property {boolean} [isAlphaKept]
 * @property {string} [timing] `Server-Timing` of the response
 * @property {number} [confidence] in the outline, 0..1; 0 if unknown
 * @property {import('./review.js').Review} [review]
 * @property {number} [millis]
 * @property {unknown} [error]
 * @property {{alpha: Blob, strokes: readonly import('./mend/strokes.js').Stroke[]}} [mended] how the cut-out was
 *   mended, and what it was before
 * @property {readonly [HTMLElement, ...HTMLElement[]] | undefined} [panel] once it was drawn
 * @property {boolean} [isSeen] once its cut-out was shown
 * @property {boolean} [isKept] whether a reload keeps it; undefined while that is tried
 */

let count = 0;
/** In the order of time. Not randomUUID: browsers have it over TLS and on localhost only. */
const createId = () =>
  `${Date.now()}-${String(++count).padStart(6, '0')}-${crypto.getRandomValues(new Uint32Array(1))}`;

/** @param {File} photo @param {Values} options @returns {Upload} */
export const createUpload = (photo, options) => ({
  id: createId(),
  photo,
  name: photo.name.replace(/\.[^.]+$/, '') || 'photo',
  options,
  state: 'waiting',
  note: say('cut.waiting'),
  startedAt: performance.now(),
});

/**
 * Requests the cut-out of a photo; one that was mended, with its strokes.
 * @param {Pick<Upload, 'photo' | 'mended'>} upload
 * @param {Values} options fields of the request beside the image
 * @param {(seconds: number) => void} [onWait]
 */
export function removeBackground({ photo, mended }, options, onWait = () => {}) {
  const strokes = mended && { alpha: mended.alpha, strokes: JSON.stringify(mended.strokes) };
  const body = formOf({ ...options, image: photo, ...strokes });
  const path = mended ? '/bg/v1/refinements' : '/bg/v1/background-removals';
  return callWithRetry(path, { method: 'POST', body }, onWait);
}
