import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, relative, resolve } from 'node:path';
import { usageError } from '../terminal/exit.ts';

/** One photo and the path of its cut-out. */
export interface Photo {
  input: string;
  /** Under the output folder. */
  output: string;
  /** Another photo whose cut-out has the same path; then this one is rejected. */
  conflict?: string;
}

const PHOTO_NAME = /\.(jpe?g|png|webp)$/i;

/**
 * Returns the photos in a folder and its subfolders, by name, without hidden files and links.
 * @param without absolute path of a folder to skip
 */
export async function photosUnder(folder: string, without?: string): Promise<string[]> {
  if (resolve(folder) === without) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry): string[] | Promise<string[]> => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return photosUnder(path, without);
      return entry.isFile() && PHOTO_NAME.test(entry.name) ? [path] : [];
    });
  return (await Promise.all(found)).flat();
}

/** `photo.jpg` -> `photo.png`. A file without an extension keeps its whole name. */
export const withExtension = (path: string, extension: string): string =>
  `${path.slice(0, path.length - extname(path).length)}.${extension}`;

/** Resolves a path of the command line to photos, each with its name in the output folder. */
async function resolvePath(path: string, out: string): Promise<{ input: string; name: string }[]> {
  const found = await stat(path).catch(() => {
    throw usageError(`There is no file or folder ${path}`);
  });
  if (!found.isDirectory()) return [{ input: path, name: basename(path) }];
  const inputs = await photosUnder(path, resolve(out));
  return inputs.map((input) => ({ input, name: relative(path, input) }));
}

/**
 * Resolves paths to photos and the paths of their cut-outs. Subfolders are kept.
 * @param extension of the cut-outs, without a dot
 * @throws CliError if a path does not exist, or there is no photo at all
 */
export async function planPhotos(
  paths: readonly string[],
  out: string,
  extension: string,
): Promise<Photo[]> {
  const all = (await Promise.all(paths.map((path) => resolvePath(path, out)))).flat();
  if (all.length === 0) throw usageError(`There is no JPEG, PNG or WebP in ${paths.join(', ')}`);
  const inputByOutput = new Map<string, string>();
  return all.map(({ input, name }) => {
    const output = join(out, withExtension(name, extension));
    const conflict = inputByOutput.get(output);
    inputByOutput.set(output, conflict ?? input);
    return { input, output, ...(conflict && { conflict }) };
  });
}
