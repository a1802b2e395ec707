import { h } from './element.js';

/** @typedef {import('./wardrobe-store.js').Garment} Garment */

/** Garments lie over one another in this order, the undermost first. */
const ORDER = [
  ...['underTop', 'underBottom', 'main', 'bottom', 'over', 'mid', 'outer'],
  ...['socks', 'shoes', 'head', 'neck', 'hands'],
];

/** Pictures of garments, kept while the page is open. @type {WeakMap<Blob, string>} */
const addresses = new WeakMap();

/** @param {Garment} garment */
export function pictureOf({ picture }) {
  const known = addresses.get(picture) ?? URL.createObjectURL(picture);
  addresses.set(picture, known);
  return known;
}

/** @param {Garment} garment @param {string} [slot] */
const piece = (garment, slot) =>
  h('img', { class: 'piece', 'data-slot': slot, src: pictureOf(garment), alt: garment.label });

/**
 * An outfit laid out as it is worn.
 * @param {{slots: Record<string, string>, form: string}} outfit
 * @param {ReadonlyMap<string, Garment>} wardrobe
 */
export function layFlat({ slots, form }, wardrobe) {
  const worn = ORDER.flatMap((slot) => {
    const garment = wardrobe.get(slots[slot] ?? '');
    return garment ? [piece(garment, slot)] : [];
  });
  const has = Object.keys(slots).join(' ');
  return h('div', { class: 'flat', 'data-form': form, 'data-has': has }, worn);
}

/**
 * What to put on for outside.
 * @param {{items: {itemId: string}[], addIds: string[]}} shell
 * @param {ReadonlyMap<string, Garment>} wardrobe
 */
export function shellPieces({ items, addIds }, wardrobe) {
  const ids = [...items.slice(0, 1).map(({ itemId }) => itemId), ...addIds];
  return ids.flatMap((id) => {
    const garment = wardrobe.get(id);
    return garment
      ? [h('li', {}, piece(garment), h('span', { class: 'fine' }, garment.label))]
      : [];
  });
}
