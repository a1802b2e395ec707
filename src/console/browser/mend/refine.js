import { callWithRetry, formOf } from '../api.js';
import { toPng } from '../image-files.js';

/** @typedef {import('./strokes.js').Stroke} Stroke */

/**
 * Returns a function that mends a cut-out by strokes on the service.
 * @param {Blob} photo
 * @param {Blob} cutOut
 * @param {ImageBitmap} bitmap the same cut-out
 */
export function createRefiner(photo, cutOut, bitmap) {
  /** @type {Promise<Blob> | undefined} */
  let alpha;
  /** @param {readonly Stroke[]} strokes @param {AbortSignal} signal @returns {Promise<Blob>} */
  return async (strokes, signal) => {
    alpha ??= cutOut.type === 'image/png' ? Promise.resolve(cutOut) : toPng(bitmap);
    const body = formOf({ image: photo, alpha: await alpha, strokes: JSON.stringify(strokes) });
    const request = { method: 'POST', body, signal };
    return (await callWithRetry('/bg/v1/refinements', request, () => {})).blob();
  };
}
