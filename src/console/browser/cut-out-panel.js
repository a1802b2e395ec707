import { classifyPanel } from './classify-panel.js';
import { downloadForm } from './download-form.js';
import { h } from './element.js';
import { outfitPanel } from './outfit-panel.js';
import { REVIEW } from './review.js';

/** @typedef {import('./upload.js').Upload} Upload */

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
const seconds = (millis) => `${(millis / 1000).toFixed(millis < 9950 ? 1 : 0)} s`;

/** @param {Upload} upload */
function facts({ width, height, cutOut, millis = 0, timing, model, confidence = 0 }) {
  const { engine } = readTiming(timing);
  const processing = engine === undefined ? '' : `, ${seconds(engine)} of it processing`;
  /** @type {[string, string][]} */
  const rows = [
    ['Size', `${width} × ${height} pixels, ${Math.ceil((cutOut?.size ?? 0) / 1024)} KB`],
    ['Time', seconds(millis) + processing],
    ['Confidence', confidence > 0 ? `${Math.floor(confidence * 100)} %` : ''],
    ['Model', model ?? ''],
  ];
  return h(
    'dl',
    { class: 'facts' },
    rows.flatMap(([name, value]) => (value ? [h('dt', {}, name), h('dd', {}, value)] : [])),
  );
}

/**
 * Says what to look at in a cut-out; nothing if nothing was noticed.
 * @param {import('./review.js').Review | undefined} review
 */
const reviewNote = ({ needed, reasons } = { needed: false, reasons: [] }) =>
  reasons.length > 0 &&
  h(
    'div',
    { class: 'stack' },
    h('h3', {}, needed ? 'Please check' : 'Noticed'),
    reasons.map((reason) => h('p', { class: 'fine' }, REVIEW[reason] ?? reason)),
  );

/**
 * Shows the facts about a finished cut-out, its download and its classification.
 * @param {Upload} upload
 */
export const cutOutPanel = (upload) =>
  h(
    'div',
    { class: 'stack' },
    h(
      'section',
      { class: 'panel stack' },
      h('h2', {}, upload.name),
      facts(upload),
      reviewNote(upload.review),
      downloadForm(upload),
    ),
    classifyPanel(upload),
    outfitPanel(upload),
  );
