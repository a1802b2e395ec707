import { callPatiently } from './api.js';

/**
 * One photo on its way.
 * @typedef {object} Shot
 * @property {File} file
 * @property {string} name without its ending
 * @property {string} before address of the photo in this page
 * @property {string} quality
 * @property {'waiting' | 'working' | 'done' | 'failed'} state
 * @property {string} note what happens meanwhile
 * @property {number} beganAt
 * @property {Blob} [cutOut]
 * @property {string} [after]
 * @property {number} [width]
 * @property {number} [height]
 * @property {string} [model]
 * @property {string} [timing] `Server-Timing` of the answer
 * @property {number} [confidence] that the outline is right; 0 where nothing is known
 * @property {number} [millis]
 * @property {unknown} [error]
 * @property {HTMLElement} [side] its panel, once it was drawn
 */

/** @param {File} file @param {string} quality @returns {Shot} */
export const shotOf = (file, quality) => ({
  file,
  name: file.name.replace(/\.[^.]+$/, '') || 'photo',
  before: URL.createObjectURL(file),
  quality,
  state: 'waiting',
  note: 'Waiting in line',
  beganAt: performance.now(),
});

/**
 * The cut-out of a photo, as the options want it.
 * @param {Shot} shot
 * @param {Record<string, string>} options fields of the request beside the image
 * @param {(seconds: number) => void} onWait
 */
export function removeBackground(shot, options, onWait) {
  const body = new FormData();
  for (const [name, value] of Object.entries({ quality: shot.quality, ...options })) {
    body.append(name, value);
  }
  body.append('image', shot.file, shot.file.name);
  return callPatiently('/bg/v1/background-removals', { method: 'POST', body }, onWait);
}
