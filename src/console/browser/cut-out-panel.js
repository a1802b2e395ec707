import { downloadForm } from './download-form.js';
import { h } from './element.js';
import { nameIt } from './name-it.js';

/** @typedef {import('./shot.js').Shot} Shot */

/** @param {string | undefined} timing `Server-Timing` @returns {Record<string, number>} */
const partsOf = (timing = '') =>
  Object.fromEntries(
    [...timing.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, name, millis]) => [
      name,
      Number(millis),
    ]),
  );

/** @param {number} millis */
const seconds = (millis) => `${(millis / 1000).toFixed(millis < 9950 ? 1 : 0)} s`;

/** @param {Shot} shot */
function factsOf({ width, height, cutOut, millis = 0, timing, model, confidence = 0 }) {
  const { engine } = partsOf(timing);
  const atWork = engine === undefined ? '' : `, ${seconds(engine)} of it at work on the picture`;
  /** @type {[string, string][]} */
  const rows = [
    ['Size', `${width} × ${height} pixels, ${Math.ceil((cutOut?.size ?? 0) / 1024)} KB`],
    ['Time', seconds(millis) + atWork],
    ['Outline', confidence > 0 ? `${Math.floor(confidence * 100)} % sure` : ''],
    ['Model', model ?? ''],
  ];
  return h(
    'dl',
    { class: 'facts' },
    rows.flatMap(([name, value]) => (value ? [h('dt', {}, name), h('dd', {}, value)] : [])),
  );
}

/**
 * What can be done with a finished cut-out.
 * @param {Shot} shot
 */
export const sidePanel = (shot) =>
  h(
    'div',
    { class: 'stack' },
    h(
      'section',
      { class: 'panel stack' },
      h('h2', {}, shot.name),
      factsOf(shot),
      downloadForm(shot),
    ),
    nameIt(shot),
  );
