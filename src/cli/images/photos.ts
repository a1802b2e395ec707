import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, extname, join, relative, resolve } from 'node:path';
import { sniffFormat } from '../../imaging/image-header.ts';
import { HEAD_BYTES, nameOtherFormat } from '../../imaging/other-formats.ts';
import { usageError } from '../terminal/output.ts';

/** Major and compatible brands of a HEIF file; the codec is that of the brand. */
const HEIF = /^.{4}ftyp(avi|hei|hev|mif1|msf1)/s;

/** Loaded late: most commands read no such file. */
const loadSharp = async () => (await import('sharp')).default;

/** Returns the first bytes of a file, which show its format. */
async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether the installed libraries can convert a file that begins like this: AVIF, and HEIC where they have its codec. */
async function isConvertible(head: Uint8Array): Promise<boolean> {
  const text = Buffer.from(head).toString('latin1');
  if (!HEIF.test(text)) return false;
  const { heif } = (await loadSharp()).format;
  const suffixes: readonly string[] = heif.input.fileSuffix ?? [];
  return suffixes.includes(text.slice(8, 64).includes('avi') ? '.avif' : '.heic');
}

/** Says why a picture is left out. @param what its format, if that is known */
const unreadable = (what = 'of an unknown format'): string =>
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

/** One photo and the path of its cut-out. */
export interface Photo {
  input: string;
  /** Under the output folder. */
  output: string;
  /** Another photo whose cut-out has the same path; then this one is rejected. */
  conflict?: string;
}

/** A file that cannot be read as a picture, though it seems to be meant as a picture. */
export interface LeftOut {
  path: string;
  /** Such as `HEIC`. */
  what: string;
}

/** A picture; `what` it is, if it is left out. */
type Found = Pick<LeftOut, 'path'> & Partial<LeftOut>;

const isLeftOut = <T extends Found>(found: T): found is T & LeftOut => found.what !== undefined;

/** Names of pictures: such a file that is none is named. Others that are none are not meant. */
const PICTURE_NAME =
  /\.(jpe?g|jpe|jfif|png|webp|hei[cf]|avif|gif|bmp|tiff?|jxl|jp2|dng|cr[23]|nef|arw|raf|psd)$/i;

/** Looks at the first bytes of a file; its name decides nothing. */
async function lookAt(path: string): Promise<Found[]> {
  const isNamedPicture = PICTURE_NAME.test(path);
  const head = await readHead(path).catch((error: NodeJS.ErrnoException) => error);
  if (head instanceof Error) {
    const isMeant = head.code !== 'ENOENT' && isNamedPicture;
    return isMeant ? [{ path, what: `cannot be read (${head.code})` }] : [];
  }
  if (sniffFormat(head) || (await isConvertible(head))) return [{ path }];
  if (!isNamedPicture) return [];
  const empty = head.length === 0 && 'empty';
  return [{ path, what: empty || unreadable(nameOtherFormat(head)?.what) }];
}

/**
 * Finds the photos in a folder and its subfolders by their first bytes, in order of name, without hidden files and
 * links; and the pictures that are left out.
 * @param without absolute path of a folder to skip
 */
async function findPhotos(folder: string, without?: string): Promise<Found[]> {
  if (resolve(folder) === without) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  const all: Found[][] = [];
  // One after the other: a folder may have more files than a process may open.
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) all.push(await findPhotos(path, without));
    else if (entry.isFile()) all.push(await lookAt(path));
  }
  return all.flat();
}

/** Returns the photos that `findPhotos` finds, and the others too: whoever tries to cut them out says what they are. */
export const photosUnder = async (folder: string, without?: string): Promise<string[]> =>
  (await findPhotos(folder, without)).map(({ path }) => path).sort();

/** `photo.jpg` -> `photo.png`. A file without an extension keeps its whole name. */
export const withExtension = (path: string, extension: string): string =>
  `${path.slice(0, path.length - extname(path).length)}.${extension}`;

/** Resolves a path of the command line to pictures, each with its name in the output folder. */
async function resolvePath(path: string, out: string) {
  const found = await stat(path).catch(() => {
    throw usageError(`There is no file or folder ${path}`);
  });
  if (!found.isDirectory()) return [{ path, name: basename(path) }];
  const pictures = await findPhotos(path, resolve(out));
  return pictures.map((each) => ({ ...each, name: relative(path, each.path) }));
}

/**
 * Resolves paths to photos and the paths of their cut-outs, and names the pictures that are left out. Subfolders are
 * kept.
 * @param extension of the cut-outs, without a dot
 * @throws CliError if a path does not exist, or there is no photo at all
 */
export async function planPhotos(
  paths: readonly string[],
  out: string,
  extension: string,
): Promise<{ photos: Photo[]; leftOut: LeftOut[] }> {
  const all = (await Promise.all(paths.map((path) => resolvePath(path, out)))).flat();
  const leftOut = all.filter(isLeftOut);
  const named = all.filter((each) => !isLeftOut(each));
  if (named.length === 0) {
    const others = leftOut.map(({ path, what }) => `\n  ${path}: ${what}`);
    throw usageError(`There is no JPEG, PNG or WebP in ${paths.join(', ')}${others.join('')}`);
  }
  const inputByOutput = new Map<string, string>();
  const photos = named.map(({ path: input, name }) => {
    const output = join(out, withExtension(name, extension));
    const conflict = inputByOutput.get(output);
    inputByOutput.set(output, conflict ?? input);
    return { input, output, ...(conflict && { conflict }) };
  });
  return { photos, leftOut };
}
