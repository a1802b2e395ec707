import { type JobRecord, PENDING_STATUSES } from '../../src/intake/job-records.ts';
import { expiryOf, SETTLE_MILLIS } from '../../src/intake/job-retention.ts';
import type { ValidatedImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { Processor } from '../consume-jobs.ts';
import type { WorkerServices } from '../worker-services.ts';
import { cutOutKeyOf, processImage, withBackgroundHash } from './process-image.ts';
import {
  type FetchServices,
  type FetchTurn,
  finalProblem,
  type Input,
  openBackground,
  openInput,
  readInput,
  withFetchPermit,
} from './read-input.ts';
import type { ImageServices } from './run-engine.ts';

type EndServices = Pick<WorkerServices, 'jobs' | 'jobRetention' | 'now'>;
type RunServices = EndServices &
  ImageServices &
  FetchServices &
  Pick<WorkerServices, 'pools' | 'storedBytes'>;

/** Reads an input of a job. If it was fetched, its bytes are counted. */
async function readCounted(
  services: RunServices,
  { meter }: JobRecord,
  input: Input,
  turn: FetchTurn,
  signal: AbortSignal,
): Promise<ValidatedImage> {
  const image = await readInput(services, input, turn, signal);
  if (input.link !== undefined && meter)
    await services.storedBytes.add({ meter }, image.bytes.length);
  return image;
}

/** Runs the operations of a job; undefined if another attempt has taken over. */
async function work(
  services: RunServices,
  job: JobRecord,
  opened: { image: Input; background: Input | undefined },
  turn: FetchTurn,
  attempt: number,
  signal: AbortSignal,
) {
  const read = (input: Input) => readCounted(services, job, input, turn, signal);
  const { bytes: image, width, height, sha256 } = await read(opened.image);
  const background = opened.background && (await read(opened.background));
  const { client, weight = 1, operations } = job;
  const options = withBackgroundHash(job.options, background);
  const task = { client, weight, image, sha256, options, background };
  const outputKey = cutOutKeyOf(services.versions, job, task);
  // Recorded before the blob exists: erasing the job must find it.
  const input = { width, height, bytes: image.length, sha256 };
  if (!(await services.jobs.update(job.id, attempt, { input, outputKey }))) return undefined;
  return processImage(services, operations, task, { client, id: job.id }, signal);
}

/** Ends a job, if this attempt may. */
async function end(
  { jobs, now }: EndServices,
  job: JobRecord,
  outcome: Pick<Parameters<WorkerServices['jobs']['end']>[1], 'from' | 'to' | 'fields'>,
  attempt?: number,
): Promise<boolean> {
  const nowMillis = now();
  const { expiresAt } = expiryOf(job, nowMillis);
  const finishedAt = new Date(nowMillis).toISOString();
  return jobs.end(job, {
    ...outcome,
    ...(attempt !== undefined && { attempt }),
    fields: { ...outcome.fields, finishedAt, expiresAt },
    dueAtMillis: nowMillis + SETTLE_MILLIS,
  });
}

const failed = ({ type, detail }: Problem) =>
  ({ from: ['active', 'queued'], to: 'failed', fields: { problem: { type, detail } } }) as const;

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
      const image = await openInput(services.blobs, job.inputKey, signal);
      const background = await openBackground(services.blobs, job.backgroundKey, signal);
      const opened = { image, background };
      const link = image.link ?? background?.link;
      const run = async () => {
        number = await jobs.begin(id, new Date(services.now()).toISOString());
        if (number === undefined) return { millis: {} };
        const output = await work(services, job, opened, turn, number, signal);
        if (!output) return { millis: {} };
        const { results, millis } = output;
        const succeeded = { from: ['active'], to: 'succeeded', fields: { results } } as const;
        isEndedHere = await end(services, job, succeeded, number);
        return { millis };
      };
      return link === undefined
        ? await run()
        : await withFetchPermit(pools.background, turn, link, signal, run);
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, attempt);
      if (final) isEndedHere = await end(services, job, failed(final), number);
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
  if (!(await end(services, job, failed(problem)))) await services.jobRetention.cleanUp(job);
}
