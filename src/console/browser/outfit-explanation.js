import { cloChart } from './clo-chart.js';
import { h } from './element.js';

/** @type {Readonly<Record<string, string>>} */
const SHELL_REASONS = {
  'colder-outside': 'it is colder outside',
  rain: 'it is wet',
  wind: 'it is windy',
};
/** Codes that are not listed: the gauge shows them, or a person can do nothing about them. */
const HIDDEN_CODES = ['data.missing', 'thermal.match', 'thermal.cool', 'thermal.warm'];
/** Range of the gauge to each side, in votes of the seven-point scale. */
const MAX_VOTES = 3;

/** @param {number} deviation from neutral, votes @param {{text: string} | undefined} warmth */
function gauge(deviation, warmth) {
  const position =
    (Math.max(-MAX_VOTES, Math.min(MAX_VOTES, deviation)) + MAX_VOTES) / (2 * MAX_VOTES);
  return h(
    'div',
    { class: 'gauge' },
    h('div', { class: 'gauge-scale', 'aria-hidden': true }, h('span', { '--position': position })),
    h(
      'div',
      { class: 'gauge-labels fine', 'aria-hidden': true },
      h('span', {}, 'cold'),
      h('span', {}, 'comfortable'),
      h('span', {}, 'warm'),
    ),
    warmth &&
      h(
        'p',
        {},
        warmth.text.replace(/^(.*?):.*$/, '$1'),
        h('span', { class: 'fine' }, warmth.text.replace(/^.*?: /, ' · ')),
      ),
  );
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/**
 * Explains an outfit: how warm it is by region, and what counts for and against it.
 * @param {any} outfit
 * @param {readonly {id: string, label: string}[]} warningLabels
 */
export function outfitExplanation({ name, score, thermal, warnings, explanation }, warningLabels) {
  const warningText = (/** @type {string} */ code) =>
    warningLabels.find(({ id }) => id === code)?.label ?? code;
  const warmth = explanation.find((/** @type {any} */ { code }) => code.startsWith('thermal.'));
  const reasons = explanation.filter((/** @type {any} */ { code }) => !HIDDEN_CODES.includes(code));
  return [
    h(
      'section',
      { class: 'panel stack' },
      h(
        'div',
        { class: 'row-head' },
        h('h2', {}, name),
        h('span', { class: 'tag' }, `${Math.round(score)} of 100`),
      ),
      gauge(thermal.deviation, warmth),
      warnings.map((/** @type {string} */ code) =>
        h('p', { class: 'warning' }, sentence(warningText(code))),
      ),
      h(
        'ul',
        { class: 'reasons' },
        reasons.map((/** @type {any} */ { text }) => h('li', {}, sentence(text))),
      ),
    ),
    h(
      'section',
      { class: 'panel stack' },
      h('h2', {}, 'Warmth by region'),
      cloChart(thermal.regions),
    ),
  ];
}

/** @param {{needed: boolean, reasons: string[], items: unknown[]}} shell */
export function shellText({ reasons, items }) {
  const why = reasons.flatMap((reason) => SHELL_REASONS[reason] ?? []).join(' and ');
  if (items.length === 0)
    return `Outside you need more, because ${why}, and the wardrobe has nothing suitable.`;
  const shortfall = reasons.includes('no-sufficient-outerwear')
    ? ' This is the best you have, but not quite enough.'
    : '';
  return `To wear outside, because ${why}:${shortfall}`;
}
