/** "PK" and the kind of a local header (PKWARE APPNOTE, section 4.3.7). */
const LOCAL_HEADER = 0x04034b50;
const HEADER_BYTES = 30;

/**
 * Returns the files of a ZIP archive that stores them without compression, as the service writes it.
 * @param {ArrayBuffer} archive
 * @returns {Map<string, Uint8Array<ArrayBuffer>>}
 */
export function readStoredZip(archive) {
  const view = new DataView(archive);
  const files = new Map();
  let at = 0;
  while (at + HEADER_BYTES <= archive.byteLength && view.getUint32(at, true) === LOCAL_HEADER) {
    const bytes = view.getUint32(at + 18, true);
    const nameBytes = view.getUint16(at + 26, true);
    const start = at + HEADER_BYTES + nameBytes + view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(archive, at + HEADER_BYTES, nameBytes));
    files.set(name, new Uint8Array(archive, start, bytes));
    at = start + bytes;
  }
  return files;
}
