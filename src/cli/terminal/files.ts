import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { z } from 'zod';
import { fileErrorText, hasCode } from '../../platform/system-error.ts';
import { CliError, usageError } from './output.ts';

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`${file} is not JSON: ${cause instanceof Error ? cause.message : cause}`);
  }
}

/** @throws CliError if there is no such file */
export const readInput = (file: string): Promise<Buffer> =>
  readFile(file).catch(() => {
    throw usageError(`There is no file ${file}`);
  });

/** Reads a JSON file. @throws CliError if it does not exist, is not JSON or does not match the schema */
export async function readJsonFile<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw usageError(hasCode(error, 'ENOENT') ? `There is no file ${file}` : fileErrorText(error));
  });
  const parsed = schema.safeParse(parseJson(text, file));
  if (parsed.success) return parsed.data;
  throw usageError(`${file}: ${z.prettifyError(parsed.error)}`);
}

const fileExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const alreadyExists = (path: string) => new CliError(`${path} exists already; --force replaces it`);

/** Reserves a free name with an empty file, which is then replaced. */
async function claim(path: string): Promise<void> {
  const file = await open(path, 'wx').catch((cause) => {
    throw cause.code === 'EEXIST' ? alreadyExists(path) : cause;
  });
  await file.close();
}

interface SaveOptions {
  /** Nothing is written outside it, not even through links. Created if missing. */
  folder: string;
  /** Whether to replace an existing file. */
  force: boolean;
}

/** Creates the folder of a file if missing, and returns it. Throws if it is outside. */
async function ensureFolder(path: string, { folder }: SaveOptions): Promise<string> {
  const parent = dirname(path);
  await mkdir(parent, { recursive: true });
  const [root, real] = await Promise.all([realpath(folder), realpath(parent)]);
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return parent;
  throw new CliError(`${path} is outside ${folder}`);
}

/**
 * Writes a file under a temporary name and renames it when it is complete; a failure leaves nothing.
 * @param write writes the file at the given path
 * @throws CliError if the file exists, or the path is outside the folder
 */
export async function save<T>(
  path: string,
  options: SaveOptions,
  write: (temporary: string) => Promise<T>,
): Promise<T> {
  if (!options.force && (await fileExists(path))) throw alreadyExists(path);
  await mkdir(options.folder, { recursive: true });
  const folder = await ensureFolder(path, options);
  const temporary = join(folder, `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  try {
    const result = await write(temporary);
    if (!options.force) await claim(path);
    await rename(temporary, path);
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Saves what is in memory, as `save` does. @param options the folder of the path by default */
export const saveBytes = (
  path: string,
  bytes: string | Uint8Array,
  { folder = dirname(path), force }: Partial<SaveOptions> & Pick<SaveOptions, 'force'>,
): Promise<void> => save(path, { folder, force }, (temporary) => writeFile(temporary, bytes));
