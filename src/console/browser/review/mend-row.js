import { callJson, formOf } from '../api.js';
import { openBrush } from '../mend/brush.js';
import { say } from '../texts.js';
import { nameOf } from './words.js';

/** @typedef {import('./rows.js').Row} Row */

/**
 * Returns what a row is mended from.
 * @param {Row} row
 * @param {Blob} photo
 * @param {{pictures: import('./pictures.js').Pictures, whole: import('./whole-cut-outs.js').WholeCutOuts}} sources
 */
async function cutOutOf(row, photo, { pictures, whole }) {
  if (!row.needsAlpha) return { cutOut: (await pictures.cutOut(row)).blob };
  const { blob, isFirst } = await whole.get(row, photo);
  return {
    cutOut: blob,
    note: isFirst ? say('mend.first') : undefined,
  };
}

/**
 * Opens the brush over the cut-out of a row, in the photo's frame. Its strokes are sent with the photo: the service may
 * have it no more.
 * @param {Row} row
 * @param {() => Promise<Row>} present the row as it is when the strokes are saved: a decision may still be on its way
 * @param {{pictures: import('./pictures.js').Pictures, whole: import('./whole-cut-outs.js').WholeCutOuts}} sources
 * @param {(row: Row) => void} onMended
 * @throws {import('../api.js').ApiError} `gone` if the photo has to be chosen first; `cannot-mend`
 */
export async function openRowBrush(row, present, sources, onMended) {
  const { blob: photo } = await sources.pictures.photo(row);
  const { cutOut, note } = await cutOutOf(row, photo, sources);
  await openBrush({
    name: nameOf(row),
    photo,
    cutOut,
    note,
    async save({ strokes, cutOut: mendedWhole }) {
      const body = formOf({
        image: photo,
        alpha: row.needsAlpha && cutOut,
        strokes: JSON.stringify(strokes),
        revision: (await present()).revision,
      });
      const mended = await callJson(`${row.links.self}/refinements`, { method: 'POST', body });
      if (row.needsAlpha) sources.whole.remember(mended, mendedWhole);
      onMended(mended);
    },
  });
}
