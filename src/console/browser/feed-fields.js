import { fill, h } from './element.js';
import { control, labelled } from './field.js';
import { FEED_FORMATS, FEED_PRESETS, QUALITIES } from './options.js';
import { say } from './texts.js';

/**
 * @typedef {import('./field.js').Field & {isList?: boolean}} Field
 * @typedef {Record<string, any>} Values
 */

/** @param {...string} values */
const orRecognised = (...values) => [
  { value: '', label: say('fields.recognised') },
  ...labelled('answer', values),
];

/** @type {readonly Field[]} where a feed has what is read; what is empty is recognised */
const MAPPING = [
  { name: 'preset', label: say('fields.preset'), choices: orRecognised(...FEED_PRESETS) },
  { name: 'id', label: say('fields.id') },
  { name: 'image', label: say('fields.image') },
  { name: 'images', label: say('fields.images'), isList: true },
  { name: 'title', label: say('fields.title') },
  { name: 'category', label: say('fields.category') },
  { name: 'items', label: say('fields.items'), hint: 'products/product' },
  { name: 'separator', label: say('fields.separator') },
  { name: 'baseUrl', label: say('fields.baseUrl'), hint: 'https://shop.example/media/' },
  {
    name: 'group',
    label: say('fields.group'),
    choices: orRecognised('true', 'false'),
  },
];
/** @type {readonly Field[]} */
const ACCESS = [
  { name: 'username', label: say('fields.username') },
  { name: 'password', label: say('fields.password'), type: 'password' },
  { name: 'headers', label: say('fields.headers'), type: 'lines', hint: 'X-Token: …' },
  { name: 'origin', label: say('fields.origin'), hint: 'https://shop.example' },
  { name: 'userAgent', label: 'User-Agent' },
  { name: 'referer', label: 'Referer' },
];
/** @type {readonly Field[]} */
const RUNS = [
  { name: 'format', label: say('fields.format'), choices: orRecognised(...FEED_FORMATS) },
  { name: 'quality', label: say('look.quality'), choices: labelled('quality', QUALITIES) },
  { name: 'schedule', label: say('fields.schedule'), hint: '30 4 * * *' },
  { name: 'webhook', label: say('fields.webhook'), hint: 'https://shop.example/hook' },
];

/** The names that an inspection has for what a mapping names. @type {Readonly<Record<string, string>>} */
const COLUMNS = {
  id: 'id',
  image: 'imageLink',
  images: 'additionalImageLink',
  title: 'title',
  category: 'productType',
};

let lists = 0;

/** @param {string} text @returns {Record<string, string>} */
const readHeaders = (text) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim())
      .map((line) => [line.split(':', 1)[0]?.trim(), line.slice(line.indexOf(':') + 1).trim()]),
  );

/** @param {Field} field @param {string} text */
function parse({ name, isList }, text) {
  if (name === 'group') return text === 'true';
  if (name === 'headers') return readHeaders(text);
  return isList ? text.split(/\s*;\s*/).filter((part) => part) : text;
}

/** Fields of one group. @param {readonly Field[]} fields @param {Values} values */
function group(fields, values) {
  const list = h('datalist', { id: `columns-${++lists}` });
  const controls = fields.map((field) => {
    const value = values[field.name];
    const first = field.isList && Array.isArray(value) ? value.join('; ') : String(value ?? '');
    return { field, ...control({ ...field, first }, fields === MAPPING ? list.id : undefined) };
  });
  const before = controls.map(({ node }) => node.value);
  return {
    node: [list, ...controls.map(({ label }) => label)],
    isChanged: () => controls.some(({ node }, i) => node.value !== before[i]),
    /** @returns {Values} */
    read: () =>
      Object.fromEntries(
        controls.flatMap(({ field, node }) => {
          const text = field.type === 'password' ? node.value : node.value.trim();
          return text ? [[field.name, parse(field, text)]] : [];
        }),
      ),
    /** Shows what was recognised: as what is read if nothing is written, and all columns to choose from.
     *  @param {{columns: Record<string, string[]>, labels: string[], items?: string}} found */
    suggest({ columns, labels, items }) {
      fill(list, ...labels.map((value) => h('option', { value })));
      for (const { field, node } of controls) {
        if (node instanceof HTMLSelectElement) continue;
        const read =
          field.name === 'items' ? items : columns[COLUMNS[field.name] ?? '']?.join('; ');
        node.placeholder = read ?? field.hint ?? '';
      }
    },
  };
}

/** @param {string} title @param {import('./element.js').Child[]} children */
const part = (title, children) =>
  h('details', h('summary', title), h('div.columns.options', children));

/** @param {{headers: string[], origin: string}} access */
const accessNote = ({ headers, origin }) =>
  origin && headers.length > 0
    ? say('fields.accessFor', { origin, headers: headers.join(', ') })
    : say('fields.access');

/**
 * The fields of how a feed is read, when, and who is told.
 * @param {Values} [feed] as the service describes it; none for a new one
 */
export function feedFields(feed = {}) {
  const { mapping = {}, access, format, options, schedule, webhook } = feed;
  const columns = group(MAPPING, mapping);
  const secrets = group(ACCESS, { userAgent: access?.userAgent, referer: access?.referer });
  const runs = group(RUNS, {
    format: format === 'auto' ? '' : format,
    quality: options?.quality ?? 'balanced',
    schedule,
    webhook: webhook?.url,
  });
  const none = h('input', { type: 'checkbox' });
  return {
    node: h(
      'div.stack',
      part(say('fields.mapping'), columns.node),
      part(say('fields.secrets'), [
        access && h('p.fine', accessNote(access)),
        access && h('label.checkbox', none, ' ', say('fields.remove')),
        ...secrets.node,
      ]),
      part(say('fields.runs'), runs.node),
    ),
    suggest: columns.suggest,
    /** What differs from the feed: null where it is removed. @returns {Values} */
    read() {
      const now = runs.read();
      /** @param {Values} values */
      const orNull = (values) => (Object.keys(values).length > 0 ? values : null);
      return {
        ...(columns.isChanged() && { mapping: orNull(columns.read()) }),
        ...(secrets.isChanged() && { access: orNull(secrets.read()) }),
        ...(none.checked && { access: null }),
        ...(runs.isChanged() && {
          format: now.format ?? 'auto',
          options: { quality: now.quality },
          schedule: now.schedule ?? null,
          webhook: now.webhook ? { url: now.webhook } : null,
        }),
      };
    },
  };
}
