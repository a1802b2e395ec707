import { callJson } from './api.js';
import { fill, h } from './element.js';
import { attempt } from './error-box.js';
import { control, labelled } from './field.js';
import { DEFAULTS, FORMATS, QUALITIES, SHADOWS } from './options.js';
import { may } from './rights.js';
import { say } from './texts.js';

/**
 * @typedef {Record<string, string>} Values options of a cut-out, as a form sends them; none that has its default
 * @typedef {{name: string, options: Record<string, unknown>, export?: string}} Preset
 * @typedef {import('./field.js').Field & {needs?: [name: string, value?: string]}} Field `needs`: the option it
 *   belongs to, and which value of it
 */

/** A warm grey that contrasts with most garments. */
const FIRST_COLOUR = '#d9cfc1';
const BACKGROUNDS = [
  { value: '', label: say('look.transparent') },
  { value: 'white', label: say('look.white') },
  { value: 'colour', label: say('look.aColour') },
  { value: 'picture', label: say('look.aPicture') },
];
const NO_RULES = [{ value: '', label: say('look.none') }];

/** How the subject is cut out. @type {readonly Field[]} */
const CUT = [
  {
    name: 'quality',
    label: say('look.quality'),
    choices: labelled('quality', QUALITIES),
    first: DEFAULTS.quality,
  },
  { name: 'alpha', label: say('look.alpha'), on: 'keep' },
];
/** What is always seen of how it is drawn. @type {readonly Field[]} */
// biome-ignore format: a table reads best aligned
const MAIN = [
  { name: 'format',             label: say('look.format'), choices: labelled('format', FORMATS), first: DEFAULTS.format },
  { name: 'background',         label: say('look.background'), choices: BACKGROUNDS },
  { name: 'backgroundColor',    label: say('look.backgroundColor'), type: 'color', first: FIRST_COLOUR, needs: ['background', 'colour'] },
  { name: 'backgroundImageUrl', label: say('look.backgroundImageUrl'), type: 'url', hint: 'https://shop.example/wall.jpg', needs: ['background', 'picture'] },
];
/** @type {readonly Field[]} */
// biome-ignore format: a table reads best aligned
const MORE = [
  { name: 'crop',             label: say('look.crop'), on: 'true' },
  { name: 'cropMargin',       label: say('look.cropMargin'), first: '4%', needs: ['crop'] },
  { name: 'shadow',           label: say('look.shadow'), choices: labelled('shadow', SHADOWS), first: DEFAULTS.shadow },
  { name: 'shadowOpacityPct', label: say('look.shadowOpacityPct'), first: '50', needs: ['shadow', 'drop'] },
  { name: 'rules',            label: say('look.rules'), choices: NO_RULES },
  { name: 'fixRules',         label: say('look.fixRules'), on: 'true', needs: ['rules'] },
];
const FIELDS = [...CUT, ...MAIN, ...MORE];

const WHITE = '#ffffff';
const PRESETS = '/intake/v1/presets';

/** Returns a colour as a colour field has it; nothing if it is not opaque. @param {string} colour */
function opaque(colour) {
  const context = h('canvas').getContext('2d');
  if (!context) return undefined;
  context.fillStyle = colour;
  return context.fillStyle.startsWith('#') ? context.fillStyle : undefined;
}

/** The options as the fields have them, and those that no field has. @param {Record<string, unknown>} options */
function toFields(options) {
  const { backgroundColor, ...others } = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, String(value)]),
  );
  const colour = backgroundColor && opaque(backgroundColor);
  /** @type {Values} */
  const values = {
    ...others,
    ...(colour === WHITE && { background: 'white' }),
    ...(colour && colour !== WHITE && { background: 'colour', backgroundColor: colour }),
    ...(others.backgroundImageUrl && { background: 'picture' }),
  };
  const known = FIELDS.map(({ name }) => name);
  const rest = Object.entries(values).filter(([name]) => !known.includes(name));
  if (backgroundColor && !colour) rest.push(['backgroundColor', backgroundColor]);
  return { values, rest: Object.fromEntries(rest) };
}

/**
 * Lists what there is to choose, beside none; what is chosen stays.
 * @param {{value: string} & Element} select @param {readonly (readonly [value: string, label: string])[]} choices
 */
function list(select, choices) {
  const { value } = select;
  const options = choices.map(([name, label]) => h('option', { value: name }, label));
  fill(select, h('option', { value: '' }, say('look.none')), ...options);
  select.value = value;
  if (select.value !== value) select.value = '';
}

/** @param {string} text */
const toName = (text) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 64);

/** How cut-outs look: the fields of their options, and presets to choose from and to save. */
export class Look {
  #controls = FIELDS.map((field) => ({ field, ...control(field) }));
  /** Options of the preset that no field has. @type {Values} */
  #rest = {};
  /** @type {Preset[]} */
  #presets = [];
  #onChange;

