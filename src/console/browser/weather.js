import { h } from './element.js';

/**
 * @typedef {{id: string, label: string, met?: number}} Entry
 * @typedef {{condition: Entry[], metPreset: Entry[], occasion: Entry[], thermalProfile: Entry[], warning: Entry[]}} Dictionaries
 * @typedef {{dictionaries: Dictionaries, locale: string, locales: string[]}} Meta
 */

/** @type {readonly {name: string, label: string, unit: string, min: number, max: number, value: number}[]} */
// biome-ignore format: a table reads best aligned
const SLIDERS = [
  { name: 'tempC',       label: 'Temperature', unit: '°C',  min: -25, max: 40,  value: 9 },
  { name: 'windMs',      label: 'Wind',        unit: 'm/s', min: 0,   max: 25,  value: 4 },
  { name: 'humidityPct', label: 'Humidity',    unit: '%',   min: 5,   max: 100, value: 70 },
];

/** @param {string} locale @returns {Entry} a language by its own name */
const languageEntry = (locale) => ({
  id: locale,
  label: new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale,
});

const DEFAULTS = { condition: 'cloudy', activity: 'strolling', thermalProfile: 'neutral' };

/** @param {(typeof SLIDERS)[number]} row */
function slider({ name, label, unit, min, max, value }) {
  const format = (/** @type {number | string} */ number) =>
    `${String(number).replace('-', '−')} ${unit}`;
  const output = h('output', {}, format(value));
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
  return h('label', { class: 'field slider' }, h('span', {}, label, output), input);
}

/** @param {string} name @param {string} label @param {Entry[]} entries @param {string} selected */
const choice = (name, label, entries, selected) =>
  h(
    'label',
    { class: 'field' },
    label,
    h(
      'select',
      { name },
      entries.map((entry) =>
        h('option', { value: entry.id, selected: entry.id === selected }, entry.label),
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
 * Creates the controls for weather and person.
 * @param {Meta} meta
 */
export const weatherControls = ({ dictionaries, locale, locales }) => [
  h(
    'fieldset',
    { class: 'segments' },
    h('legend', { class: 'sr-only' }, 'Location'),
    plan('indoor', 'Indoors', true),
    plan('outdoor', 'Outdoors'),
  ),
  ...SLIDERS.map(slider),
  choice('condition', 'Conditions', dictionaries.condition, DEFAULTS.condition),
  choice('activity', 'Activity', dictionaries.metPreset, DEFAULTS.activity),
  choice('occasion', 'Occasion', [{ id: '', label: 'Any' }, ...dictionaries.occasion], ''),
  choice(
    'thermalProfile',
    'Thermal sensitivity',
    dictionaries.thermalProfile,
    DEFAULTS.thermalProfile,
  ),
  choice('locale', 'Language of names and reasons', locales.map(languageEntry), locale),
];

/**
 * Sets controls to values that were read before, except those of the language.
 * @param {HTMLFormElement} form
 * @param {FormData} fields
 */
export function restoreControls(form, fields) {
  for (const [name, value] of fields) {
    const control = form.elements.namedItem(name);
    if (name === 'locale' || !control || !('value' in control)) continue;
    control.value = String(value);
    // Not bubbling: the value beside a slider follows, the outfits are not requested again.
    if (control instanceof HTMLInputElement) control.dispatchEvent(new Event('input'));
  }
}

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
    locale: text('locale'),
    ...(occasion && { occasion }),
  };
}
