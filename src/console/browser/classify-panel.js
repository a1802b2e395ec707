import { callJson, formOf } from './api.js';
import { readDictionary } from './dictionary.js';
import { announce, fill, focusIfLost, h } from './element.js';
import { errorBox } from './error-box.js';
import { trim } from './image-files.js';
import { formatNumber, formatPercent, say } from './texts.js';
import { addGarments, newId } from './wardrobe-store.js';

/** @typedef {import('./upload.js').Upload} Upload */

/** @param {number} confidence 0..1 */
const confidenceBar = (confidence) =>
  h(
    'div.confidence',
    h('div.progress', { 'aria-hidden': true }, h('span.is-active', { '--share': confidence })),
    h('span.fine', say('garment.confidence', { share: formatPercent(confidence) })),
  );

/** @param {{hex?: string, family: string, share?: number}[]} colours @param {(id: string) => string} labelOf */
const swatches = (colours, labelOf) =>
  h(
    'ul.swatches',
    { 'aria-label': say('garment.colours') },
    colours.map(({ hex, family, share }) =>
      h(
        'li',
        h('span.swatch', { '--swatch': hex }),
        `${labelOf(family)}${share === undefined ? '' : ` ${formatPercent(share)}`}`,
      ),
    ),
  );

/** @param {{clo: number, min: number, max: number, sources: {table: string, entry?: string, note?: string}[]}} insulation */
function warmth({ clo, min, max, sources }) {
  const [source] = sources;
  const origin = source
    ? `${source.table}: ${source.entry ?? source.note ?? ''}`
    : say('garment.cloDefault');
  return [
    h('dt', say('garment.warmth')),
    h(
      'dd',
      say('garment.clo', {
        clo: formatNumber(clo, 2),
        min: formatNumber(min, 2),
        max: formatNumber(max, 2),
      }),
      h('span.fine', h('br'), origin),
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
  const { categories: all, labelOf } = await readDictionary();
  const choice = h(
    'select',
    all.map(({ id, label }) => h('option', { value: id, selected: id === best }, label)),
  );
  const button = h('button.primary', { onclick: add }, say('garment.add'));

  async function add() {
    const id = newId();
    const label = choice.selectedOptions[0]?.textContent ?? choice.value;
    const picture = await trim(/** @type {Blob} */ (upload.cutOut));
    await addGarments({ id, label, picture, item: toItem(classification, choice.value, id) });
    button.disabled = true;
    button.textContent = say('garment.added');
    button.after(h('a.button', { href: '#/outfits' }, say('garment.wear')));
    announce(say('garment.isAdded', { name: label }));
  }

  const { category, insulation, review, attributes, warnings } = classification;
  return [
    h('p.category-name', category?.label ?? say('garment.unknown')),
    category && confidenceBar(category.confidence),
    attributes.colors.length > 0 && swatches(attributes.colors, labelOf),
    insulation && h('dl.facts', warmth(insulation)),
    review.explanation.map((/** @type {{text: string}} */ { text }) => h('p.fine', `${text}.`)),
    warnings.map((/** @type {string} */ warning) => h('p.fine', warning)),
    h('label.field', say('garment.category'), choice),
    h('div.buttons', button),
  ];
}

/**
 * Classifies the garment and adds it to the wardrobe.
 * @param {Upload} upload
 */
export function classifyPanel(upload) {
  const panel = h('section.panel.stack', { 'aria-label': say('garment.classification') });

  async function classify() {
    fill(panel, h('p.fine', say('garment.classifying')), h('div.working'));
    try {
      const body = formOf({ image: upload.cutOut });
      const classification = await callJson('/taxonomy/v1/taxonomy', { method: 'POST', body });
      const { category } = classification;
      fill(panel, (await resultView(upload, classification)).flat());
      focusIfLost(panel.querySelector('button'));
      announce(category ? say('garment.is', { name: category.label }) : say('garment.unknown'));
    } catch (error) {
      fill(panel, errorBox(error), button);
    }
  }

  const button = h('button', { onclick: classify }, say('garment.classify'));
  panel.append(h('p.fine', say('garment.lead')), button);
  return panel;
}
