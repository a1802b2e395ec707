import { ApiError, callWithRetry, pathOf } from '../api.js';
import { thumbnail } from '../image-files.js';
import { findPhoto } from './local-photos.js';

/** @typedef {import('./rows.js').Row} Row */

const THUMBNAIL_PIXELS = 280;
/** Cut-outs that are fetched at once for the grid. */
const MAX_CONCURRENT = 4;
/** Object URLs that are retained; the oldest ones are released. */
const MAX_CACHED = { thumbnails: 600, cutOuts: 12, photos: 12 };

/**
 * A store of a few pictures by key, each made once.
 * @param {number} max
 */
function createCache(max) {
  /** @type {Map<string, {blob: Blob, url: string}>} */
  const known = new Map();
  /** @type {Map<string, Promise<Blob>>} */
  const making = new Map();

  /** @param {string} key @param {() => Promise<Blob>} make */
  function makeOnce(key, make) {
    const blob = making.get(key) ?? make().finally(() => making.delete(key));
    making.set(key, blob);
    return blob;
  }

  return {
    /** @param {string} key @param {() => Promise<Blob>} make */
    async get(key, make) {
      let found = known.get(key);
      if (!found) {
        const blob = await makeOnce(key, make);
        found = known.get(key) ?? { blob, url: URL.createObjectURL(blob) };
      }
      known.delete(key);
      known.set(key, found);
      for (const [oldest, { url }] of known) {
        if (known.size <= max) break;
        URL.revokeObjectURL(url);
        known.delete(oldest);
      }
      return found;
    },
    /** @param {string} key */
    has: (key) => known.has(key),
  };
}

/** Runs few tasks at once, the latest first: what a person has scrolled to comes before what they have passed. */
function createLine() {
  /** @type {(() => void)[]} */
  const waiting = [];
  let active = 0;
  /** @template T @param {() => Promise<T>} task @param {AbortSignal} signal @returns {Promise<T>} */
  return async (task, signal) => {
    if (active >= MAX_CONCURRENT) {
      await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    }
    active++;
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      active--;
      waiting.pop()?.();
    }
  };
}

const replaced = () => new ApiError({ type: 'replaced' });

/** Fetches the pictures of rows. @param {string} path of the batch or run */
export function createPictures(path) {
  const thumbnails = createCache(MAX_CACHED.thumbnails);
  const cutOuts = createCache(MAX_CACHED.cutOuts);
  const photos = createCache(MAX_CACHED.photos);
  const inLine = createLine();

  /** Waits while the rate of the key is used up. @param {string} url @param {AbortSignal} [signal] */
  const fetchBlob = async (url, signal) =>
    (await callWithRetry(url, signal ? { signal } : {}, () => {})).blob();

  /** @param {Row} row @param {AbortSignal} [signal] */
  async function fetchCutOut({ cutout: { url } }, signal) {
    if (url === undefined) throw replaced();
    return fetchBlob(pathOf(url), signal);
  }

  return {
    /** @param {Row} row @param {AbortSignal} signal */
    thumbnail(row, signal) {
      const { sha256 } = row.cutout;
      const make = async () => thumbnail(await fetchCutOut(row, signal), THUMBNAIL_PIXELS);
      return thumbnails.has(sha256)
        ? thumbnails.get(sha256, make)
        : inLine(() => thumbnails.get(sha256, make), signal);
    },

    /** @param {Row} row */
    cutOut: (row) => cutOuts.get(row.cutout.sha256, () => fetchCutOut(row)),

    /**
     * Returns the photo: the file that was chosen here, else the one behind the row's link.
     * @param {Row} row
     * @throws {ApiError} `gone` if it has to be chosen
     */
    photo(row) {
      const file = findPhoto(path, row);
      const key = file ? `${row.row} ${file.name} ${file.lastModified} ${file.size}` : `${row.row}`;
      return photos.get(key, async () => file ?? fetchBlob(`${row.links.self}/photo`));
    },
  };
}

/** @typedef {ReturnType<typeof createPictures>} Pictures */
