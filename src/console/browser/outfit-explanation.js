import { cloChart } from './clo-chart.js';
import { h } from './element.js';
import { formatList, say, textOf } from './texts.js';

/** Codes of what the gauge shows. */
const GAUGE_CODES = ['thermal.match', 'thermal.cool', 'thermal.warm'];
/** Codes that are not listed: a person can do nothing about them. */
const HIDDEN_CODES = ['data.missing'];
/** Range of the gauge to each side, in votes of the seven-point scale. */
const MAX_VOTES = 3;

const GAUGE_LABELS = [say('warmth.cold'), say('warmth.comfortable'), say('warmth.warm')];

/**
 * @param {number} deviation from neutral, votes
 * @param {{text: string} | undefined} warmth
 */
function gauge(deviation, warmth) {
  // What is missing, or too much, follows the colon; if nothing is, there is none.
  const [how, more] = warmth?.text.split(/\s*: (.*)/) ?? [];
  const position =
    (Math.max(-MAX_VOTES, Math.min(MAX_VOTES, deviation)) + MAX_VOTES) / (2 * MAX_VOTES);
  return h(
    'div.gauge',
    h('div.gauge-scale', { 'aria-hidden': true }, h('span', { '--position': position })),
    h(
      'div.gauge-labels.fine',
      { 'aria-hidden': true },
      GAUGE_LABELS.map((label) => h('span', label)),
    ),
    how && h('p', how, more && h('span.fine', ` · ${more}`)),
  );
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** @param {readonly {code: string, text: string}[]} explanation what counts for and against an outfit */
export const listedReasons = (explanation) =>
  explanation
    .filter(({ code }) => !HIDDEN_CODES.includes(code))
    .map(({ text }) => h('li', sentence(text)));

/**
 * Explains an outfit: how warm it is by region, and what counts for and against it.
 * @param {any} outfit
 * @param {readonly {id: string, label: string}[]} warningLabels
 */
export function outfitExplanation(outfit, warningLabels) {
  const { name, score, thermal, warnings, explanation } = outfit;
  const warningText = (/** @type {string} */ code) =>
    warningLabels.find(({ id }) => id === code)?.label ?? code;
  const warmth = explanation.find((/** @type {any} */ { code }) => code.startsWith('thermal.'));
  const reasons = explanation.filter((/** @type {any} */ { code }) => !GAUGE_CODES.includes(code));
  return [
    h(
      'section.panel.stack',
      h(
        'div.row-head',
        h('h2', name),
        h('span.tag', say('outfits.score', { score: Math.round(score) })),
      ),
      gauge(thermal.deviation, warmth),
      warnings.map((/** @type {string} */ code) => h('p.warning', sentence(warningText(code)))),
      h('ul.reasons', listedReasons(reasons)),
    ),
    h('section.panel.stack', h('h2', say('warmth.title')), cloChart(thermal.regions)),
  ];
}

/**
 * Says why more is needed outside, above the list of what to put on.
 * @param {{reasons: string[], items: unknown[], addIds: unknown[]}} shell
 */
export function shellText({ reasons, items, addIds }) {
  const why = formatList(reasons.flatMap((reason) => textOf(`outside.${reason}`) ?? []));
  if (items.length + addIds.length === 0) return say('outside.none', { why });
  const isTooLight = reasons.includes('no-sufficient-outerwear');
  return isTooLight ? say('outside.tooLight', { why }) : say('outside.add', { why });
}
