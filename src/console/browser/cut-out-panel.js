import { classifyPanel } from './classify-panel.js';
import { h } from './element.js';
import { attempt } from './error-box.js';
import { openBrush } from './mend/brush.js';
import { outfitPanel } from './outfit-panel.js';
import { reasonText } from './review.js';
import { formatNumber, formatPercent, say } from './texts.js';

/** @typedef {import('./upload.js').Upload} Upload */
/** @typedef {(mended: import('./mend/brush.js').Mended) => void} OnMended */

/**
 * Durations by name, ms.
 * @param {string | undefined} timing `Server-Timing` @returns {Record<string, number>}
 */
const readTiming = (timing = '') =>
  Object.fromEntries(
    [...timing.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, name, millis]) => [
      name,
      Number(millis),
    ]),
  );

/** @param {number} millis */
const seconds = (millis) => `${formatNumber(millis / 1000, millis < 9950 ? 1 : 0)} s`;

/** @param {Upload} upload */
function facts({
  width = 0,
  height = 0,
  cutOut,
  millis = 0,
  timing,
  model,
  confidence = 0,
  isAlphaKept,
}) {
  const { engine } = readTiming(timing);
  const kb = Math.ceil((cutOut?.size ?? 0) / 1024);
  const time = seconds(millis);
  /** @type {[string, string][]} */
  const rows = [
    [say('facts.size'), say('facts.pixels', { width, height, kb })],
    [
      say('facts.time'),
      engine === undefined ? time : say('facts.engine', { time, engine: seconds(engine) }),
    ],
    [say('facts.confidence'), confidence > 0 ? formatPercent(confidence) : ''],
    [say('facts.model'), model ?? ''],
    [say('facts.alpha'), isAlphaKept ? say('facts.alphaKept') : ''],
  ];
  return h(
    'dl.facts',
    rows.flatMap(([name, value]) => (value ? [h('dt', name), h('dd', value)] : [])),
  );
}

/**
 * Says what to look at in a cut-out; nothing if nothing was noticed.
 * @param {import('./review.js').Review | undefined} review
 */
const reviewNote = ({ needed, reasons } = { needed: false, reasons: [] }) =>
  reasons.length > 0 &&
  h(
    'div.stack',
    h('h3', needed ? say('facts.check') : say('facts.noticed')),
    reasons.map((reason) => h('p.fine', reasonText(reason))),
  );

/** @param {string} name @param {File} photo @param {Blob | undefined} cutOut @param {OnMended} onMended */
function mendButton(name, photo, cutOut, onMended) {
  const errorPlace = h('div');
  const mend = () =>
    attempt(errorPlace, async () => {
      if (cutOut)
        await openBrush({ name, photo, cutOut, save: async (mended) => onMended(mended) });
    });
  return h('div.stack', h('button', { onclick: mend }, say('mend.open')), errorPlace);
}

/**
 * Shows the facts about a finished cut-out, its classification and its garments.
 * @param {Upload} upload
 * @param {OnMended} onMended
 * @returns {[HTMLElement, ...HTMLElement[]]}
 */
export const cutOutPanel = (upload, onMended) => {
  const { name, photo, cutOut, review } = upload;
  return [
    h(
      'section.panel.stack',
      h('h2', name),
      facts(upload),
      reviewNote(review),
      mendButton(name, photo, cutOut, onMended),
    ),
    classifyPanel(upload),
    outfitPanel(upload),
  ];
};
