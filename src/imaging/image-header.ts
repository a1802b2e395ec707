import type { Size } from './picture.ts';

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

/** Signatures of the accepted formats: bytes at offsets. */
const SIGNATURES = [
  { format: 'jpeg', parts: [{ at: 0, bytes: [0xff, 0xd8, 0xff] }] },
  { format: 'png', parts: [{ at: 0, bytes: [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a] }] },
  {
    format: 'webp',
    parts: [
      { at: 0, bytes: ascii('RIFF') },
      { at: 8, bytes: ascii('WEBP') },
    ],
  },
] as const;

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** The accepted image formats. */
type ImageFormat = (typeof SIGNATURES)[number]['format'];

/** Bytes needed to tell the format. */
export const SNIFF_BYTES = 12;

/** Returns the format that the first bytes show, whatever the label says; undefined for any other. */
export const sniffFormat = (image: Uint8Array): ImageFormat | undefined =>
  SIGNATURES.find(({ parts }) =>
    parts.every(({ at, bytes }) => bytes.every((byte, i) => image[at + i] === byte)),
  )?.format;

export interface JpegSegment {
  marker: number;
  /** Offset of its marker. */
  start: number;
  /** Offset behind it. */
  end: number;
}

export const START_OF_SCAN = 0xda;

/** Segments and fill bytes that are looked at in a row. Metadata of 20 MiB in the longest segments are 320. */
const MAX_STEPS = 8192;
/** Bytes in front of a segment that belong to none. */
const MAX_JUNK_BYTES = 65_536;

/** Start of frame, SOF0 to SOF15; C4, C8 and CC in their midst mean something else. */
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Frame, tables, scan and metadata. */
const hasLength = (marker: number): boolean =>
  isFrame(marker) || marker === 0xc4 || marker === 0xcc || marker >= START_OF_SCAN;

/** Stuffing, TEM, and the restart marks RST0 to RST7. */
const isAlone = (marker: number): boolean => marker < 2 || (marker >= 0xd0 && marker <= 0xd7);

/**
 * The segments of a JPEG one after the other, up to what is none: a scan's data, the end mark, damage, the end of the
 * file. Like decoders it passes over bytes between two segments. Contents of segments are not looked at.
 * @param from where to begin; behind the start mark by default
 */
export function* jpegSegments(bytes: Uint8Array, from = 2): Generator<JpegSegment> {
  const view = viewOf(bytes);
  let at = from;
  let junk = MAX_JUNK_BYTES;
  for (let step = 0; step < MAX_STEPS; step++) {
    if (bytes[at] !== 0xff) {
      const skipped = bytes.subarray(at, at + junk).indexOf(0xff);
      if (skipped < 0) return;
      junk -= skipped;
      at += skipped;
    }
    if (at + 4 > bytes.length) return;
    const word = view.getUint32(at);
    const marker = (word >>> 16) & 0xff;
    const length = word & 0xffff;
    if (marker === 0xff) at += 1;
    else if (isAlone(marker)) at += 2;
    else if (!hasLength(marker) || length < 2) return;
    else {
      const end = at + 2 + length;
      yield { marker, start: at, end };
      at = end;
    }
  }
}

/** That of the frame header, which must precede the first scan. */
function jpegSize(view: DataView, bytes: Uint8Array): Size | undefined {
  for (const { marker, start } of jpegSegments(bytes)) {
    if (isFrame(marker))
      return { height: view.getUint16(start + 5), width: view.getUint16(start + 7) };
    if (marker === START_OF_SCAN) return undefined;
  }
  return undefined;
}

const IHDR = 0x49484452;

/** IHDR must be the first chunk. */
const pngSize = (view: DataView): Size | undefined =>
  view.getUint32(12) === IHDR
    ? { width: view.getUint32(16), height: view.getUint32(20) }
    : undefined;

/** Three bytes, little-endian. */
const getUint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) | (view.getUint8(at + 2) << 16);

/** Reserved bits of VP8X, which must be 0. */
const VP8X_RESERVED = 0b1100_0001;
const VP8_START_CODE = 0x9d012a;
const VP8L_SIGNATURE = 0x2f;

/** The first chunk of a WebP by its name: extended, lossy or lossless. */
const WEBP_CHUNKS: Readonly<Record<string, (view: DataView) => Size | undefined>> = {
  VP8X: (view) =>
    (view.getUint8(20) & VP8X_RESERVED) === 0
      ? { width: 1 + getUint24(view, 24), height: 1 + getUint24(view, 27) }
      : undefined,
  'VP8 ': (view) =>
    view.getUint32(22) % 2 ** 24 === VP8_START_CODE
      ? { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
      : undefined,
  VP8L: (view) => {
    if (view.getUint8(20) !== VP8L_SIGNATURE) return undefined;
    const sides = view.getUint32(21, true);
    return { width: 1 + (sides & 0x3fff), height: 1 + ((sides >>> 14) & 0x3fff) };
  },
};

function webpSize(view: DataView): Size | undefined {
  const name = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  return Object.hasOwn(WEBP_CHUNKS, name) ? WEBP_CHUNKS[name]?.(view) : undefined;
}

const READERS = { jpeg: jpegSize, png: pngSize, webp: webpSize } as const;

/**
 * Reads the size of an image from its header, without decoding it, and before EXIF orientation. Looks at few bytes,
 * however long the image is; see `jpegSegments`.
 * @param format the format that the first bytes show
 * @returns undefined if the header is damaged, or a side is 0
 */
export function readImageSize(bytes: Uint8Array, format: keyof typeof READERS): Size | undefined {
  try {
    const size = READERS[format](viewOf(bytes), bytes);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the header is cut off
    throw error;
  }
}
