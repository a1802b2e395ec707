/**
 * A garment of the wardrobe. The wardrobe is stored in this browser only: the service stores nothing of it.
 * @typedef {object} Garment
 * @property {string} id
 * @property {{id: string, category: string, [more: string]: unknown}} item as the outfit engine takes it
 * @property {string} label
 * @property {Blob} picture the trimmed cut-out
 */

const STORE = 'garments';

/** Dispatches `changed` when garments are added or removed. */
export const wardrobe = new EventTarget();

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @type {Promise<IDBDatabase> | undefined} */
let database;

function open() {
  const request = indexedDB.open('selvage', 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' });
  return resultOf(request);
}

/** @param {IDBTransactionMode} mode */
async function objectStore(mode) {
  database ??= open();
  return (await database).transaction(STORE, mode).objectStore(STORE);
}

const notify = () => wardrobe.dispatchEvent(new Event('changed'));

/** @returns {Promise<Garment[]>} */
export const listGarments = async () => resultOf((await objectStore('readonly')).getAll());

/** @param {...Garment} garments */
export async function addGarments(...garments) {
  const garmentStore = await objectStore('readwrite');
  await Promise.all(garments.map((garment) => resultOf(garmentStore.put(garment))));
  notify();
}

/** @param {string} id */
export async function removeGarment(id) {
  await resultOf((await objectStore('readwrite')).delete(id));
  notify();
}

export async function clearWardrobe() {
  await resultOf((await objectStore('readwrite')).clear());
  notify();
}
