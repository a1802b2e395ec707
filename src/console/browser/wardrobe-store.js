/**
 * The wardrobe lives in this browser and nowhere else: the service keeps none.
 * @typedef {object} Garment
 * @property {string} id
 * @property {{id: string, category: string, [more: string]: unknown}} item as the outfit engine takes it
 * @property {string} label
 * @property {Blob} picture the cut-out, trimmed
 */

const STORE = 'garments';

/** Told `changed` when garments come or go. */
export const wardrobe = new EventTarget();

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @type {Promise<IDBDatabase> | undefined} */
let opening;

function open() {
  const request = indexedDB.open('selvage', 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' });
  return done(request);
}

/** @param {IDBTransactionMode} mode */
async function store(mode) {
  opening ??= open();
  return (await opening).transaction(STORE, mode).objectStore(STORE);
}

const tell = () => wardrobe.dispatchEvent(new Event('changed'));

/** @returns {Promise<Garment[]>} */
export const garments = async () => done((await store('readonly')).getAll());

/** @param {...Garment} more */
export async function addGarments(...more) {
  const garmentStore = await store('readwrite');
  await Promise.all(more.map((garment) => done(garmentStore.put(garment))));
  tell();
}

/** @param {string} id */
export async function dropGarment(id) {
  await done((await store('readwrite')).delete(id));
  tell();
}

export async function emptyWardrobe() {
  await done((await store('readwrite')).clear());
  tell();
}
