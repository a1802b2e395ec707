import {
  isFrame,
  type JpegSegment,
  jpegSegments,
  START_OF_SCAN,
} from '../../../src/imaging/image-header.ts';
import { foreignTextIn, hasZerosIn } from './foreign-bytes.ts';
import type { ReadableFile } from './readable-file.ts';

const COMMENT = 0xfe;
const JFIF = 0xe0;
const END = Buffer.from('ffd9', 'hex');
/** SOF2, SOF6, SOF10 and SOF14. */
const isProgressive = (frame: number): boolean => frame % 4 === 2;
const isArithmetic = (frame: number): boolean => frame > 0xc8;

/** Decoders read a few bytes ahead of what they decode. */
const AHEAD_BYTES = 16;
/** Arithmetic decoders go on with zeros by themselves. */
const ZEROS = Buffer.alloc(AHEAD_BYTES);
/** Stuffed bytes of ones, with which no Huffman code begins: a decoder that needs them soon gets to the end. */
const ONES = Buffer.alloc(AHEAD_BYTES + 4, 'ff00', 'hex');

interface Header {
  /** Start mark and segments up to the first scan's data, without comments and without what lies between them. */
  bytes: Uint8Array;
  frame: JpegSegment;
  scan: JpegSegment;
}

/** JFIF before 1.0 and after 2.0 has never been, but is written; decoders warn of it. */
function withKnownVersion(segment: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(segment);
  if (copy.length > 9) copy[9] = 1;
  return copy;
}

function readHeader(image: Uint8Array): Header | undefined {
  const parts = [image.subarray(0, 2)];
  let frame: JpegSegment | undefined;
  for (const segment of jpegSegments(image)) {
    const { marker, start, end } = segment;
    const bytes = image.subarray(start, end);
    if (marker !== COMMENT) parts.push(marker === JFIF ? withKnownVersion(bytes) : bytes);
    if (isFrame(marker)) frame = segment;
    if (marker === START_OF_SCAN)
      return frame && { bytes: Buffer.concat(parts), frame, scan: segment };
  }
  return undefined;
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/**
 * The data is followed by padding instead of the end mark. Of an end mark that comes early decoders only warn, and not in
 * the last rows; of a missing one they say so at once.
 */
function oneScan(image: Uint8Array, { bytes, frame, scan }: Header): ReadableFile {
  const found = asBuffer(image).indexOf(END, scan.end);
  // Of an end mark that is cut in two the first half is left, which is no data.
  const isHalved = found < 0 && image.at(-1) === 0xff;
  const whole = image.subarray(scan.end, found < 0 ? image.length - Number(isHalved) : found);
  const data = whole.subarray(0, foreignTextIn(whole, 0, whole.length));
  const padding = isArithmetic(frame.marker) ? ZEROS : ONES;
  return {
    bytes: Buffer.concat([bytes, data, padding]),
    failOn: 'warning',
    isDamaged: false,
    isByRows: true,
    shortened: hasZerosIn(data, 0, data.length)
      ? Buffer.concat([bytes, data.subarray(0, -AHEAD_BYTES)])
      : undefined,
  };
}

/** Returns where the data of a scan ends: at a marker but a restart mark, or at the end of the file. */
function endOfData(image: Uint8Array, from: number): number {
  for (let at = image.indexOf(0xff, from); at >= 0; at = image.indexOf(0xff, at)) {
    const next = image[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
    at += next === 0xff ? 1 : 2;
  }
  return image.length;
}

function nextScan(image: Uint8Array, from: number): JpegSegment | undefined {
  for (const segment of jpegSegments(image, from))
    if (segment.marker === START_OF_SCAN) return segment;
  return undefined;
}

const COEFFICIENTS = 64;

/** Which bits of which coefficients the scans have brought: of each component, the lowest bit. */
class Detail {
  readonly #bits: Map<number, Uint8Array>;
  readonly #isProgressive: boolean;

  constructor(image: Uint8Array, { marker, start }: JpegSegment) {
    const ids = Array.from({ length: image[start + 9] ?? 0 }, (_, i) => image[start + 10 + 3 * i]!);
    this.#bits = new Map(ids.map((id) => [id, new Uint8Array(COEFFICIENTS).fill(COEFFICIENTS)]));
    this.#isProgressive = isProgressive(marker);
  }

  add(image: Uint8Array, { start }: JpegSegment): void {
    const count = image[start + 4] ?? 0;
    const [first = 0, last = 0, bits = 0] = image.subarray(start + 5 + 2 * count);
    for (let i = 0; i < count; i++) {
      const known = this.#bits.get(image[start + 5 + 2 * i]!);
      if (this.#isProgressive) known?.fill(bits & 15, first, last + 1);
      else known?.fill(0);
    }
  }

  /** Whether the mean colour of every block is known. */
  get isCoarse(): boolean {
    return [...this.#bits.values()].every(([mean]) => mean !== COEFFICIENTS);
  }

  get isWhole(): boolean {
    return [...this.#bits.values()].every((bits) => bits.every((bit) => bit === 0));
  }
}

/** Decoders read all scans before the first row, and say nothing of scans that are not there. */
function severalScans(image: Uint8Array, { bytes, frame, scan }: Header): ReadableFile {
  const detail = new Detail(image, frame);
  let coarseEnd: number | undefined;
  let end = scan.end;
  for (let next: JpegSegment | undefined = scan; next; next = nextScan(image, end)) {
    detail.add(image, next);
    end = endOfData(image, next.end);
    if (detail.isCoarse && end < image.length) coarseEnd ??= end;
  }
  const close = (to: number) => Buffer.concat([bytes, image.subarray(scan.end, to), END]);
  return {
    bytes: close(end),
    failOn: 'warning',
    isDamaged: !detail.isWhole,
    isByRows: false,
    coarse: coarseEnd === undefined ? undefined : close(coarseEnd),
  };
}

/** Names a kind of JPEG that decoders do not read: for medicine and archives. */
export function nameUnreadJpeg(image: Uint8Array): string | undefined {
  const { marker, start } = readHeader(image)?.frame ?? { marker: 0, start: 0 };
  if (marker % 4 === 3) return 'a lossless JPEG, which is not read';
  const bits = image[start + 4];
  return marker !== 0 && bits !== 8 ? `a JPEG of ${bits} bits, which is not read` : undefined;
}

/** A JPEG as a decoder gets it. */
export function jpegFile(image: Uint8Array): ReadableFile {
  const header = readHeader(image);
  if (!header) return { bytes: image, failOn: 'warning', isDamaged: false, isByRows: false };
  const { frame, scan } = header;
  const hasOneScan =
    !isProgressive(frame.marker) && image[frame.start + 9] === image[scan.start + 4];
  return hasOneScan ? oneScan(image, header) : severalScans(image, header);
}
