/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * Records that this browser keeps, by their `id`, in the order of it.
 * @template {{id: string}} T
 */
export class Shelf {
  #databaseName;
  #store;
  /** @type {Promise<IDBDatabase> | undefined} */
  #database;

  /** @param {string} databaseName @param {string} store */
  constructor(databaseName, store) {
    this.#databaseName = databaseName;
    this.#store = store;
  }

  /** @returns {Promise<T[]>} */
  async all() {
    const database = await this.#open();
    return resultOf(database.transaction(this.#store).objectStore(this.#store).getAll());
  }

  /** @param {...T} records */
  put(...records) {
    return this.#change((store) => {
      for (const record of records) store.put(record);
    });
  }

  /** @param {...string} ids */
  remove(...ids) {
    return this.#change((store) => {
      for (const id of ids) store.delete(id);
    });
  }

  clear() {
    return this.#change((store) => void store.clear());
  }

  #open() {
    if (!this.#database) {
      const request = indexedDB.open(this.#databaseName, 1);
      request.onupgradeneeded = () =>
        request.result.createObjectStore(this.#store, { keyPath: 'id' });
      this.#database = resultOf(request);
    }
    return this.#database;
  }

  /** Only a completed transaction is stored: a full storage is noticed at its end. @param {(store: IDBObjectStore) => void} act */
  async #change(act) {
    const transaction = (await this.#open()).transaction(this.#store, 'readwrite');
    const completed = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    act(transaction.objectStore(this.#store));
    await completed;
  }
}
