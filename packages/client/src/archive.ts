import { clientError } from './error.ts';

/** "PK" and the kind of a local header (PKWARE APPNOTE, section 4.3.7). */
const LOCAL_HEADER = 0x04034b50;
const HEADER_BYTES = 30;
const STORED = 0;

/**
 * Returns the files of a ZIP archive that stores them without compression, as the service writes it.
 * @throws SelvageError `damaged-answer`
 */
export function readStoredZip(
  archive: Uint8Array<ArrayBuffer>,
  requestId: string,
): Map<string, Uint8Array<ArrayBuffer>> {
  const damaged = () =>
    clientError('damaged-answer', 'The archive of cut-outs is damaged', { requestId });
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  let at = 0;
  while (at + HEADER_BYTES <= archive.length && view.getUint32(at, true) === LOCAL_HEADER) {
    const bytes = view.getUint32(at + 18, true);
    const nameEnd = at + HEADER_BYTES + view.getUint16(at + 26, true);
    const start = nameEnd + view.getUint16(at + 28, true);
    if (view.getUint16(at + 8, true) !== STORED || start + bytes > archive.length) throw damaged();
    const name = new TextDecoder().decode(archive.subarray(at + HEADER_BYTES, nameEnd));
    files.set(name, archive.slice(start, start + bytes));
    at = start + bytes;
  }
  if (files.size === 0) throw damaged();
  return files;
}
