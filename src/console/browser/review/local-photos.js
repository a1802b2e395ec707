/**
 * Photos that were chosen in this browser, by batch or run and by name. The service deletes a photo once its cut-out is
 * made, so these are the ones to compare with; they leave the browser only to be mended.
 * @type {Map<string, Map<string, File>>}
 */
const chosen = new Map();

/**
 * What a photo is found by, of a row of a review.
 * @typedef {{row: number, customId: string, imageUrl?: string}} PhotoRow
 */

/** @param {string} name */
const withoutExtension = (name) => name.replace(/\.[^.]+$/, '');

/** @param {string} link */
const fileNameOf = (link) => {
  const { pathname } = new URL(link);
  return pathname.slice(pathname.lastIndexOf('/') + 1);
};

/** @param {string} path of the batch or run @param {readonly File[]} files */
export function rememberPhotos(path, files) {
  const photos = chosen.get(path) ?? new Map();
  for (const file of files) {
    if (!file.type.startsWith('image/')) continue;
    photos.set(withoutExtension(file.name), file);
    photos.set(file.name, file);
  }
  chosen.set(path, photos);
}

/** @param {string} path @param {PhotoRow} row @param {File} file */
export const rememberPhotoOf = (path, { row }, file) => {
  rememberPhotos(path, []);
  chosen.get(path)?.set(`row ${row}`, file);
};

/**
 * Returns the photo that was chosen for a row, or whose name is its id or that of its link.
 * @param {string} path @param {PhotoRow} row
 */
export function findPhoto(path, { row, customId, imageUrl }) {
  const photos = chosen.get(path);
  const names = [`row ${row}`, customId, ...(imageUrl ? [fileNameOf(imageUrl)] : [])];
  return names.map((name) => photos?.get(name)).find((file) => file !== undefined);
}
