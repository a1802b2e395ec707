/** The sides of an image as its header states them, pixels. EXIF orientation is not applied. */
export interface ImageSize {
  width: number;
  height: number;
}

/**
 * Markers and fill bytes of a JPEG that are looked at before its frame header. Metadata of 20 MiB in segments of
 * the maximum length are 320 markers.
 */
const MAX_JPEG_STEPS = 4096;

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** Start of frame, SOF0 to SOF15; C4, C8 and CC in their midst mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Tables and metadata. Not SOI, EOI, SOS and RST0 to RST7, which cannot precede the frame. */
const isSkipped = (marker: number): boolean => marker === 0xc4 || marker === 0xcc || marker >= 0xdb;

/** Jumps from marker to marker up to the frame header: contents of segments are not looked at. */
function jpegSize(view: DataView): ImageSize | undefined {
  let at = 2;
  for (let step = 0; step < MAX_JPEG_STEPS; step++) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1; // a fill byte
      continue;
    }
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    const length = view.getUint16(at + 2);
    if (!isSkipped(marker) || length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}

const IHDR = 0x49484452;

/** IHDR must be the first chunk. */
const pngSize = (view: DataView): ImageSize | undefined =>
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
const WEBP_CHUNKS: Readonly<Record<string, (view: DataView) => ImageSize | undefined>> = {
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

function webpSize(view: DataView): ImageSize | undefined {
  const name = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  return Object.hasOwn(WEBP_CHUNKS, name) ? WEBP_CHUNKS[name]?.(view) : undefined;
}

const READERS = { jpeg: jpegSize, png: pngSize, webp: webpSize } as const;

/**
 * Reads the size of an image from its header, without decoding it. Looks at some bytes of each of
 * `MAX_JPEG_STEPS` segments at most, however long the image is.
 * @param format the format that the first bytes show
 * @returns undefined if the header is damaged, or a side is 0
 */
export function readImageSize(
  bytes: Uint8Array,
  format: keyof typeof READERS,
): ImageSize | undefined {
  try {
    const size = READERS[format](viewOf(bytes));
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the header is cut off
    throw error;
  }
}
