import { h } from './element.js';

/**
 * @typedef {{id: string, label: string, met?: number}} Word
 * @typedef {{condition: Word[], metPreset: Word[], occasion: Word[], thermalProfile: Word[]}} Words
 */

/** @type {readonly {name: string, label: string, unit: string, min: number, max: number, value: number}[]} */
// biome-ignore format: a table reads best aligned
const SLIDERS = [
  { name: 'tempC',       label: 'Temperature', unit: '°C',  min: -25, max: 40,  value: 9 },
  { name: 'windMs',      label: 'Wind',        unit: 'm/s', min: 0,   max: 25,  value: 4 },
  { name: 'humidityPct', label: 'Humidity',    unit: '%',   min: 5,   max: 100, value: 70 },
];

const USUAL = { condition: 'cloudy', activity: 'strolling', thermalProfile: 'neutral' };

/** @param {(typeof SLIDERS)[number]} row */
function slider({ name, label, unit, min, max, value }) {
  const words = (/** @type {number | string} */ now) => `${String(now).replace('-', '−')} ${unit}`;
  const output = h('output', {}, words(value));
  const input = h('input', {
    ...{ type: 'range', name, min, max, value, 'aria-valuetext': words(value) },
    oninput: () => {
      output.textContent = words(input.value);
      input.setAttribute('aria-valuetext', words(input.value));
    },
  });
  return h('label', { class: 'field slider' }, h('span', {}, label, output), input);
}

/** @param {string} name @param {string} label @param {Word[]} words @param {string} chosen */
const choice = (name, label, words, chosen) =>
  h(
    'label',
    { class: 'field' },
    label,
    h(
      'select',
      { name },
      words.map((word) =>
        h('option', { value: word.id, selected: word.id === chosen }, word.label),
      ),
    ),
  );

/** @param {string} value @param {string} label @param {boolean} [checked] */
const plan = (value, label, checked) =>
  h(
    'label',
    { class: 'segment' },
    h('input', { type: 'radio', name: 'plan', value, checked }),
    h('span', {}, label),
  );

/**
 * The controls of weather and person.
 * @param {Words} words
 */
export const weatherControls = (words) => [
  h(
    'fieldset',
    { class: 'segments' },
    h('legend', { class: 'sr-only' }, 'Dressed for'),
    plan('indoor', 'Indoors', true),
    plan('outdoor', 'Outdoors'),
  ),
  ...SLIDERS.map(slider),
  choice('condition', 'Sky', words.condition, USUAL.condition),
  choice('activity', 'Activity', words.metPreset, USUAL.activity),
  choice('occasion', 'Occasion', [{ id: '', label: 'Any' }, ...words.occasion], ''),
  choice('thermalProfile', 'You are', words.thermalProfile, USUAL.thermalProfile),
];

/**
 * What the controls say, as the outfit engine takes it.
 * @param {HTMLFormElement} form
 * @param {Words} words
 */
export function situationOf(form, { metPreset }) {
  const said = new FormData(form);
  const text = (/** @type {string} */ name) => String(said.get(name) ?? '');
  const occasion = text('occasion');
  return {
    weather: {
      tempC: Number(text('tempC')),
      windMs: Number(text('windMs')),
      humidityPct: Number(text('humidityPct')),
      condition: text('condition'),
    },
    met: metPreset.find(({ id }) => id === text('activity'))?.met ?? 1.7,
    plan: text('plan'),
    userProfile: { thermalProfile: text('thermalProfile') },
    ...(occasion && { occasion }),
  };
}
