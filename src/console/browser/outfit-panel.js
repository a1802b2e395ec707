import { callWithRetry, formOf } from './api.js';
import { readDictionary } from './dictionary.js';
import { announce, fill, focusIfLost, h } from './element.js';
import { errorBox } from './error-box.js';
import { trim } from './image-files.js';
import { readStoredZip } from './stored-zip.js';
import { say, textOf } from './texts.js';
import { addGarments, newId } from './wardrobe-store.js';

/** @typedef {import('./upload.js').Upload} Upload */

/**
 * @typedef {object} OutfitGarment a garment of the photo
 * @property {string} label
 * @property {Blob} picture
 * @property {any} item as the outfit engine takes it; null if its category is not certain
 * @property {boolean} occluded
 */

/** @param {ArrayBuffer} archive @returns {Promise<{garments: OutfitGarment[], reasons: string[]}>} */
async function readOutfit(archive) {
  const { labelOf } = await readDictionary();
  const files = readStoredZip(archive);
  const outfit = JSON.parse(new TextDecoder().decode(files.get('garments.json')));
  const garments = outfit.garments.map(
    (/** @type {any} */ { group, occluded, classification, cutout }) => ({
      label: classification.category?.label ?? labelOf(group),
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
    'li.garment',
    h('div.garment-picture', h('img', { src: URL.createObjectURL(picture), alt: '' })),
    h('span', label),
    !item && h('span.fine', say('garment.unknown')),
    occluded && h('span.fine', say('garment.hidden')),
  );

/** @param {OutfitGarment} garment */
async function toWardrobe({ label, picture, item }) {
  const id = newId();
  return { id, label, picture: await trim(picture), item: { ...item, id } };
}

/** @param {OutfitGarment[]} garments */
function addControls(garments) {
  const known = garments.filter(({ item }) => item);
  const isAll = known.length === garments.length;
  const button = h(
    'button.primary',
    { onclick: add },
    isAll
      ? say('garments.addAll')
      : say('garments.addSome', { known: known.length, count: garments.length }),
  );
  async function add() {
    button.disabled = true;
    await addGarments(...(await Promise.all(known.map(toWardrobe))));
    button.textContent = say('garment.added');
    button.after(h('a.button', { href: '#/outfits' }, say('garments.wear')));
    announce(say('garments.added', { count: known.length }));
  }
  const note = h('p.fine', say('garments.leftOut'));
  return [known.length > 0 && h('div.buttons', button), !isAll && note];
}

/**
 * Separates the garments of the photo, and adds them to the wardrobe.
 * @param {Upload} upload
 */
export function outfitPanel(upload) {
  const panel = h('section.panel.stack', { 'aria-label': say('garments.title') });

  async function split() {
    fill(panel, h('p.fine', say('garments.splitting')), h('div.working'));
    try {
      const request = { method: 'POST', body: formOf({ cutouts: true, image: upload.photo }) };
      const response = await callWithRetry('/taxonomy/v1/garments', request, () => {});
      const { garments, reasons } = await readOutfit(await response.arrayBuffer());
      fill(
        panel,
        h('h2', say('garments.title')),
        h('ul.wardrobe', garments.map(tile)),
        reasons.map((reason) => h('p.fine', textOf(`garments.${reason}`))),
        addControls(garments),
      );
      focusIfLost(panel.querySelector('button'));
      announce(say('garments.found', { count: garments.length }));
    } catch (error) {
      fill(panel, errorBox(error), button);
    }
  }

  const button = h('button', { onclick: split }, say('garments.split'));
  panel.append(h('p.fine', say('garments.lead')), button);
  return panel;
}
