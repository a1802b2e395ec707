import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogModel, ModelError } from './catalog.ts';

interface DownloadOptions {
  /** Aborts the download; the partial file is kept and resumed by the next call. */
  signal: AbortSignal;
  /** Called with the bytes on disk, including those of earlier calls. */
  onProgress(bytes: number): void;
}

const weightsFile = (model: CatalogModel) => join(model.folder, model.file);

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

async function hashFile(hash: Hash, file: string): Promise<void> {
  for await (const chunk of createReadStream(file)) hash.update(chunk);
}

/** Whether the weights are present, complete and unaltered. */
export async function isPulled(model: CatalogModel): Promise<boolean> {
  if ((await sizeOf(weightsFile(model))) !== model.bytes) return false;
  const hash = createHash('sha256');
  await hashFile(hash, weightsFile(model));
  return hash.digest('hex') === model.sha256;
}

/** Requests the missing bytes. A server without range support sends the whole file. */
async function requestFrom(url: string, from: number, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
  const response = await fetch(url, { headers, signal }).catch((cause) => {
    signal.throwIfAborted();
    throw new ModelError(`${url} cannot be reached`, { cause });
  });
  if (response.ok && response.body) return response;
  await response.body?.cancel();
  throw new ModelError(`${url} responded with ${response.status} ${response.statusText}`);
}

/** Appends the body to the file until it ends, grows too large or is aborted. */
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
      if (bytes > model.bytes) break; // an endless body must not fill the disk; its hash is wrong
      await file.write(chunk);
      onProgress(bytes);
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new ModelError('The connection broke; run the same command again to resume', { cause });
  }
  if (bytes < model.bytes)
    throw new ModelError(
      `Only ${bytes} of ${model.bytes} bytes arrived; run the same command again to resume`,
    );
}

/**
 * Downloads the weights of a model into its folder. They are written to a `.part` file, which a later call
 * resumes, and renamed only once their sha256 matches the catalogue.
 * @throws ModelError if the download fails or does not match the catalogue; the signal's reason if aborted
 */
export async function download(model: CatalogModel, options: DownloadOptions): Promise<void> {
  if (!model.url) throw new ModelError(`${model.id} is bundled: nothing to pull`);
  const part = `${weightsFile(model)}.part`;
  await mkdir(model.folder, { recursive: true });
  if ((await sizeOf(part)) > model.bytes) await rm(part);
  const hash = createHash('sha256');
  if ((await sizeOf(part)) < model.bytes) await fill(model, model.url, part, hash, options);
  else await hashFile(hash, part);
  const sha256 = hash.digest('hex');
  if (sha256 !== model.sha256) {
    await rm(part);
    throw new ModelError(
      `The download of ${model.id} does not match the catalogue: its sha256 is ${sha256}`,
    );
  }
  await rename(part, weightsFile(model));
}

async function fill(
  model: CatalogModel,
  url: string,
  part: string,
  hash: Hash,
  options: DownloadOptions,
): Promise<void> {
  const response = await requestFrom(url, await sizeOf(part), options.signal);
  const file = await open(part, response.status === 206 ? 'a' : 'w');
  try {
    const { size } = await file.stat();
    await hashFile(hash, part);
    await append(response, file, hash, size, model, options);
    await file.sync();
  } finally {
    await file.close();
  }
}
