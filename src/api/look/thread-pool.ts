import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Registry } from 'prom-client';
import type { Logger } from '../../platform/log.ts';
import { createLookMetrics } from '../../platform/metrics/look.ts';
import { Problem, unavailable } from '../../platform/problem.ts';
import { deserializeProblem } from '../../queue/serialized-problem.ts';
import { isHeavy } from '../../queue/service-time.ts';
import type { TurnOwner } from '../../queue/turns.ts';
import { createClientTurns, type WaitingTask } from './client-turns.ts';
import { predictedTurns } from './predicted-work.ts';
import type { ComputedJson, ThreadData, ThreadResult, ThreadTask } from './thread-protocol.ts';

/** Whose request it is, and a signal that aborts when the client disconnects. */
interface TaskOwner extends TurnOwner {
  signal: AbortSignal;
}

/** Runs requests in threads, in turns by client. */
export interface LookThreads {
  /**
   * Resolves with the response as JSON. Rejects with the Problem of an invalid request, with
   * upstream-unavailable if too many requests wait or the deadline passes, or with the signal's reason.
   */
  run(task: ThreadTask, owner: TaskOwner): Promise<ComputedJson>;
  close(): Promise<void>;
}

interface LookThreadsDeps extends ThreadData {
  /** Maximum number of threads. Heavy work does not take the last one; if this is 1, another starts beside it. */
  threads: number;
  /** Maximum time of a request in milliseconds, waiting included. */
  deadlineMillis: number;
  /**
   * A computation may run on for so long after its client has left, milliseconds. Ending it replaces
   * its thread, so this should be about as long as the start of a thread takes.
   */
  abandonedMillis: number;
  registry: Registry;
  log: Logger;
}

/** Bodies of all waiting requests; those that are not Latin-1 take twice as much. */
const MAX_WAITING_BYTES = 16 * 2 ** 20;
/** Counted for each waiting request besides its body. */
const REQUEST_BYTES = 64 * 1024;
/** A thread ends after this time without work: each holds some 40 MB. */
const IDLE_MILLIS = 10 * 60_000;
/** Of JavaScript objects in one thread; a day with the largest wardrobe needs 35 MB. */
const MAX_HEAP_MB = 128;
const RETRY_SECONDS = 2;

/** `thread.ts` next to this file, loaded by tsx like this one; or `thread.js` if both were compiled. */
const EXTENSION = extname(import.meta.url);
const THREAD = fileURLToPath(new URL(`./thread${EXTENSION}`, import.meta.url));
const HANDLER: keyof typeof import('./thread.ts') = 'runTask';
const LOADER =
  EXTENSION === '.ts' ? ['--import', new URL('./thread-loader.mjs', import.meta.url).href] : [];

interface PendingTask extends WaitingTask {
  task: ThreadTask;
  /** Ends the thread that runs the task; another takes its place. */
  end: AbortSignal;
  resolve(result: ThreadResult): void;
  reject(error: unknown): void;
}

const tooBusy = () =>
  unavailable('Too many outfit requests are waiting; try again later', RETRY_SECONDS);
const tooSlow = () =>
  unavailable('The outfits were not computed in time; try again later', RETRY_SECONDS);

function readResult(result: ThreadResult): ComputedJson {
  if ('json' in result) return result;
  throw deserializeProblem(result.problem) ?? new Error('A thread returned no problem');
}

const isRejection = (error: unknown): boolean =>
  error instanceof Problem && error.type === 'upstream-unavailable';

/** Creates the pool; threads start when they are needed. */
export function createLookThreads(deps: LookThreadsDeps): LookThreads {
  const { threads, deadlineMillis, abandonedMillis, signingKeys, registry, log } = deps;
  const workerData: ThreadData = { signingKeys };
  const pool = new Piscina<ThreadTask, ThreadResult>({
    filename: THREAD,
    name: HANDLER,
    execArgv: LOADER,
    // With a minimum, a thread that cannot start would be started again and again.
    minThreads: 0,
    maxThreads: Math.max(2, threads),
    idleTimeout: IDLE_MILLIS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    workerData,
  });
  pool.on('error', (error) => log.error({ err: error }, 'look thread failed'));
  const waiting = createClientTurns<PendingTask>(MAX_WAITING_BYTES);
  let running = 0;
  let heavy = 0;
  const metrics = createLookMetrics(registry, () => ({
    waiting: waiting.size(),
    running,
    heavy,
    threads: pool.threads.length,
  }));

  function mayStart({ work = 1 }: PendingTask): boolean {
    if (isHeavy(work)) return running < threads && heavy < Math.max(1, threads - 1);
    return running < Math.max(threads, heavy + 1);
  }

  async function start({ task, work = 1, end, resolve, reject }: PendingTask): Promise<void> {
    running += 1;
    heavy += Number(isHeavy(work));
    try {
      resolve(await pool.run(task, { signal: end }));
    } catch (error) {
      reject(error);
    } finally {
      running -= 1;
      heavy -= Number(isHeavy(work));
      startNext();
    }
  }

  function startNext(): void {
    for (let next = waiting.next(mayStart); next; next = waiting.next(mayStart)) void start(next);
  }

  /**
   * Resolves when the task's turn has come and it has run. Rejects with a signal's reason: a task that
   * waits then never runs, one that runs does until `end` aborts.
   */
  function enqueue(
    task: ThreadTask,
    { signal, ...owner }: TaskOwner,
    end: AbortSignal,
  ): Promise<ThreadResult> {
    return new Promise((resolve, reject) => {
      const bytes = REQUEST_BYTES + (task.body?.length ?? 0);
      const work = predictedTurns(task.name, task.body);
      const pending = { ...owner, work, bytes, task, end, resolve, reject };
      for (const either of [signal, end]) {
        either.addEventListener('abort', () => {
          waiting.remove(pending);
          reject(either.reason);
        });
      }
      for (const dropped of waiting.add(pending)) dropped.reject(tooBusy());
      startNext();
    });
  }

  return {
    async run(task, owner) {
      const { signal } = owner;
      signal.throwIfAborted();
      const end = new AbortController();
      const deadline = setTimeout(() => end.abort(tooSlow()), deadlineMillis);
      try {
        const result = await enqueue(task, owner, end.signal);
        metrics.ended('computed');
        return readResult(result);
      } catch (error) {
        if (signal.aborted) metrics.ended('canceled');
        else if (isRejection(error)) metrics.ended('rejected');
        throw error;
      } finally {
        clearTimeout(deadline);
        if (signal.aborted) setTimeout(() => end.abort(signal.reason), abandonedMillis).unref();
      }
    },
    close: () => pool.destroy(),
  };
}
