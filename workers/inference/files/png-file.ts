import { pngChunk } from '../png.ts';
import type { ReadableFile } from './readable-file.ts';

const SIGNATURE_BYTES = 8;
/** Signature and IHDR. */
const HEADER_BYTES = 33;
const FRAME_BYTES = 12;
const MAX_CHUNKS = 65_536;

/** A chunk of a PNG; its data may be cut off. */
interface PngChunk {
  type: string;
  data: Uint8Array;
  start: number;
  /** Offset behind its checksum, which may lie behind the end of the file. */
  end: number;
}

function* pngChunks(image: Uint8Array): Generator<PngChunk> {
  const view = Buffer.from(image.buffer, image.byteOffset, image.length);
  let start = SIGNATURE_BYTES;
  for (let count = 0; count < MAX_CHUNKS && start + 8 <= image.length; count++) {
    const length = view.readUInt32BE(start);
    const end = start + FRAME_BYTES + length;
    const data = image.subarray(start + 8, end - 4);
    yield { type: view.toString('latin1', start + 4, start + 8), data, start, end };
    start = end;
  }
}

/** Ends a file that breaks off: decoders want the checksum of the last data and the end mark, which hold no pixel. */
function withEnd(image: Uint8Array): Uint8Array | undefined {
  let complete = SIGNATURE_BYTES;
  let last: Uint8Array = new Uint8Array();
  for (const { type, data, end } of pngChunks(image)) {
    if (type === 'IEND') return undefined;
    if (end <= image.length) complete = end;
    else if (type === 'IDAT') last = pngChunk(type, data);
  }
  return Buffer.concat([image.subarray(0, complete), last, pngChunk('IEND', new Uint8Array())]);
}

/** The orientation, if it stands behind the pixels, where decoders do not look. */
function lateExif(image: Uint8Array): Uint8Array | undefined {
  let isBehind = false;
  for (const { type, data } of pngChunks(image)) {
    if (type === 'IDAT') isBehind = true;
    if (type === 'eXIf') return isBehind ? pngChunk('eXIf', data) : undefined;
  }
  return undefined;
}

/** A PNG as a decoder gets it. */
export function pngFile(image: Uint8Array): ReadableFile {
  const exif = lateExif(image);
  const bytes = exif
    ? Buffer.concat([image.subarray(0, HEADER_BYTES), exif, image.subarray(HEADER_BYTES)])
    : image;
  return {
    bytes,
    failOn: 'error',
    isDamaged: false,
    isByRows: image[28] === 0, // interlaced ones are decoded in passes
    mended: () => withEnd(bytes),
  };
}
