import { foreignTextIn, hasZerosIn } from './foreign-bytes.ts';
import type { ReadableFile } from './readable-file.ts';

const HEADER_BYTES = 12;
/** The chunks that hold a picture, and their bytes in front of its data. */
const PICTURES = ['VP8 ', 'VP8L', 'ANMF'];

/** Bits of VP8X that say that there is metadata; decoders insist on it. */
const METADATA = { EXIF: 8, 'XMP ': 4 } as const;

interface Chunks {
  wholeEnd: number;
  /** Where the first picture is. */
  picture?: [from: number, to: number];
  /** The bits of `METADATA` that are not there. */
  missing: number;
}

/** Finds the end of the last chunk that is whole, and the first picture. */
function readChunks(image: Uint8Array): Chunks {
  const view = Buffer.from(image.buffer, image.byteOffset, image.length);
  let wholeEnd = HEADER_BYTES;
  let picture: [number, number] | undefined;
  let missing = METADATA.EXIF | METADATA['XMP '];
  for (let at = HEADER_BYTES; at + 8 <= image.length; ) {
    const end = at + 8 + view.readUInt32LE(at + 4);
    if (end > image.length) break;
    const type = view.toString('latin1', at, at + 4);
    if (type in METADATA) missing &= ~METADATA[type as keyof typeof METADATA];
    if (PICTURES.includes(type)) picture ??= [at + 8, end];
    wholeEnd = end;
    at = end + (end % 2);
  }
  return picture ? { wholeEnd, picture, missing } : { wholeEnd, missing };
}

/** Ends a file behind its last whole chunk: what is lost may be metadata, or a frame that is not shown. */
function withEnd(image: Uint8Array, { wholeEnd, missing }: Chunks): Uint8Array {
  const mended = Buffer.alloc(wholeEnd + (wholeEnd % 2));
  mended.set(image.subarray(0, wholeEnd));
  mended.writeUInt32LE(mended.length - 8, 4);
  if (mended.toString('latin1', HEADER_BYTES, HEADER_BYTES + 4) === 'VP8X') mended[20]! &= ~missing;
  return mended;
}

/** A WebP as a decoder gets it. */
export function webpFile(image: Uint8Array): ReadableFile {
  const chunks = readChunks(image);
  const { picture } = chunks;
  const said = 8 + Buffer.from(image.buffer, image.byteOffset, image.length).readUInt32LE(4);
  const isMixed =
    picture && (foreignTextIn(image, ...picture) !== undefined || hasZerosIn(image, ...picture));
  return {
    bytes: image,
    failOn: 'error',
    // Decoders take any bytes for the picture's; of what is put in, as much is left behind the end.
    isDamaged: isMixed === true || image.length > said + 1,
    isByRows: false,
    mended: () => (picture ? withEnd(image, chunks) : undefined),
  };
}
