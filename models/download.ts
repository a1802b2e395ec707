import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogModel, ModelError } from './catalog.ts';

export interface DownloadOptions {
  /** Ends the download; what has come so far is kept for the next time. */
  signal: AbortSignal;
  /** Called with the bytes on disk, the resumed ones included. */
  onProgress(bytes: number): void;
}

const fileOf = (model: CatalogModel) => join(model.folder, model.file);

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

async function addFile(hash: Hash, file: string): Promise<void> {
  for await (const chunk of createReadStream(file)) hash.update(chunk);
}

/** Whether the weights are there, whole and unaltered. */
export async function isPulled(model: CatalogModel): Promise<boolean> {
  if ((await sizeOf(fileOf(model))) !== model.bytes) return false;
  const hash = createHash('sha256');
  await addFile(hash, fileOf(model));
  return hash.digest('hex') === model.sha256;
}

/** Asks for what is missing. A server that cannot resume sends all from the beginning. */
async function request(url: string, from: number, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
  const response = await fetch(url, { headers, signal }).catch((cause) => {
    signal.throwIfAborted();
    throw new ModelError(`${url} cannot be reached`, { cause });
  });
  if (response.ok && response.body) return response;
  await response.body?.cancel();
  throw new ModelError(`${url} answers ${response.status} ${response.statusText}`);
}

/** Appends the body to the file, until it ends, grows too large or is given up. */
async function append(
  response: Response,
  file: FileHandle,
  hash: Hash,
  bytesBefore: number,
  model: CatalogModel,
  { signal, onProgress }: DownloadOptions,
): Promise<void> {
  let bytes = bytesBefore;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      hash.update(chunk);
      if (bytes > model.bytes) break; // an endless answer must not fill the disk; its hash is wrong
      await file.write(chunk);
      onProgress(bytes);
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new ModelError('The connection broke; the same command goes on where it stopped', {
      cause,
    });
  }
  if (bytes < model.bytes)
    throw new ModelError(
      `Only ${bytes} of ${model.bytes} bytes came; the same command goes on where it stopped`,
    );
}

/**
 * Downloads the weights of a model to where the engine looks for them. They grow in a `.part` file beside
 * it, which a later call continues, and take their name only when their sha256 is the catalogue's.
 * @throws ModelError where they cannot be had, or are not what the catalogue says; the signal's reason
 */
export async function download(model: CatalogModel, options: DownloadOptions): Promise<void> {
  if (!model.url) throw new ModelError(`${model.id} comes with the project: nothing to pull`);
  const part = `${fileOf(model)}.part`;
  await mkdir(model.folder, { recursive: true });
  if ((await sizeOf(part)) > model.bytes) await rm(part);
  const hash = createHash('sha256');
  if ((await sizeOf(part)) < model.bytes) await fill(model, model.url, part, hash, options);
  else await addFile(hash, part);
  const sha256 = hash.digest('hex');
  if (sha256 !== model.sha256) {
    await rm(part);
    throw new ModelError(
      `What came for ${model.id} is not what the catalogue says: its sha256 is ${sha256}`,
    );
  }
  await rename(part, fileOf(model));
}

async function fill(
  model: CatalogModel,
  url: string,
  part: string,
  hash: Hash,
  options: DownloadOptions,
): Promise<void> {
  const response = await request(url, await sizeOf(part), options.signal);
  const file = await open(part, response.status === 206 ? 'a' : 'w');
  try {
    const { size } = await file.stat();
    await addFile(hash, part);
    await append(response, file, hash, size, model, options);
    await file.sync();
  } finally {
    await file.close();
  }
}
