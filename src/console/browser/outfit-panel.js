import { callWithRetry } from './api.js';
import { announce, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { trim } from './image-files.js';
import { readStoredZip } from './stored-zip.js';
import { addGarments } from './wardrobe-store.js';

/** @typedef {import('./upload.js').Upload} Upload */

/**
 * @typedef {object} OutfitGarment a garment of the photo
 * @property {string} label
 * @property {Blob} picture
 * @property {any} item as the outfit engine takes it; null if its category is not certain
 * @property {boolean} occluded
 */

/** @type {Readonly<Record<string, string>>} */
const REVIEW = {
  'no-garment': 'No garment was found.',
  'several-people': 'There are several people; these are the garments of the largest.',
  'too-small': 'The photo is too small to tell garments apart well.',
  'garments-unsure': 'It is not certain which garments these are.',
  'category-guessed': 'The kind of some garments is a guess.',
};

/** @param {string} group such as `trousers_jeans` */
const groupLabel = (group) => group.replaceAll('_', ' ');

/** @param {ArrayBuffer} archive @returns {{garments: OutfitGarment[], reasons: string[]}} */
function readOutfit(archive) {
  const files = readStoredZip(archive);
  const outfit = JSON.parse(new TextDecoder().decode(files.get('garments.json')));
  const garments = outfit.garments.map(
    (/** @type {any} */ { group, occluded, classification, cutout }) => ({
      label: classification.category?.label ?? groupLabel(group),
      picture: new Blob([files.get(cutout.file) ?? new Uint8Array()], { type: 'image/png' }),
      item: classification.wardrobeItem,
      occluded,
    }),
  );
  return { garments, reasons: outfit.review.reasons };
}

/** @param {OutfitGarment} garment */
const tile = ({ label, picture, item, occluded }) =>
  h(
    'li',
    { class: 'garment' },
    h(
      'div',
      { class: 'garment-picture' },
      h('img', { src: URL.createObjectURL(picture), alt: '' }),
    ),
    h('span', {}, label),
    !item && h('span', { class: 'fine' }, 'Category unknown'),
    occluded && h('span', { class: 'fine' }, 'Partly hidden'),
  );

/** @param {OutfitGarment} garment */
async function toWardrobe({ label, picture, item }) {
  // Not randomUUID: browsers have it over TLS and on localhost only.
  const id = `photo-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`;
  return { id, label, picture: await trim(picture), item: { ...item, id } };
}

/** @param {OutfitGarment[]} garments */
function addControls(garments) {
  const known = garments.filter(({ item }) => item);
  const isAll = known.length === garments.length;
  const button = h(
    'button',
    { class: 'primary', type: 'button', onclick: add },
    `Add ${isAll ? 'all' : `${known.length} of ${garments.length}`} to wardrobe`,
  );
  async function add() {
    button.disabled = true;
    await addGarments(...(await Promise.all(known.map(toWardrobe))));
    button.textContent = 'In your wardrobe';
    button.after(h('a', { href: '#/outfits', class: 'button' }, 'See what to wear with them'));
    announce(`${known.length} garments are in your wardrobe`);
  }
  const note = h('p', { class: 'fine' }, 'What has no known category stays out of the wardrobe.');
  return [known.length > 0 && h('div', { class: 'buttons' }, button), !isAll && note];
}

/**
 * Separates the garments of the photo, and adds them to the wardrobe.
 * @param {Upload} upload
 */
export function outfitPanel(upload) {
  const panel = h('section', { class: 'panel stack', 'aria-label': 'Garments' });

  async function split() {
    fill(panel, h('p', { class: 'fine' }, 'Splitting …'), h('div', { class: 'working' }));
    const body = new FormData();
    body.append('cutouts', 'true');
    body.append('image', upload.photo, upload.photo.name);
    try {
      const request = { method: 'POST', body };
      const response = await callWithRetry('/taxonomy/v1/garments', request, () => {});
      const { garments, reasons } = readOutfit(await response.arrayBuffer());
      fill(
        panel,
        h('h2', {}, 'Garments'),
        h('ul', { class: 'wardrobe' }, garments.map(tile)),
        reasons.map((reason) => REVIEW[reason] && h('p', { class: 'fine' }, REVIEW[reason])),
        addControls(garments),
      );
      panel.querySelector('button')?.focus();
      announce(`${garments.length} garments`);
    } catch (error) {
      fill(panel, errorBox(error), button);
    }
  }

  const button = h('button', { type: 'button', onclick: split }, 'Split this outfit');
  panel.append(
    h(
      'p',
      { class: 'fine' },
      'Finds every garment that somebody wears, each with its own cut-out.',
    ),
    button,
  );
  return panel;
}
