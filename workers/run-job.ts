import { expiryOf, type Keeping } from '../src/jobs/keeping.ts';
import { formatOf } from '../src/jobs/output.ts';
import type { JobRecord, Records } from '../src/jobs/records.ts';
import { Problem } from '../src/problem.ts';
import { cutOutKey } from '../src/store/keys.ts';
import type { Processor } from './attempt.ts';
import { type FetchInputParts, fetchBackground, fetchInput } from './fetch-input.ts';
import { finalProblem } from './final-problem.ts';
import type { ImageParts } from './image-job.ts';
import { optionsWith, perform } from './job-operations.ts';

interface JobParts {
  records: Records;
  keeping: Keeping;
  /** Epoch milliseconds, as Redis has it; this host's where nothing is said. */
  now?(): number;
}

/** What accepted jobs are worked on with. */
export interface RunJobParts extends ImageParts, FetchInputParts, JobParts {}

const nowOf = ({ now = Date.now }: JobParts): number => now();

/** What a job asks for, done; nothing where another attempt has taken over. */
async function work(parts: RunJobParts, job: JobRecord, attempt: number, signal: AbortSignal) {
  const { engine, records } = parts;
  const { width, height, bytes, sha256 } = await fetchInput(parts, job, signal);
  const background = await fetchBackground(parts, job.backgroundKey, signal);
  const model = `${engine.model.id}@${engine.model.version}`;
  const options = optionsWith(job.options, background);
  const makings = { client: job.client, sha256, options };
  const outputKey = cutOutKey({ ...makings, model }, job.id, formatOf(options).extension);
  // Told before the blob is there: whoever erases the job must know what to look for.
  const input = { width, height, bytes: bytes.length, sha256 };
  if (!(await records.note(job.id, attempt, { input, outputKey }))) return undefined;
  const task = { ...makings, outputKey, image: bytes, background };
  return perform(parts, job.operations, task, signal);
}

async function fail(parts: JobParts, job: JobRecord, problem: Problem, attempt?: number) {
  const now = nowOf(parts);
  const { dueAtMillis, expiresAt } = expiryOf(job, now);
  const { type, detail } = problem;
  await parts.records.end(job, {
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
  (parts: RunJobParts): Processor<'run-job'> =>
  async ({ id }, signal, isLastTry) => {
    const { records, keeping } = parts;
    const attempt = await records.begin(id, new Date(nowOf(parts)).toISOString());
    const job = await records.get(id);
    if (!job) return { millis: {} };
    try {
      if (attempt === undefined) return { millis: {} };
      const done = await work(parts, job, attempt, signal);
      if (!done) return { millis: {} };
      const now = nowOf(parts);
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
      if (final) await fail(parts, job, final, attempt);
      throw final ?? error;
    } finally {
      await keeping.tidy(job);
    }
  };

/** Ends a job whose workers died under it too often. */
export async function giveUpJob(parts: JobParts, id: string): Promise<void> {
  const job = await parts.records.get(id);
  if (!job) return;
  const problem = new Problem(
    'upstream-failed',
    'The work was interrupted too often; send it again',
  );
  await fail(parts, job, problem);
  await parts.keeping.tidy(job);
}
