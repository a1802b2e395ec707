import { isFrame, jpegSegments, START_OF_SCAN } from './jpeg-segments.ts';

/** The sides of an image as its header states them, pixels. EXIF orientation is not applied. */
export interface ImageSize {
  width: number;
  height: number;
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** That of the frame header, which must precede the first scan. */
function jpegSize(view: DataView): ImageSize | undefined {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (const { marker, start } of jpegSegments(bytes)) {
    if (isFrame(marker))
      return { height: view.getUint16(start + 5), width: view.getUint16(start + 7) };
    if (marker === START_OF_SCAN) return undefined;
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
 * Reads the size of an image from its header, without decoding it. Looks at few bytes, however long the image is; see
 * `jpegSegments`.
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
