import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type {
  Batch,
  BatchResult,
  Client,
  CreateBatchRequest,
  Operation,
} from '../../../packages/client/src/client.ts';
import { fileNameOf } from '../../output/formats.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import type { ImageOptions } from '../images/image-options.ts';
import { extensionOf, readImageOptions, withPresetFormat } from '../images/image-request.ts';
import { errorText, isFatal, problemLine } from '../terminal/error-report.ts';
import { save } from '../terminal/files.ts';
import { forEachParallel } from '../terminal/for-each-parallel.ts';
import { EXIT, type Output, print, say, usageError } from '../terminal/output.ts';
import { follow, showProgress } from '../terminal/progress.ts';
import { openSource, type Source } from './batch-source.ts';

/** Where the results of a batch are saved. */
interface DownloadOptions extends Output {
  folder: string;
  force: boolean;
  /** File extension of cut-outs, without a dot. */
  extension: string;
}

const PARALLEL_DOWNLOADS = 4;
const REPORTS = ['results', 'errors', 'manifest'] as const;

async function* toLines(rows: AsyncGenerator<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Saves results, errors and manifest under the batch's id; replaces those of an earlier call. */
async function saveReports(client: Client, id: string, folder: string, signal: AbortSignal) {
  for (const name of REPORTS) {
    const rows = client.batches[name](id, { signal });
    await save(join(folder, `${id}.${name}.ndjson`), { folder, force: true }, (temporary) =>
      pipeline(Readable.from(toLines(rows)), createWriteStream(temporary), { signal }),
    );
  }
}

const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** A file of a row that succeeded. */
interface RowFile {
  path: string;
  /** Of its content. */
  sha256: string;
  read(): Promise<string | Uint8Array>;
}

/** Returns the files of a row: its cut-out, its garments, and last the description of these. */
function filesOf(
  client: Client,
  batchId: string,
  { row, customId, cutout, outfit }: BatchResult,
  { folder, extension }: DownloadOptions,
  signal: AbortSignal,
): RowFile[] {
  const { batches } = client;
  const base = join(folder, fileNameOf(customId));
  const files: RowFile[] = [];
  if (cutout) {
    const read = async () => (await batches.cutout(batchId, row, { signal })).image;
    files.push({ path: `${base}.${extension}`, sha256: cutout.sha256, read });
  }
  if (!outfit) return files;
  for (const { index, group, cutout: garment } of outfit.garments) {
    if (!garment) continue;
    const read = async () => (await batches.garment(batchId, row, index, { signal })).image;
    files.push({ path: `${base}-${index}-${group}.png`, sha256: garment.sha256, read });
  }
  const description = `${JSON.stringify(outfit, undefined, 2)}\n`;
  const sha256 = sha256Of(description);
  files.push({ path: `${base}.json`, sha256, read: async () => description });
  return files;
}

/** Writes a file, unless an earlier call did. */
async function saveFile({ path, sha256, read }: RowFile, { folder, force }: DownloadOptions) {
  const present = await readFile(path).catch(() => undefined);
  if (present && sha256Of(present) === sha256) return;
  await save(path, { folder, force }, async (temporary) => writeFile(temporary, await read()));
}

/**
 * Downloads the reports, cut-outs and garments of a batch; files that exist already are not downloaded again.
 * @param count number of rows that succeeded
 * @returns of how many rows a file could not be saved, and how many a person should look at
 */
async function downloadBatch(
  client: Client,
  id: string,
  count: number,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<{ unsaved: number; toCheck: number }> {
  await saveReports(client, id, options.folder, signal);
  const progress = showProgress(count, 'images', options);
  let unsaved = 0;
  let toCheck = 0;
  try {
    await forEachParallel(
      client.batches.results(id, { signal }),
      PARALLEL_DOWNLOADS,
      signal,
      async (row, either) => {
        if (row.cutout?.review?.needed || row.outfit?.review.needed) toCheck++;
        try {
          for (const file of filesOf(client, id, row, options, either))
            await saveFile(file, options);
        } catch (error) {
          either.throwIfAborted();
          if (isFatal(error)) throw error;
          unsaved++;
          progress.note(`${row.customId}: ${errorText(error)}`);
        }
        progress.step();
      },
    );
  } finally {
    progress.stop();
  }
  return { unsaved, toCheck };
}

export interface BatchOptions extends ImageOptions, ServerOptions, Output {
  output?: string;
  force?: true;
  operations: Operation[];
  name?: string;
  detach?: true;
  resume?: string;
}

async function toRequest(options: BatchOptions): Promise<CreateBatchRequest> {
  const request = await withPresetFormat(await readImageOptions(options), options);
  const { backgroundImage, ...imageOptions } = request;
  if (backgroundImage) throw usageError('--background-image of a batch must be a URL');
  const { name, operations } = options;
  return { operations, options: imageOptions, ...(name !== undefined && { name }) };
}

/** Uploads a source and seals the batch. */
async function uploadAll(
  client: Client,
  batch: Batch,
  source: Source,
  options: BatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const progress = showProgress(source.total, 'rows sent', options);
  const onRow = () => progress.step();
  const resume = options.resume !== undefined;
  await source.upload(client, batch.id, { resume, signal, onRow }).finally(() => progress.stop());
  await client.batches.seal(batch.id, { signal });
}

/** Opens the source of a batch that accepts rows and reports those that cannot be sent; undefined for one that does not. */
async function openSourceFor(path: string | undefined, status: Batch['status']) {
  if (status !== 'open') return undefined;
  if (path === undefined) throw usageError('The batch is open: name the file or folder to upload');
  const source = await openSource(path);
  for (const { line, customId, detail } of source.invalidRows) {
    console.error(`line ${line}${customId ? ` (${customId})` : ''}: ${detail}`);
  }
  if (source.total === 0) throw usageError(`There is no image in ${path}`);
  return source;
}

/** Prints the failures, by the lines of the source if it is known. */
async function reportFailures(
  client: Client,
  id: string,
  source: Source | undefined,
  signal: AbortSignal,
): Promise<void> {
  for await (const { customId, line, problem } of client.batches.errors(id, { signal })) {
    const own = customId === undefined ? undefined : source?.lineOf(customId);
    const name = own === undefined ? (customId ?? `line ${line}`) : `line ${own} (${customId})`;
    console.error(`${name}: ${problemLine(problem)}`);
  }
}

/**
 * Waits for the end, reports failures and downloads the rest.
 * @param source what was uploaded, if it was in this call
 * @returns how many rows failed
 */
async function finish(
  client: Client,
  { id, options: imageOptions = {} }: Batch,
  source: Source | undefined,
  options: BatchOptions,
  signal: AbortSignal,
): Promise<number> {
  const unsent = source?.invalidRows ?? [];
  await follow(client.batches.events(id, { signal }), options);
  const ended = await client.batches.get(id, { signal });
  const { status, counts } = ended;
  if (counts.failed + counts.rejected > 0) await reportFailures(client, id, source, signal);
  const { output: folder = '.', force = false } = options;
  const download = { ...options, folder, force, extension: extensionOf(imageOptions) };
  const { unsaved, toCheck } = await downloadBatch(client, id, counts.succeeded, download, signal);
  const { succeeded, failed, rejected, canceled } = counts;
  say(options, `${id} ${status}: ${succeeded} succeeded, ${failed} failed, ${rejected} rejected.`);
  const repeated = ended.duplicates?.rows ?? 0;
  if (repeated > 0)
    say(options, `${repeated} repeat the picture of another row: see "duplicateOf".`);
  if (toCheck > 0) say(options, `${toCheck} to check: see "review" in ${id}.results.ndjson.`);
  const ending = { id, status, counts, unsent, output: folder, unsaved, toCheck, repeated };
  if (options.json) print(options, ending, '');
  return failed + rejected + canceled + unsaved + unsent.length;
}

/** Uploads, seals, waits and downloads; or continues where an earlier call ended. */
export async function runBatch(
  path: string | undefined,
  options: BatchOptions,
  signal: AbortSignal,
) {
  const { resume, detach, output } = options;
  if (!detach && !output) throw usageError('Name the output folder: -o <folder>; or pass --detach');
  const client = connect(options);
  const source = resume ? undefined : await openSourceFor(path, 'open');
  const batch = resume
    ? await client.batches.get(resume, { signal })
    : await client.batches.create(await toRequest(options), { signal });
  if (!detach) say(options, batch.id);
  try {
    const uploaded = source ?? (await openSourceFor(path, batch.status));
    if (uploaded) await uploadAll(client, batch, uploaded, options, signal);
    const unsent = uploaded?.invalidRows ?? [];
    if (detach) print(options, { id: batch.id, unsent }, batch.id);
    const failed = detach ? unsent.length : await finish(client, batch, uploaded, options, signal);
    if (failed > 0) process.exitCode = EXIT.failed;
  } catch (error) {
    if (signal.aborted)
      console.error(`The server continues. To fetch results: selvage batch --resume ${batch.id}`);
    throw error;
  }
}
