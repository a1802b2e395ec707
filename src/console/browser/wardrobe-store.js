import { Shelf } from './shelf.js';

/**
 * A garment of the wardrobe. The wardrobe is stored in this browser only: the service stores nothing of it.
 * @typedef {object} Garment
 * @property {string} id
 * @property {{id: string, category: string, [more: string]: unknown}} item as the outfit engine takes it
 * @property {string} label
 * @property {Blob} picture the trimmed cut-out
 */

/** @type {Shelf<Garment>} */
const shelf = new Shelf('selvage', 'garments');

/** Dispatches `changed` when garments are added or removed. */
export const wardrobe = new EventTarget();

/** The id of a new garment. Not randomUUID: browsers have it over TLS and on localhost only. */
export const newId = () => `photo-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`;

const notify = () => wardrobe.dispatchEvent(new Event('changed'));

export const listGarments = () => shelf.all();

/** @param {...Garment} garments */
export async function addGarments(...garments) {
  await shelf.put(...garments);
  notify();
}

/** @param {string} id */
export async function removeGarment(id) {
  await shelf.remove(id);
  notify();
}

export async function clearWardrobe() {
  await shelf.clear();
  notify();
}
