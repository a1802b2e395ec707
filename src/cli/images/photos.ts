import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, relative, resolve } from 'node:path';
import { usageError } from '../terminal/exit.ts';

/** One photo to work on, and where its cut-out goes. */
export interface Photo {
  input: string;
  /** Under the output folder. */
  output: string;
  /** Another photo whose cut-out would have the same name; then this one has no place. */
  clash?: string;
}

const PHOTO_NAME = /\.(jpe?g|png|webp)$/i;

/**
 * Photos in a folder and the folders in it, by name; hidden ones, links and `without` are left out.
 * @param without a folder, as an absolute path
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

/** `photo.jpg` -> `photo.png`. A file without an ending keeps its whole name. */
const renamed = (path: string, extension: string): string =>
  `${path.slice(0, path.length - extname(path).length)}.${extension}`;

/** What a path on the command line stands for: photos, each with its name in the output folder. */
async function photosOf(path: string, out: string): Promise<{ input: string; name: string }[]> {
  const found = await stat(path).catch(() => {
    throw usageError(`There is no file or folder ${path}`);
  });
  if (!found.isDirectory()) return [{ input: path, name: basename(path) }];
  const inputs = await photosUnder(path, resolve(out));
  return inputs.map((input) => ({ input, name: relative(path, input) }));
}

/**
 * Every photo that the paths stand for, with the name of its cut-out. Folders keep their inner folders.
 * @param extension of the cut-outs, without a dot
 * @throws CliError where a path does not exist, or there is no photo at all
 */
export async function planPhotos(
  paths: readonly string[],
  out: string,
  extension: string,
): Promise<Photo[]> {
  const all = (await Promise.all(paths.map((path) => photosOf(path, out)))).flat();
  if (all.length === 0) throw usageError(`There is no JPEG, PNG or WebP in ${paths.join(', ')}`);
  const takenBy = new Map<string, string>();
  return all.map(({ input, name }) => {
    const output = join(out, renamed(name, extension));
    const clash = takenBy.get(output);
    takenBy.set(output, clash ?? input);
    return { input, output, ...(clash && { clash }) };
  });
}
