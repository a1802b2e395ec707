import { deflateSync, inflateRawSync } from 'node:zlib';
import { pngChunk } from '../assembly.ts';
import { COLOUR_CHUNKS, profileChunk } from './png-colours.ts';
import type { ReadableFile } from './readable-file.ts';

const SIGNATURE_BYTES = 8;
/** Signature and IHDR. */
const HEADER_BYTES = 33;
const FRAME_BYTES = 12;
const ZLIB_HEADER_BYTES = 2;
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

/** Offset of the colour type, and those without colour. */
const COLOUR_TYPE = { offset: 25, greys: [0, 4] };

/** What decoders do not look at, where they do: an orientation behind the pixels, colours that are said by no profile. */
function withKnownChunks(image: Uint8Array): Uint8Array {
  const before = new Map<string, PngChunk>();
  let hasPixels = false;
  let exif: Uint8Array | undefined;
  for (const chunk of pngChunks(image)) {
    if (chunk.type === 'IDAT') hasPixels = true;
    else if (!hasPixels) before.set(chunk.type, chunk);
    else if (chunk.type === 'eXIf') exif = chunk.data;
  }
  const colours = COLOUR_CHUNKS.flatMap((type) => before.get(type) ?? []);
  const profile = profileChunk(
    new Map(colours.map(({ type, data }) => [type, Buffer.from(data)])),
    COLOUR_TYPE.greys.includes(image[COLOUR_TYPE.offset]!),
  );
  if (!profile && (!exif || before.has('eXIf'))) return image;
  const parts = [image.subarray(0, HEADER_BYTES)];
  if (profile) parts.push(profile);
  if (exif && !before.has('eXIf')) parts.push(pngChunk('eXIf', exif));
  let from = HEADER_BYTES;
  const dropped = profile ? colours.sort((a, b) => a.start - b.start) : [];
  for (const { start, end } of dropped) {
    parts.push(image.subarray(from, start));
    from = end;
  }
  return Buffer.concat([...parts, image.subarray(from)]);
}

/** Channels by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bytes of pixels that are decompressed to see whether they are whole. */
const MAX_PIXEL_BYTES = 256 * 1024 * 1024;

/** Writes the checksum of all pixels anew, if they are whole and that of each chunk is right: it holds no pixel. */
function withChecksum(image: Uint8Array): Uint8Array | undefined {
  const view = Buffer.from(image.buffer, image.byteOffset, image.length);
  const parts: Uint8Array[] = [];
  let first = 0;
  for (const { type, data, start, end } of pngChunks(image)) {
    if (type !== 'IDAT') continue;
    if (!view.subarray(start, end).equals(pngChunk(type, data))) return undefined;
    first ||= start;
    parts.push(data);
  }
  const [width, height] = [view.readUInt32BE(16), view.readUInt32BE(20)];
  const bits = (CHANNELS[image[COLOUR_TYPE.offset]!] ?? 0) * image[COLOUR_TYPE.offset - 1]!;
  const size = height * (1 + Math.ceil((width * bits) / 8));
  if (isInterlaced(image) || first === 0 || size > MAX_PIXEL_BYTES) return undefined;
  try {
    const data = Buffer.concat(parts).subarray(ZLIB_HEADER_BYTES);
    const rows = inflateRawSync(data, { maxOutputLength: size });
    if (rows.length !== size) return undefined;
    const pixels = pngChunk('IDAT', deflateSync(rows, { level: 0 }));
    return Buffer.concat([image.subarray(0, first), pixels, pngChunk('IEND', new Uint8Array())]);
  } catch {
    return undefined; // pixels are missing, or damaged
  }
}

/** Interlaced ones are decoded in passes. */
const isInterlaced = (image: Uint8Array): boolean => image[28] !== 0;

/** A PNG as a decoder gets it. */
export function pngFile(image: Uint8Array): ReadableFile {
  const bytes = withKnownChunks(image);
  return {
    bytes,
    failOn: 'error',
    isDamaged: false,
    isByRows: !isInterlaced(image),
    mended() {
      const ended = withEnd(bytes);
      return withChecksum(ended ?? bytes) ?? ended;
    },
  };
}
