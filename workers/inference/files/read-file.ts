import sharp, { type Sharp } from 'sharp';
import {
  isFrame,
  type JpegSegment,
  jpegSegments,
  readImageSize,
  START_OF_SCAN,
  sniffFormat,
} from '../../../src/imaging/image-header.ts';
import type { Size } from '../../../src/imaging/picture.ts';
import { pngFile } from './png-file.ts';
import { DecodeError, type ReadableFile } from './readable-file.ts';

const TEXT = new Uint8Array(256).fill(1, 0x20, 0x7f);
for (const space of '\t\n\r') TEXT[space.charCodeAt(0)] = 1;

/** Compressed data has a run of text this long once in 10^13 bytes, flat areas aside. */
const MIN_TEXT_BYTES = 32;
/** Flat areas are compressed to few bytes again and again. */
const MIN_LETTERS = 12;
const ZEROS = Buffer.alloc(256);
const STEP = MIN_TEXT_BYTES / 2;

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/**
 * Returns where text begins in compressed data, such as the error page of a server that broke off; undefined if there is
 * none. Of 16 bytes four are looked at, and more only where all of them are letters.
 */
function foreignTextIn(bytes: Uint8Array, from: number, to: number): number | undefined {
  const isText = (at: number) => TEXT[bytes[at]!] === 1;
  for (let at = from; at < to; at += STEP) {
    if (!isText(at) || !isText(at + 5) || !isText(at + 10) || !isText(at + 15)) continue;
    let start = at;
    while (start > from && isText(start - 1)) start--;
    while (at + 1 < to && isText(at + 1)) at++;
    const text = bytes.subarray(start, at + 1);
    if (text.length >= MIN_TEXT_BYTES && new Set(text.subarray(0, 1024)).size >= MIN_LETTERS)
      return start;
  }
  return undefined;
}

/** Returns whether a stretch of zeros lies in compressed data, as where a file was lost. Some flat areas have one, too. */
const hasZerosIn = (bytes: Uint8Array, from: number, to: number): boolean =>
  asBuffer(bytes).subarray(from, to).includes(ZEROS);

const [LF, CR] = [0x0a, 0x0d];
/** Line ends of compressed data that all follow a carriage return by chance: once in 10^38 files. */
const MIN_LINE_ENDS = 16;

/** Whether a carriage return was put before each line feed, as FTP does in text mode. */
function hasChangedLineEnds(bytes: Uint8Array): boolean {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) return false;
    count += 1;
  }
  return count >= MIN_LINE_ENDS;
}

const COMMENT = 0xfe;
const JFIF = 0xe0;
const END = Buffer.from('ffd9', 'hex');
/** SOF2, SOF6, SOF10 and SOF14. */
const isProgressive = (frame: number): boolean => frame % 4 === 2;
const isArithmetic = (frame: number): boolean => frame > 0xc8;

/** Decoders read a few bytes ahead of what they decode. */
const AHEAD_BYTES = 16;
/** Arithmetic decoders go on with zeros by themselves. */
const AHEAD_ZEROS = Buffer.alloc(AHEAD_BYTES);
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
  const padding = isArithmetic(frame.marker) ? AHEAD_ZEROS : ONES;
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
function nameUnreadJpeg(image: Uint8Array): string | undefined {
  const { marker, start } = readHeader(image)?.frame ?? { marker: 0, start: 0 };
  if (marker % 4 === 3) return 'a lossless JPEG, which is not read';
  const bits = image[start + 4];
  return marker !== 0 && bits !== 8 ? `a JPEG of ${bits} bits, which is not read` : undefined;
}

function jpegFile(image: Uint8Array): ReadableFile {
  const header = readHeader(image);
  if (!header) return { bytes: image, failOn: 'warning', isDamaged: false, isByRows: false };
  const { frame, scan } = header;
  const hasOneScan =
    !isProgressive(frame.marker) && image[frame.start + 9] === image[scan.start + 4];
  return hasOneScan ? oneScan(image, header) : severalScans(image, header);
}

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
  const view = asBuffer(image);
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

function webpFile(image: Uint8Array): ReadableFile {
  const chunks = readChunks(image);
  const { picture } = chunks;
  const said = 8 + asBuffer(image).readUInt32LE(4);
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

const READERS = { jpeg: jpegFile, png: pngFile, webp: webpFile } as const;

/** Runs a pipeline that begins with a decoder. */
type Use<T> = (pipeline: Sharp) => Promise<T>;
type Open = (bytes: Uint8Array, failOn?: ReadableFile['failOn']) => Sharp;

/**
 * Whether so many rows from the top on can be decoded. Not of a smaller picture: decoders that make one leave out the end.
 */
const hasRows = (pipeline: Sharp, rows: number): Promise<boolean> =>
  pipeline
    .extract({ left: 0, top: 0, width: 1, height: rows })
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    );

/** Decoders stop between strips of so many rows. */
const STRIP_ROWS = 8;

/** Returns how many rows from the top on can be decoded, of a file of which not all can. */
async function soundRows(bytes: Uint8Array, { height }: Size, open: Open): Promise<number> {
  let sound = 0;
  let damaged = Math.ceil(height / STRIP_ROWS);
  while (damaged - sound > 1) {
    const middle = Math.floor((sound + damaged) / 2);
    if (await hasRows(open(bytes), middle * STRIP_ROWS)) sound = middle;
    else damaged = middle;
  }
  return sound * STRIP_ROWS;
}

async function damageOf(bytes: Uint8Array, size: Size, isByRows: boolean, open: Open) {
  const rows = isByRows ? await soundRows(bytes, size, open) : 0;
  return rows > 0
    ? `is damaged from row ${rows} of ${size.height} on, if not above: data is missing or mixed with other data`
    : 'is damaged: data is missing or mixed with other data';
}

/**
 * Decodes an image of an untrusted file. What holds no pixel may be missing: the end mark, a checksum.
 * @returns what `use` returns, and whether pixels may be wrong although all rows are there
 * @throws DecodeError if rows are missing, too
 */
export async function readFile<T extends object>(
  image: Uint8Array,
  maxPixels: number,
  use: Use<T>,
): Promise<T & { isDamaged: boolean }> {
  const format = sniffFormat(image);
  const size = format && readImageSize(image, format);
  if (!size) throw new DecodeError();
  if (hasChangedLineEnds(image)) {
    throw new DecodeError('is damaged: its line ends were changed; send it by FTP in binary mode');
  }
  const file = READERS[format](image);
  const open: Open = (bytes, failOn = file.failOn) =>
    sharp(bytes, { limitInputPixels: maxPixels, failOn });
  try {
    const result = await use(open(file.bytes));
    // Bytes that are left behind the last row stand for wrong ones further above.
    const isLeft =
      file.shortened !== undefined && (await hasRows(open(file.shortened), size.height));
    return { ...result, isDamaged: file.isDamaged || isLeft };
  } catch (cause) {
    const mended = file.mended?.();
    const result = mended && (await use(open(mended)).catch(() => undefined));
    if (result) return { ...result, isDamaged: file.isDamaged };
    if (file.coarse && (await hasRows(open(file.coarse), size.height))) {
      const coarse = await use(open(file.bytes, 'error')).catch(() => undefined);
      if (coarse) return { ...coarse, isDamaged: true };
    }
    const unread = format === 'jpeg' ? nameUnreadJpeg(image) : undefined;
    if (unread !== undefined) throw new DecodeError(`is ${unread}; export it again`, cause);
    throw new DecodeError(await damageOf(mended ?? file.bytes, size, file.isByRows, open), cause);
  }
}
