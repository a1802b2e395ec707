import { ApiError, callJson, callWithRetry, formOf } from '../api.js';

/** @typedef {import('./rows.js').Row} Row */

/** Cut-outs that are retained; the oldest ones are dropped. */
const MAX_RETAINED = 20;
/** Options that say what is cut out, not how it is drawn. */
const CUTTING = ['quality', 'subject', 'roi', 'alpha'];

const backgroundGone = () => new ApiError({ type: 'cannot-mend' });

/**
 * Makes cut-outs of whole photos, for rows whose own are drawn with a crop or a background.
 * @param {string} path of the batch or run
 */
export function createWholeCutOuts(path) {
  /** By the sha256 of the drawn cut-out. @type {Map<string, Blob>} */
  const mended = new Map();

  /** @returns {Promise<Record<string, unknown>>} those of the batch or feed */
  const readOptions = async () =>
    (await callJson(path.replace(/\/runs\/[^/]+$/, ''))).options ?? {};

  /** @param {Blob} photo */
  async function make(photo) {
    const options = await readOptions();
    if (options.backgroundImageUrl !== undefined) throw backgroundGone();
    const cutting = Object.fromEntries(CUTTING.map((name) => [name, options[name]]));
    const request = { method: 'POST', body: formOf({ ...cutting, image: photo }) };
    return (await callWithRetry('/bg/v1/background-removals', request, () => {})).blob();
  }

  return {
    /**
     * Returns the present cut-out of the whole photo; for one that was mended elsewhere, the first.
     * @param {Row} row @param {Blob} photo
     * @throws {ApiError} `cannot-mend`
     */
    async get({ cutout, refinements = 0 }, photo) {
      const present = mended.get(cutout.sha256);
      return { blob: present ?? (await make(photo)), isFirst: !present && refinements > 0 };
    },
    /** @param {Row} row as it is mended @param {Blob} whole */
    remember({ cutout }, whole) {
      mended.set(cutout.sha256, whole);
      for (const oldest of mended.keys()) {
        if (mended.size <= MAX_RETAINED) break;
        mended.delete(oldest);
      }
    },
  };
}

/** @typedef {ReturnType<typeof createWholeCutOuts>} WholeCutOuts */
