import { modelVersionOf } from '../models/catalog.ts';
import { type JobRecord, PENDING_STATUSES } from '../src/intake/job-records.ts';
import { expiryOf, SETTLE_MILLIS } from '../src/intake/job-retention.ts';
import type { ValidatedImage } from '../src/intake/validate-image.ts';
import { formatOf } from '../src/output/options.ts';
import { Problem } from '../src/platform/problem.ts';
import { cutOutKey, garmentsPrefix } from '../src/storage/blob-keys.ts';
import type { Processor } from './attempt.ts';
import {
  type FetchServices,
  type FetchTurn,
  fetchInput,
  type Input,
  openBackground,
  openInput,
  withFetchPermit,
} from './fetch-input.ts';
import { finalProblem } from './final-problem.ts';
import type { ImageServices } from './image-job.ts';
import { cacheOptions, runOperations, withBackgroundHash } from './job-operations.ts';
import type { WorkerServices } from './worker-services.ts';

type EndServices = Pick<WorkerServices, 'jobs' | 'jobRetention' | 'now'>;
type RunServices = EndServices &
  ImageServices &
  FetchServices &
  Pick<WorkerServices, 'pools' | 'storedBytes'>;

/** What a job works on. */
interface Inputs {
  image: Input;
  background: Input | undefined;
}

async function openInputs(
  { blobs }: RunServices,
  job: JobRecord,
  signal: AbortSignal,
): Promise<Inputs> {
  const image = await openInput(blobs, job.inputKey, signal);
  return { image, background: await openBackground(blobs, job.backgroundKey, signal) };
}

/** Reads an input of a job. If it was fetched, its bytes are counted. */
async function readInput(
  services: RunServices,
  { meter }: JobRecord,
  input: Input,
  turn: FetchTurn,
  signal: AbortSignal,
): Promise<ValidatedImage> {
  const image = await fetchInput(services, input, turn, signal);
  if (input.link !== undefined && meter)
    await services.storedBytes.add({ meter }, image.bytes.length);
  return image;
}

/** Runs the operations of a job; undefined if another attempt has taken over. */
async function work(
  services: RunServices,
  job: JobRecord,
  opened: Inputs,
  turn: FetchTurn,
  attempt: number,
  signal: AbortSignal,
) {
  const { engine, jobs } = services;
  const { width, height, bytes, sha256 } = await readInput(
    services,
    job,
    opened.image,
    turn,
    signal,
  );
  const background =
    opened.background && (await readInput(services, job, opened.background, turn, signal));
  const model = modelVersionOf(engine.model);
  const options = withBackgroundHash(job.options, background);
  const { client } = job;
  const cacheInputs = { client, sha256, model, options: cacheOptions(engine, options) };
  const outputKey = cutOutKey(cacheInputs, job.id, formatOf(options).extension);
  // Recorded before the blob exists: erasing the job must find it.
  const input = { width, height, bytes: bytes.length, sha256 };
  if (!(await jobs.update(job.id, attempt, { input, outputKey }))) return undefined;
  const { weight = 1 } = job;
  const prefix = garmentsPrefix(client, sha256, job.id);
  const task = {
    client,
    sha256,
    options,
    weight,
    outputKey,
    image: bytes,
    background,
    garmentsPrefix: prefix,
  };
  return runOperations(services, job.operations, task, signal);
}

/** Returns whether this ended the job. */
async function fail(
  { jobs, now }: EndServices,
  job: JobRecord,
  { type, detail }: Problem,
  attempt?: number,
): Promise<boolean> {
  const nowMillis = now();
  const { expiresAt } = expiryOf(job, nowMillis);
  const finishedAt = new Date(nowMillis).toISOString();
  return jobs.end(job, {
    from: ['active', 'queued'],
    to: 'failed',
    ...(attempt !== undefined && { attempt }),
    fields: { problem: { type, detail }, finishedAt, expiresAt },
    dueAtMillis: nowMillis + SETTLE_MILLIS,
  });
}

/** Records the success of a job; returns false if another attempt has taken over. */
async function complete(
  { jobs, now }: EndServices,
  job: JobRecord,
  attempt: number,
  output: Awaited<ReturnType<typeof work>>,
): Promise<boolean> {
  if (!output) return false;
  const nowMillis = now();
  const { expiresAt } = expiryOf(job, nowMillis);
  const finishedAt = new Date(nowMillis).toISOString();
  return jobs.end(job, {
    from: ['active'],
    to: 'succeeded',
    attempt,
    fields: { results: output.results, finishedAt, expiresAt },
    dueAtMillis: nowMillis + SETTLE_MILLIS,
  });
}

/**
 * Runs one accepted job. Its record is the authority: only the first attempt to complete it counts, and a
 * later one deletes what it made. The sweeper deletes what the job no longer needs.
 */
export const runJob =
  (services: RunServices): Processor<'run-job'> =>
  async ({ id }, signal, attempt) => {
    const { jobs, jobRetention, pools } = services;
    const job = await jobs.get(id);
    if (!job) return { millis: {} };
    const turn = { client: job.client, attempt };
    /** The number of this attempt in the record. */
    let number: number | undefined;
    let isEndedHere = false;
    try {
      if (!PENDING_STATUSES.includes(job.status)) return { millis: {} };
      const opened = await openInputs(services, job, signal);
      const link = opened.image.link ?? opened.background?.link;
      return await withFetchPermit(pools.background, turn, link, signal, async () => {
        number = await jobs.begin(id, new Date(services.now()).toISOString());
        if (number === undefined) return { millis: {} };
        const output = await work(services, job, opened, turn, number, signal);
        isEndedHere = await complete(services, job, number, output);
        return { millis: output?.millis ?? {} };
      });
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, attempt);
      if (final) isEndedHere = await fail(services, job, final, number);
      throw final ?? error;
    } finally {
      if (!isEndedHere) await jobRetention.cleanUp(job);
    }
  };

/** Fails a job whose workers died too often. */
export async function failJob(services: EndServices, id: string): Promise<void> {
  const job = await services.jobs.get(id);
  if (!job) return;
  const problem = new Problem(
    'upstream-failed',
    'The work was interrupted too often; send it again',
  );
  if (!(await fail(services, job, problem))) await services.jobRetention.cleanUp(job);
}
