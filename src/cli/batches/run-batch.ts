import type { Batch, Client, CreateBatchRequest, Operation } from '../../client/client.ts';
import { connect } from '../connection/connect.ts';
import type { PlaceOptions } from '../connection/server-profile.ts';
import type { ImageOptions } from '../images/image-options.ts';
import { extensionOf, readImageOptions } from '../images/image-request.ts';
import { problemText } from '../terminal/error-report.ts';
import { EXIT, usageError } from '../terminal/exit.ts';
import { type Output, print, say } from '../terminal/output.ts';
import { watch } from '../terminal/progress.ts';
import { downloadBatch } from './batch-download.ts';
import { openSource, type Source } from './batch-source.ts';
import { follow } from './follow.ts';

export interface BatchOptions extends ImageOptions, PlaceOptions, Output {
  output?: string;
  force?: true;
  operations: Operation[];
  name?: string;
  detach?: true;
  resume?: string;
}

async function wishOf(options: BatchOptions): Promise<CreateBatchRequest> {
  const { backgroundImage, ...look } = await readImageOptions(options);
  if (backgroundImage) throw usageError('--background-image of a batch is an address');
  const { name, operations } = options;
  return { operations, options: look, ...(name !== undefined && { name }) };
}

/** Sends a source and seals the batch; tells which rows cannot be sent. */
async function sendAll(
  client: Client,
  batch: Batch,
  source: Source,
  options: BatchOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { line, customId, detail } of source.faults) {
    console.error(`line ${line}${customId ? ` (${customId})` : ''}: ${detail}`);
  }
  const progress = watch(source.total, 'rows sent', options);
  const onRow = () => progress.step();
  const resume = options.resume !== undefined;
  await source.send(client, batch.id, { resume, signal, onRow }).finally(() => progress.stop());
  await client.batches.seal(batch.id, { signal });
}

/** The source of a batch that takes rows; nothing of one that takes none any more. */
async function sourceFor(path: string | undefined, status: Batch['status']) {
  if (status !== 'open') return undefined;
  if (path === undefined) throw usageError('The batch is open: name the file or folder to send');
  const source = await openSource(path);
  if (source.total === 0) throw usageError(`There is no image in ${path}`);
  return source;
}

async function tellFailures(client: Client, id: string, signal: AbortSignal): Promise<void> {
  for await (const { customId, line, problem } of client.batches.errors(id, { signal })) {
    console.error(`${customId ?? `line ${line}`}: ${problemText(problem)}`);
  }
}

/**
 * Waits for the end, tells what failed, downloads the rest.
 * @param unsent rows that were not sent
 * @returns how many pieces failed
 */
async function finish(
  client: Client,
  { id, options: look = {} }: Batch,
  unsent: Source['faults'],
  options: BatchOptions,
  signal: AbortSignal,
): Promise<number> {
  await follow(client.batches.events(id, { signal }), options);
  const ended = await client.batches.get(id, { signal });
  const { status, counts } = ended;
  if (counts.failed + counts.rejected > 0) await tellFailures(client, id, signal);
  const { output: folder = '.', force = false } = options;
  const place = { ...options, folder, force, extension: extensionOf(look) };
  const unsaved = await downloadBatch(client, id, counts.succeeded, place, signal);
  const { succeeded, failed, rejected, canceled } = counts;
  say(options, `${id} ${status}: ${succeeded} succeeded, ${failed} failed, ${rejected} rejected.`);
  if (options.json) print(options, { id, status, counts, unsent, output: folder, unsaved }, '');
  return failed + rejected + canceled + unsaved + unsent.length;
}

/** Sends, seals, waits and downloads; or goes on with what an earlier call began. */
export async function runBatch(
  path: string | undefined,
  options: BatchOptions,
  signal: AbortSignal,
) {
  const { resume, detach, output } = options;
  if (!detach && !output) throw usageError('Say where results go: -o <folder>; or --detach');
  const client = connect(options);
  const source = resume ? undefined : await sourceFor(path, 'open');
  const batch = resume
    ? await client.batches.get(resume, { signal })
    : await client.batches.create(await wishOf(options), { signal });
  if (!detach) say(options, batch.id);
  try {
    const sent = source ?? (await sourceFor(path, batch.status));
    if (sent) await sendAll(client, batch, sent, options, signal);
    const unsent = sent?.faults ?? [];
    if (detach) print(options, { id: batch.id, unsent }, batch.id);
    const failed = detach ? unsent.length : await finish(client, batch, unsent, options, signal);
    if (failed > 0) process.exitCode = EXIT.failed;
  } catch (error) {
    if (signal.aborted)
      console.error(`It goes on at the server: selvage batch --resume ${batch.id}`);
    throw error;
  }
}
