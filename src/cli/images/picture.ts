import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { HEAD_BYTES } from '../../imaging/other-formats.ts';

/** Major and compatible brands of a HEIF file; the codec is that of the brand. */
const HEIF = /^.{4}ftyp(avi|hei|hev|mif1|msf1)/s;

/** Loaded late: most commands read no such file. */
const loadSharp = async () => (await import('sharp')).default;

/** Returns the first bytes of a file, which show its format. */
export async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether the installed libraries can convert a file that begins like this: AVIF, and HEIC where they have its codec. */
export async function isConvertible(head: Uint8Array): Promise<boolean> {
  const text = Buffer.from(head).toString('latin1');
  if (!HEIF.test(text)) return false;
  const { heif } = (await loadSharp()).format;
  const suffixes: readonly string[] = heif.input.fileSuffix ?? [];
  return suffixes.includes(text.slice(8, 64).includes('avi') ? '.avif' : '.heic');
}

/** Says why a picture is left out. @param what its format, if that is known */
export const unreadable = (what = 'of an unknown format'): string =>
  what === 'HEIC'
    ? 'HEIC, which the libraries installed here cannot read; export it as JPEG'
    : what;

/**
 * Reads a photo; AVIF and HEIC are converted without loss, upright and in sRGB.
 * @throws Error of the system, or of the library if the file is damaged
 */
export async function readPicture(path: string): Promise<Uint8Array> {
  if (!(await isConvertible(await readHead(path)))) return readFile(path);
  const sharp = await loadSharp();
  return sharp(path).autoOrient().webp({ lossless: true, effort: 0 }).toBuffer();
}

/** Passes on the path of a photo, or of its conversion at a temporary path. */
export async function withReadableFile<T>(
  path: string,
  temporary: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (!(await isConvertible(await readHead(path)))) return work(path);
  try {
    await writeFile(temporary, await readPicture(path));
    return await work(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}