  #preset = h('select', h('option', { value: '' }, say('look.none')));
  #restNote = h('p.fine');
  #name = h('input', {
    maxlength: 64,
    placeholder: 'shop-white',
    autocomplete: 'off',
    onkeydown: (/** @type {KeyboardEvent} */ event) => this.#storeByKey(event),
  });
  #said = h('p.fine', { role: 'status' });
  #errorPlace = h('div');
  #save = h(
    'div.save-look',
    { hidden: true },
    h('label.field', say('look.saveAs'), this.#name),
    h('button', { onclick: () => this.#store() }, say('look.save')),
  );

  /** @param {() => void} [onChange] */
  constructor(onChange = () => {}) {
    this.#onChange = onChange;
    /** Quality, and whether transparency is kept: a place of its own. */
    this.cut = this.#labels(CUT);
    this.node = h(
      'div.stack',
      this.#labels(MAIN),
      h(
        'details',
        { ontoggle: () => this.#load() },
        h('summary', say('look.more')),
        h(
          'div.stack.options',
          h('label.field', say('look.preset'), this.#preset),
          this.#restNote,
          this.#labels(MORE),
          this.#save,
          this.#said,
          this.#errorPlace,
        ),
      ),
    );
    for (const { node } of this.#controls) {
      node.addEventListener('input', () => {
        this.#preset.value = '';
        this.#changed();
      });
    }
    this.#preset.addEventListener('change', () => this.#apply());
    this.#showNeeded();
  }

  /** The options that are chosen. @returns {Values} */
  read() {
    return { ...this.#rest, ...this.#read(FIELDS) };
  }

  /** How the subject is cut out, without how it is drawn. @returns {Values} */
  readCut() {
    return this.#read(CUT);
  }

  /** What a batch is created with: the preset, if nothing else is chosen. */
  request() {
    return this.#preset.value ? { preset: this.#preset.value } : this.read();
  }

  /** The colour that a file has behind its subject; none if it is transparent, or no colour. */
  colour() {
    const { backgroundColor, backgroundImageUrl, format } = this.read();
    return backgroundColor ?? (format === 'jpeg' && !backgroundImageUrl ? WHITE : '');
  }

  /** Whether a file has another frame than its photo. */
  reframes() {
    const { crop, scale, position, fixRules, maxOutputMegapixels } = this.read();
    return Boolean(crop ?? scale ?? position ?? fixRules ?? maxOutputMegapixels);
  }

  /** @param {readonly Field[]} fields */
  #labels = (fields) =>
    this.#controls.filter(({ field }) => fields.includes(field)).map(({ label }) => label);

  /** @param {readonly Field[]} fields @returns {Values} */
  #read(fields) {
    const chosen = this.#controls.flatMap(({ field, node, label }) => {
      const value = this.#valueOf(field, node);
      const isDefault = value === '' || (field.choices && value === field.first);
      return fields.includes(field) && !label.hidden && !isDefault ? [[field.name, value]] : [];
    });
    const { background, ...options } = Object.fromEntries(chosen);
    return background === 'white' ? { ...options, backgroundColor: WHITE } : options;
  }

  /** @param {Field} field @param {{value: string, checked?: boolean}} node */
  #valueOf({ on }, node) {
    if (on) return node.checked ? on : '';
    return node.value.trim();
  }

  /** Shows the fields whose option is chosen. */
  #showNeeded() {
    const chosen = Object.fromEntries(
      this.#controls.map(({ field, node }) => [field.name, this.#valueOf(field, node)]),
    );
    for (const { field, label } of this.#controls) {
      const [name, value] = field.needs ?? [];
      label.hidden = name !== undefined && (value ? chosen[name] !== value : !chosen[name]);
    }
  }

  #changed() {
    this.#showNeeded();
    const rest = Object.entries(this.#rest).map(([name, value]) => `${name} ${value}`);
    this.#restNote.textContent =
      rest.length > 0 ? say('look.rest', { options: rest.join(', ') }) : '';
    this.#onChange();
  }

  /** Fills the fields with the preset that is chosen. */
  #apply() {
    const preset = this.#presets.find(({ name }) => name === this.#preset.value);
    const { values, rest } = toFields(preset?.options ?? {});
    this.#rest = rest;
    for (const { field, node } of this.#controls) {
      // What a preset leaves open is left open.
      const first = preset && node.type === 'text' ? '' : field.first;
      const value = values[field.name] ?? first ?? '';
      if (field.on) /** @type {HTMLInputElement} */ (node).checked = value === field.on;
      else node.value = value;
    }
    this.#changed();
  }

  /** Reads rules and presets: others may have saved some meanwhile. */
  #load = () =>
    attempt(this.#errorPlace, async () => {
      if (!may(['settings'])) return; // to rules and presets
      const [{ rules }, { presets }] = await Promise.all([
        callJson('/intake/v1/rules'),
        callJson(PRESETS),
      ]);
      const packs = rules.map((/** @type {any} */ { name, pack }) => [name, pack.title]);
      const select = this.#controls.find(({ field }) => field.name === 'rules')?.node;
      if (select) list(select, packs);
      this.#listPresets(presets);
      this.#save.hidden = false;
    });

  /** @param {Preset[]} presets */
  #listPresets(presets) {
    this.#presets = presets;
    list(
      this.#preset,
      presets.map(({ name }) => [name, name]),
    );
  }

  /** The name is a field of a form that Enter would submit. @param {KeyboardEvent} event */
  #storeByKey(event) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    this.#store();
  }

  #store = () =>
    attempt(this.#errorPlace, async () => {
      const name = toName(this.#name.value);
      this.#said.textContent = '';
      if (!name) return this.#name.focus();
      const old = this.#presets.find((one) => one.name === name);
      const json = { options: this.read(), export: old?.export };
      const saved = await callJson(`${PRESETS}/${name}`, { method: 'PUT', json });
      this.#listPresets([...this.#presets.filter((one) => one.name !== name), saved]);
      this.#preset.value = name;
      this.#said.textContent = say('look.saved', { name });
    });
}
