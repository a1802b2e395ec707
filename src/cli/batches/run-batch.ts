import type {
  Batch,
  Client,
  CreateBatchRequest,
  Operation,
} from '../../../packages/client/src/client.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import type { ImageOptions } from '../images/image-options.ts';
import { extensionOf, readImageOptions, withPresetFormat } from '../images/image-request.ts';
import { problemLine } from '../terminal/error-report.ts';
import { EXIT, usageError } from '../terminal/exit.ts';
import { type Output, print, say } from '../terminal/output.ts';
import { follow, showProgress } from '../terminal/progress.ts';
import { downloadBatch } from './batch-download.ts';
import { openSource, type Source } from './batch-source.ts';

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
