import { h } from './element.js';
import { urlOf } from './image-files.js';
import { pinButton } from './pins.js';

/** @typedef {import('./wardrobe-store.js').Garment} Garment */

/** Slots in drawing order, the lowest layer first. */
const SLOT_ORDER = [
  'underTop',
  'underBottom',
  'main',
  'bottom',
  'over',
  'mid',
  'outer',
  'socks',
  'shoes',
  'head',
  'neck',
  'hands',
  'belt',
  'tie',
  'eyes',
  'bag',
];

/** @param {Garment} garment */
export const imageUrl = ({ picture }) => urlOf(picture);

/** @param {Garment} garment @param {string} [slot] */
const wornItem = (garment, slot) =>
  h('img.worn-item', { 'data-slot': slot, src: imageUrl(garment), alt: garment.label });

/** @param {Garment} garment @param {string} slot */
const pinnableItem = (garment, slot) =>
  pinButton(
    garment,
    { class: 'worn-item', 'data-slot': slot },
    h('img', { 'data-slot': slot, src: imageUrl(garment), alt: garment.label }),
  );

/**
 * Draws an outfit as a flat lay.
 * @param {{slots: Record<string, string>, form: string}} outfit
 * @param {ReadonlyMap<string, Garment>} wardrobe
 * @param {{canPin?: boolean}} [options] `canPin`: a click on a garment pins it
 */
export function flatLay({ slots, form }, wardrobe, { canPin = false } = {}) {
  const worn = SLOT_ORDER.flatMap((slot) => {
    const garment = wardrobe.get(slots[slot] ?? '');
    if (!garment) return [];
    return [canPin ? pinnableItem(garment, slot) : wornItem(garment, slot)];
  });
  const filled = Object.keys(slots).join(' ');
  return h('div.flat-lay', { 'data-form': form, 'data-slots': filled }, worn);
}

/**
 * Lists what to add outside.
 * @param {{items: {itemId: string}[], addIds: string[]}} shell
 * @param {ReadonlyMap<string, Garment>} wardrobe
 */
export function shellItems({ items, addIds }, wardrobe) {
  const ids = [...items.slice(0, 1).map(({ itemId }) => itemId), ...addIds];
  return ids.flatMap((id) => {
    const garment = wardrobe.get(id);
    return garment ? [h('li', wornItem(garment), h('span.fine', garment.label))] : [];
  });
}
