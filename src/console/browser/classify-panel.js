import { callJson } from './api.js';
import { fill, h, say } from './element.js';
import { faultBox } from './fault-box.js';
import { trimmed } from './pictures.js';
import { addGarments } from './wardrobe-store.js';

/** @typedef {import('./shot.js').Shot} Shot */

/** @type {Promise<{id: string, label: string, group: string}[]> | undefined} */
let asking;

/** Every category the dictionary has, for who knows better. */
function categories() {
  asking ??= callJson('/taxonomy/v1/options?sections=categories').then(
    (answer) => answer.categories,
  );
  return asking;
}

/** @type {Readonly<Record<string, string>>} */
const REVIEW = {
  'low-confidence': 'It could be something else: please check the name.',
  'image-text-disagree': 'Photo and text say different things.',
  'not-a-garment': 'It does not look like a garment.',
  'multiple-garments': 'There seems to be more than one garment.',
  'too-small': 'The picture is very small.',
  'colour-mismatch': 'Photo and text say different colours.',
  'material-missing': 'Nothing is known of the material; a label would make the warmth surer.',
};

/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)} %`;

/** @param {{value: number, words: string}} of */
const bar = ({ value, words }) =>
  h(
    'div',
    { class: 'sure' },
    h(
      'div',
      { class: 'progress', 'aria-hidden': true },
      h('span', { class: 'is-active', '--share': value }),
    ),
    h('span', { class: 'fine' }, words),
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
  const from = source ? `${source.table}: ${source.entry ?? source.note ?? ''}` : 'usual value';
  return [
    h('dt', {}, 'Warmth'),
    h(
      'dd',
      {},
      `${clo.toFixed(2)} clo (${min.toFixed(2)} to ${max.toFixed(2)})`,
      h('span', { class: 'fine' }, h('br'), from),
    ),
  ];
}

/**
 * The garment as it is kept: what was classified, unless a person chose another category.
 * @param {any} seen
 * @param {string} category
 * @param {string} id
 */
function itemOf(seen, category, id) {
  const { wardrobeItem, attributes } = seen;
  if (wardrobeItem?.category === category) return { ...wardrobeItem, id };
  const colors = attributes.colors.map((/** @type {any} */ { hex, family, share }) => ({
    family,
    ...(hex && { hex }),
    ...(share !== undefined && { share }),
  }));
  return { id, category, colors };
}

/** @param {Shot} shot @param {any} seen */
async function answerOf(shot, seen) {
  const best = seen.category?.id ?? seen.topK[0]?.id ?? '';
  const known = await categories();
  const choice = h(
    'select',
    {},
    known.map(({ id, label }) => h('option', { value: id, selected: id === best }, label)),
  );
  const button = h('button', { class: 'primary', type: 'button', onclick: add }, 'Add to wardrobe');

  async function add() {
    // Not randomUUID: that is there by TLS and on this very machine only.
    const id = `photo-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`;
    const label = choice.selectedOptions[0]?.textContent ?? choice.value;
    const picture = await trimmed(/** @type {Blob} */ (shot.cutOut));
    await addGarments({ id, label, picture, item: itemOf(seen, choice.value, id) });
    button.disabled = true;
    button.textContent = 'In your wardrobe';
    button.after(h('a', { href: '#/outfits', class: 'button' }, 'See what to wear with it'));
    say(`${label} is in your wardrobe`);
  }

  const { category, insulation, review, attributes, warnings } = seen;
  return [
    h('p', { class: 'named' }, category?.label ?? 'Not sure what this is'),
    category && bar({ value: category.confidence, words: `${percent(category.confidence)} sure` }),
    attributes.colors.length > 0 && swatches(attributes.colors),
    insulation && h('dl', { class: 'facts' }, warmth(insulation)),
    [...review.reasons, ...warnings].map((reason) =>
      h('p', { class: 'fine' }, REVIEW[reason] ?? reason),
    ),
    h('label', { class: 'field' }, 'Kept as', choice),
    h('div', { class: 'buttons' }, button),
  ];
}

/**
 * Says what garment it is, and takes it into the wardrobe.
 * @param {Shot} shot
 */
export function nameIt(shot) {
  const panel = h('section', { class: 'panel stack', 'aria-label': 'Name of the garment' });

  async function ask() {
    fill(panel, h('p', { class: 'fine' }, 'Looking at it …'), h('div', { class: 'working' }));
    const body = new FormData();
    body.append('image', /** @type {Blob} */ (shot.cutOut), 'cut-out.png');
    try {
      const seen = await callJson('/taxonomy/v1/taxonomy', { method: 'POST', body });
      fill(panel, (await answerOf(shot, seen)).flat());
      panel.querySelector('button')?.focus();
      say(seen.category ? `It is a ${seen.category.label}` : 'Not sure what this is');
    } catch (error) {
      fill(panel, faultBox(error), button);
    }
  }

  const button = h('button', { type: 'button', onclick: ask }, 'Name it');
  panel.append(
    h('p', { class: 'fine' }, 'Which garment is it, of what colours, and how warm?'),
    button,
  );
  return panel;
}
