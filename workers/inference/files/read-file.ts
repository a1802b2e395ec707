import sharp, { type Sharp } from 'sharp';
import { readImageSize, sniffFormat } from '../../../src/imaging/image-header.ts';
import type { Size } from '../../../src/imaging/picture.ts';
import { DecodeError } from '../decode-error.ts';
import { hasChangedLineEnds } from './foreign-bytes.ts';
import { jpegFile, nameUnreadJpeg } from './jpeg-file.ts';
import { pngFile } from './png-file.ts';
import type { ReadableFile } from './readable-file.ts';
import { webpFile } from './webp-file.ts';

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
