import type { JobRecord, JobRecords } from '../src/intake/job-records.ts';
import { expiryOf, type JobRetention } from '../src/intake/job-retention.ts';
import { formatOf } from '../src/output/options.ts';
import type { Clock } from '../src/platform/clock.ts';
import { Problem } from '../src/platform/problem.ts';
import { cutOutKey } from '../src/storage/blob-keys.ts';
import type { Processor } from './attempt.ts';
import { type FetchInputDeps, fetchBackground, fetchInput } from './fetch-input.ts';
import { finalProblem } from './final-problem.ts';
import type { ImageDeps } from './image-job.ts';
import { runOperations, withBackgroundHash } from './job-operations.ts';

interface FailJobDeps {
  records: JobRecords;
  retention: JobRetention;
  /** Redis's time. */
  now: Clock;
}

interface RunJobDeps extends FailJobDeps {
  images: ImageDeps;
  inputs: FetchInputDeps;
}

/** Runs the operations of a job; undefined if another attempt has taken over. */
async function work(
  { images, inputs, records }: RunJobDeps,
  job: JobRecord,
  attempt: number,
  signal: AbortSignal,
) {
  const { engine } = images;
  const { width, height, bytes, sha256 } = await fetchInput(inputs, job, signal);
  const background = await fetchBackground(inputs, job.backgroundKey, signal);
  const model = `${engine.model.id}@${engine.model.version}`;
  const options = withBackgroundHash(job.options, background);
  const cacheInputs = { client: job.client, sha256, options };
  const outputKey = cutOutKey({ ...cacheInputs, model }, job.id, formatOf(options).extension);
  // Recorded before the blob exists: erasing the job must find it.
  const input = { width, height, bytes: bytes.length, sha256 };
  if (!(await records.update(job.id, attempt, { input, outputKey }))) return undefined;
  const { weight = 1 } = job;
  const task = { ...cacheInputs, weight, outputKey, image: bytes, background };
  return runOperations(images, job.operations, task, signal);
}

async function fail(
  { records, now }: FailJobDeps,
  job: JobRecord,
  { type, detail }: Problem,
  attempt?: number,
): Promise<void> {
  const nowMillis = now();
  const { dueAtMillis, expiresAt } = expiryOf(job, nowMillis);
  const finishedAt = new Date(nowMillis).toISOString();
  await records.end(job, {
    from: ['active', 'queued'],
    to: 'failed',
    ...(attempt !== undefined && { attempt }),
    fields: { problem: { type, detail }, finishedAt, expiresAt },
    dueAtMillis,
  });
}

/**
 * Runs one accepted job. Its record is the authority: only the first attempt to complete it counts, and a
 * later one deletes what it made.
 */
export const runJob =
  (deps: RunJobDeps): Processor<'run-job'> =>
  async ({ id }, signal, isLastTry) => {
    const { records, retention, now } = deps;
    const attempt = await records.begin(id, new Date(now()).toISOString());
    const job = await records.get(id);
    if (!job) return { millis: {} };
    try {
      if (attempt === undefined) return { millis: {} };
      const output = await work(deps, job, attempt, signal);
      if (!output) return { millis: {} };
      const nowMillis = now();
      const { dueAtMillis, expiresAt } = expiryOf(job, nowMillis);
      const finishedAt = new Date(nowMillis).toISOString();
      await records.end(job, {
        from: ['active'],
        to: 'succeeded',
        attempt,
        fields: { results: output.results, finishedAt, expiresAt },
        dueAtMillis,
      });
      return { millis: output.millis };
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, isLastTry);
      if (final) await fail(deps, job, final, attempt);
      throw final ?? error;
    } finally {
      await retention.cleanUp(job);
    }
  };

/** Fails a job whose workers died too often. */
export async function failJob(deps: FailJobDeps, id: string): Promise<void> {
  const job = await deps.records.get(id);
  if (!job) return;
  const problem = new Problem(
    'upstream-failed',
    'The work was interrupted too often; send it again',
  );
  await fail(deps, job, problem);
  await deps.retention.cleanUp(job);
}
