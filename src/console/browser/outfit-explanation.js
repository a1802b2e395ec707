import { cloChart } from './clo-chart.js';
import { h } from './element.js';

/** @type {Readonly<Record<string, string>>} */
const WARNINGS = {
  'limited-exposure': 'Good for a limited time only.',
  'frostbite-risk': 'Wind chill: bare skin may freeze.',
  'heat-stress': 'Hot: drink, and stay out of the sun.',
  'too-cold': 'You would be cold in it.',
  'too-warm': 'You would be too warm in it.',
};
/** @type {Readonly<Record<string, string>>} */
const SHELL_REASONS = {
  'colder-outside': 'it is colder outside',
  rain: 'it is wet',
  wind: 'it is windy',
};
/** Nothing a person would do about it. */
const UNSAID = ['data.missing', 'thermal.match', 'thermal.cool', 'thermal.warm'];
/** Votes of the seven-point scale that the gauge shows to each side. */
const MOST_VOTES = 3;

/** @param {number} deviation votes from what is right @param {{text: string} | undefined} words */
function gauge(deviation, words) {
  const place =
    (Math.max(-MOST_VOTES, Math.min(MOST_VOTES, deviation)) + MOST_VOTES) / (2 * MOST_VOTES);
  return h(
    'div',
    { class: 'gauge' },
    h('div', { class: 'gauge-scale', 'aria-hidden': true }, h('span', { '--place': place })),
    h(
      'div',
      { class: 'gauge-ends fine', 'aria-hidden': true },
      h('span', {}, 'cold'),
      h('span', {}, 'right'),
      h('span', {}, 'warm'),
    ),
    words &&
      h(
        'p',
        {},
        words.text.replace(/^(.*?):.*$/, '$1'),
        h('span', { class: 'fine' }, words.text.replace(/^.*?: /, ' · ')),
      ),
  );
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/**
 * Why this outfit: how warm, region by region, and what speaks for and against it.
 * @param {any} outfit
 */
export function outfitWhy({ name, score, thermal, warnings, explanation }) {
  const warmth = explanation.find((/** @type {any} */ { code }) => code.startsWith('thermal.'));
  const said = explanation.filter((/** @type {any} */ { code }) => !UNSAID.includes(code));
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
        h('p', { class: 'warning' }, WARNINGS[code] ?? code),
      ),
      h(
        'ul',
        { class: 'said' },
        said.map((/** @type {any} */ { text }) => h('li', {}, sentence(text))),
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
export function shellWords({ reasons, items }) {
  const why = reasons.flatMap((reason) => SHELL_REASONS[reason] ?? []).join(' and ');
  if (items.length === 0)
    return `For outside you need more: ${why}, and the wardrobe has nothing for it.`;
  const short = reasons.includes('no-sufficient-outerwear')
    ? ' It is the best there is, but not quite enough.'
    : '';
  return `For outside, since ${why}:${short}`;
}
