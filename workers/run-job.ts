import type { JobRecord, JobRecords } from '../src/intake/job-records.ts';
import { expiryOf, type JobRetention } from '../src/intake/job-retention.ts';
import { formatOf } from '../src/output/options.ts';
import { Problem } from '../src/platform/problem.ts';
import { cutOutKey } from '../src/storage/blob-keys.ts';
import type { Processor } from './attempt.ts';
import { type FetchInputDeps, fetchBackground, fetchInput } from './fetch-input.ts';
import { finalProblem } from './final-problem.ts';
import type { ImageDeps } from './image-job.ts';
import { optionsWith, perform } from './job-operations.ts';

interface JobDeps {
  records: JobRecords;
  keeping: JobRetention;
  /** Epoch milliseconds, as Redis has it; this host's where nothing is said. */
  now?(): number;
}

/** What accepted jobs are worked on with. */
export interface RunJobDeps extends ImageDeps, FetchInputDeps, JobDeps {}

const nowOf = ({ now = Date.now }: JobDeps): number => now();

/** What a job asks for, done; nothing where another attempt has taken over. */
async function work(deps: RunJobDeps, job: JobRecord, attempt: number, signal: AbortSignal) {
  const { engine, records } = deps;
  const { width, height, bytes, sha256 } = await fetchInput(deps, job, signal);
  const background = await fetchBackground(deps, job.backgroundKey, signal);
  const model = `${engine.model.id}@${engine.model.version}`;
  const options = optionsWith(job.options, background);
  const makings = { client: job.client, sha256, options };
  const outputKey = cutOutKey({ ...makings, model }, job.id, formatOf(options).extension);
  // Told before the blob is there: whoever erases the job must know what to look for.
  const input = { width, height, bytes: bytes.length, sha256 };
  if (!(await records.note(job.id, attempt, { input, outputKey }))) return undefined;
  const task = { ...makings, outputKey, image: bytes, background };
  return perform(deps, job.operations, task, signal);
}

async function fail(deps: JobDeps, job: JobRecord, problem: Problem, attempt?: number) {
  const now = nowOf(deps);
  const { dueAtMillis, expiresAt } = expiryOf(job, now);
  const { type, detail } = problem;
  await deps.records.end(job, {
    from: ['active', 'queued'],
    to: 'failed',
    ...(attempt !== undefined && { attempt }),
    fields: { problem: { type, detail }, finishedAt: new Date(now).toISOString(), expiresAt },
    dueAtMillis,
  });
}

/**
 * Works on one accepted job. Its record says what is true: whoever moves it to its end is the one
 * that counts, and an attempt that comes too late leaves nothing behind.
 */
export const runJob =
  (deps: RunJobDeps): Processor<'run-job'> =>
  async ({ id }, signal, isLastTry) => {
    const { records, keeping } = deps;
    const attempt = await records.begin(id, new Date(nowOf(deps)).toISOString());
    const job = await records.get(id);
    if (!job) return { millis: {} };
    try {
      if (attempt === undefined) return { millis: {} };
      const done = await work(deps, job, attempt, signal);
      if (!done) return { millis: {} };
      const now = nowOf(deps);
      const { dueAtMillis, expiresAt } = expiryOf(job, now);
      const finishedAt = new Date(now).toISOString();
      await records.end(job, {
        from: ['active'],
        to: 'succeeded',
        attempt,
        fields: { results: done.results, finishedAt, expiresAt },
        dueAtMillis,
      });
      return { millis: done.millis };
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, isLastTry);
      if (final) await fail(deps, job, final, attempt);
      throw final ?? error;
    } finally {
      await keeping.tidy(job);
    }
  };

/** Ends a job whose workers died under it too often. */
export async function failJob(deps: JobDeps, id: string): Promise<void> {
  const job = await deps.records.get(id);
  if (!job) return;
  const problem = new Problem(
    'upstream-failed',
    'The work was interrupted too often; send it again',
  );
  await fail(deps, job, problem);
  await deps.keeping.tidy(job);
}
