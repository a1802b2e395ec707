import { callJson } from './api.js';
import { announce, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { trim } from './image-files.js';
import { addGarments } from './wardrobe-store.js';

/** @typedef {import('./upload.js').Upload} Upload */

/** @type {Promise<{id: string, label: string, group: string}[]> | undefined} */
let loading;

/** Loads every category of the dictionary once, for corrections by hand. */
function categories() {
  loading ??= callJson('/taxonomy/v1/options?sections=categories').then(
    (response) => response.categories,
  );
  return loading;
}

/** @type {Readonly<Record<string, string>>} */
const REVIEW = {
  'low-confidence': 'The category is uncertain: please check it.',
  'image-text-disagree': 'Photo and text disagree.',
  'text-category-disagree': 'Title and category disagree.',
  'language-not-supported': 'The text is in a language that is not supported.',
  'not-a-garment': 'It does not look like a garment.',
  'multiple-garments': 'There seems to be more than one garment.',
  'too-small': 'The image is very small.',
  'colour-mismatch': 'Photo and text disagree about the colour.',
  'material-missing': 'The material is unknown; knowing it would make the warmth more accurate.',
};

/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)} %`;

/** @param {number} confidence 0..1 */
const confidenceBar = (confidence) =>
  h(
    'div',
    { class: 'confidence' },
    h(
      'div',
      { class: 'progress', 'aria-hidden': true },
      h('span', { class: 'is-active', '--share': confidence }),
    ),
    h('span', { class: 'fine' }, `${percent(confidence)} confidence`),
  );

/** @param {{hex?: string, family: string, share?: number}[]} colours */
const swatches = (colours) =>
  h(
    'ul',
    { class: 'swatches', 'aria-label': 'Colours' },
    colours.map(({ hex, family, share }) =>
      h(
        'li',
        {},
        h('span', { class: 'swatch', '--swatch': hex }),
        `${family.replaceAll('_', ' ')}${share === undefined ? '' : ` ${percent(share)}`}`,
      ),
    ),
  );

/** @param {{clo: number, min: number, max: number, sources: {table: string, entry?: string, note?: string}[]}} insulation */
function warmth({ clo, min, max, sources }) {
  const [source] = sources;
  const origin = source ? `${source.table}: ${source.entry ?? source.note ?? ''}` : 'default value';
  return [
    h('dt', {}, 'Warmth'),
    h(
      'dd',
      {},
      `${clo.toFixed(2)} clo (${min.toFixed(2)} to ${max.toFixed(2)})`,
      h('span', { class: 'fine' }, h('br'), origin),
    ),
  ];
}

/**
 * Returns the item for the outfit engine: as classified, unless a person chose another category.
 * @param {any} classification
 * @param {string} category
 * @param {string} id
 */
function toItem({ wardrobeItem, attributes }, category, id) {
  if (wardrobeItem?.category === category) return { ...wardrobeItem, id };
  const colors = attributes.colors.map((/** @type {any} */ { hex, family, share }) => ({
    family,
    ...(hex && { hex }),
    ...(share !== undefined && { share }),
  }));
  return { id, category, colors };
}

/** @param {Upload} upload @param {any} classification */
async function resultView(upload, classification) {
  const best = classification.category?.id ?? classification.topK[0]?.id ?? '';
  const all = await categories();
  const choice = h(
    'select',
    {},
    all.map(({ id, label }) => h('option', { value: id, selected: id === best }, label)),
  );
  const button = h('button', { class: 'primary', type: 'button', onclick: add }, 'Add to wardrobe');

  async function add() {
    // Not randomUUID: browsers have it over TLS and on localhost only.
    const id = `photo-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`;
    const label = choice.selectedOptions[0]?.textContent ?? choice.value;
    const picture = await trim(/** @type {Blob} */ (upload.cutOut));
    await addGarments({ id, label, picture, item: toItem(classification, choice.value, id) });
    button.disabled = true;
    button.textContent = 'In your wardrobe';
    button.after(h('a', { href: '#/outfits', class: 'button' }, 'See what to wear with it'));
    announce(`${label} is in your wardrobe`);
  }

  const { category, insulation, review, attributes, warnings } = classification;
  return [
    h('p', { class: 'category-name' }, category?.label ?? 'Category unknown'),
    category && confidenceBar(category.confidence),
    attributes.colors.length > 0 && swatches(attributes.colors),
    insulation && h('dl', { class: 'facts' }, warmth(insulation)),
    [...review.reasons, ...warnings].map((reason) =>
      h('p', { class: 'fine' }, REVIEW[reason] ?? reason),
    ),
    h('label', { class: 'field' }, 'Category', choice),
    h('div', { class: 'buttons' }, button),
  ];
}

/**
 * Classifies the garment and adds it to the wardrobe.
 * @param {Upload} upload
 */
export function classifyPanel(upload) {
  const panel = h('section', { class: 'panel stack', 'aria-label': 'Classification' });

  async function classify() {
    fill(panel, h('p', { class: 'fine' }, 'Classifying …'), h('div', { class: 'working' }));
    const body = new FormData();
    body.append('image', /** @type {Blob} */ (upload.cutOut), 'cut-out.png');
    try {
      const classification = await callJson('/taxonomy/v1/taxonomy', { method: 'POST', body });
      const { category } = classification;
      fill(panel, (await resultView(upload, classification)).flat());
      panel.querySelector('button')?.focus();
      announce(category ? `Category: ${category.label}` : 'Category unknown');
    } catch (error) {
      fill(panel, errorBox(error), button);
    }
  }

  const button = h('button', { type: 'button', onclick: classify }, 'Classify garment');
  panel.append(
    h('p', { class: 'fine' }, 'Detects the category, colours and warmth of the garment.'),
    button,
  );
  return panel;
}
