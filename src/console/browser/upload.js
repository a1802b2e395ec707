import { callWithRetry } from './api.js';

/**
 * A photo and its cut-out.
 * @typedef {object} Upload
 * @property {File} file
 * @property {string} name without its extension
 * @property {string} before object URL of the photo
 * @property {string} quality
 * @property {boolean} keepsAlpha a picture that is transparent keeps its alpha
 * @property {'waiting' | 'working' | 'done' | 'failed'} state
 * @property {string} note shown until it is done
 * @property {number} startedAt by `performance.now()`
 * @property {Blob} [cutOut]
 * @property {string} [after] object URL of the cut-out
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
 * @property {HTMLElement | undefined} [panel] once it was drawn
 */

/** @param {File} file @param {Pick<Upload, 'quality' | 'keepsAlpha'>} options @returns {Upload} */
export const createUpload = (file, options) => ({
  file,
  name: file.name.replace(/\.[^.]+$/, '') || 'photo',
  before: URL.createObjectURL(file),
  ...options,
  state: 'waiting',
  note: 'Waiting',
  startedAt: performance.now(),
});

/**
 * Requests the cut-out of a photo; one that was mended, with its strokes.
 * @param {Upload} upload
 * @param {Record<string, string>} options fields of the request beside the image
 * @param {(seconds: number) => void} onWait
 */
export function removeBackground(upload, options, onWait) {
  const { file, mended, quality, keepsAlpha } = upload;
  const body = new FormData();
  for (const [name, value] of Object.entries({ quality, ...options })) body.append(name, value);
  body.append('image', file, file.name);
  if (!mended) {
    if (keepsAlpha) body.append('alpha', 'keep');
    return callWithRetry('/bg/v1/background-removals', { method: 'POST', body }, onWait);
  }
  body.append('alpha', mended.alpha, 'alpha.png');
  body.append('strokes', JSON.stringify(mended.strokes));
  return callWithRetry('/bg/v1/refinements', { method: 'POST', body }, onWait);
}
