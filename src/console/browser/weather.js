import { h } from './element.js';
import { choice } from './field.js';
import { formatNumber, say } from './texts.js';

/**
 * @typedef {{id: string, label: string, met?: number}} Entry
 * @typedef {{condition: Entry[], metPreset: Entry[], occasion: Entry[], thermalProfile: Entry[], warning: Entry[]}} Dictionaries
 * @typedef {{dictionaries: Dictionaries}} Meta
 */

/** @type {readonly {name: string, label: string, unit: string, min: number, max: number, value: number}[]} */
// biome-ignore format: a table reads best aligned
const SLIDERS = [
  { name: 'tempC',       label: say('weather.temperature'), unit: '°C',  min: -25, max: 40,  value: 9 },
  { name: 'windMs',      label: say('weather.wind'), unit: 'm/s', min: 0,   max: 25,  value: 4 },
  { name: 'humidityPct', label: say('weather.humidity'), unit: '%',   min: 5,   max: 100, value: 70 },
];

const DEFAULTS = { condition: 'cloudy', activity: 'strolling', thermalProfile: 'neutral' };

/** @param {(typeof SLIDERS)[number]} row */
function slider({ name, label, unit, min, max, value }) {
  const format = (/** @type {number | string} */ number) =>
    `${formatNumber(Number(number)).replace('-', '−')} ${unit}`;
  const output = h('output', format(value));
  const input = h('input', {
    type: 'range',
    name,
    min,
    max,
    value,
    'aria-valuetext': format(value),
    oninput: () => {
      output.textContent = format(input.value);
      input.setAttribute('aria-valuetext', format(input.value));
    },
  });
  return h('label.field.slider', h('span', label, output), input);
}

/** @param {string} name @param {string} label @param {Entry[]} entries @param {string} selected */
const select = (name, label, entries, selected) =>
  choice(
    label,
    entries.map((entry) => [entry.id, entry.label]),
    selected,
    { name },
  ).node;

/** @param {string} value @param {string} label @param {boolean} [checked] */
const plan = (value, label, checked) =>
  h('label.segment', h('input', { type: 'radio', name: 'plan', value, checked }), h('span', label));

/**
 * Creates the controls for weather and person.
 * @param {Meta} meta
 */
export const weatherControls = ({ dictionaries }) => [
  h(
    'fieldset.segments',
    h('legend.sr-only', say('weather.place')),
    plan('indoor', say('weather.indoors'), true),
    plan('outdoor', say('weather.outdoors')),
  ),
  ...SLIDERS.map(slider),
  select('condition', say('weather.condition'), dictionaries.condition, DEFAULTS.condition),
  select('activity', say('weather.activity'), dictionaries.metPreset, DEFAULTS.activity),
  select(
    'occasion',
    say('weather.occasion'),
    [{ id: '', label: say('weather.anyOccasion') }, ...dictionaries.occasion],
    '',
  ),
  select(
    'thermalProfile',
    say('weather.sensitivity'),
    dictionaries.thermalProfile,
    DEFAULTS.thermalProfile,
  ),
];

/**
 * Reads the controls as fields of an outfits request.
 * @param {HTMLFormElement} form
 * @param {Dictionaries} dictionaries
 */
export function readSituation(form, { metPreset }) {
  const fields = new FormData(form);
  const text = (/** @type {string} */ name) => String(fields.get(name) ?? '');
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
