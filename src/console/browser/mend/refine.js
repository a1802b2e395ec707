import { callWithRetry } from '../api.js';

/** @typedef {import('./strokes.js').Stroke} Stroke */

/** @param {ImageBitmap} image @returns {Promise<Blob>} */
function toPng(image) {
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No PNG was made'))));
  });
}

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
    const body = new FormData();
    body.append('image', photo, 'photo');
    body.append('alpha', await alpha, 'alpha.png');
    body.append('strokes', JSON.stringify(strokes));
    const response = await callWithRetry(
      '/bg/v1/refinements',
      { method: 'POST', body, signal },
      () => {},
    );
    return response.blob();
  };
}
