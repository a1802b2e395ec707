import { callJson } from '../api.js';
import { openBrush } from '../mend/brush.js';
import { nameOf } from './words.js';

/** @typedef {import('./rows.js').Row} Row */

/**
 * Opens the brush over the cut-out of a row. Its strokes are sent with the photo: the service may have it no more.
 * @param {Row} row
 * @param {import('./pictures.js').Pictures} pictures
 * @param {(row: Row) => void} onMended
 * @throws {import('../api.js').ApiError} `gone` if the photo has to be chosen first
 */
export async function openRowBrush(row, pictures, onMended) {
  const [photo, cutOut] = await Promise.all([pictures.photo(row), pictures.cutOut(row)]);
  await openBrush({
    name: nameOf(row),
    photo: photo.blob,
    cutOut: cutOut.blob,
    async save({ strokes }) {
      const body = new FormData();
      body.append('image', photo.blob, 'photo');
      body.append('strokes', JSON.stringify(strokes));
      body.append('revision', String(row.revision));
      onMended(await callJson(`${row.links.self}/refinements`, { method: 'POST', body }));
    },
  });
}
