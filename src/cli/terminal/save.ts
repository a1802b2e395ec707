import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { CliError } from './exit.ts';

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const exists = (path: string) => new CliError(`${path} exists already; --force replaces it`);

/** Takes a name that nobody has; the file is empty for the moment until it is replaced. */
async function claim(path: string): Promise<void> {
  const file = await open(path, 'wx').catch((cause) => {
    throw cause.code === 'EEXIST' ? exists(path) : cause;
  });
  await file.close();
}

export interface SaveOptions {
  /** Nothing is written outside it, also where links lead there; made when missing. */
  folder: string;
  /** Whether a file of that name is replaced. */
  force: boolean;
}

/** The folder of a file, made when missing. Throws where it is outside. */
async function folderFor(path: string, { folder }: SaveOptions): Promise<string> {
  const own = dirname(path);
  await mkdir(own, { recursive: true });
  const [root, real] = await Promise.all([realpath(folder), realpath(own)]);
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return own;
  throw new CliError(`${path} is outside ${folder}`);
}

/**
 * Has a file made under another name and renames it when it is whole; a failure leaves nothing.
 * @param make writes the file whose path it is given
 * @throws CliError where a file of that name is there, or the path is outside the folder
 */
export async function save<T>(
  path: string,
  options: SaveOptions,
  make: (unfinished: string) => Promise<T>,
): Promise<T> {
  if (!options.force && (await isThere(path))) throw exists(path);
  await mkdir(options.folder, { recursive: true });
  const folder = await folderFor(path, options);
  const unfinished = join(folder, `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  try {
    const made = await make(unfinished);
    if (!options.force) await claim(path);
    await rename(unfinished, path);
    return made;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
