import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Registry } from 'prom-client';
import type { Logger } from '../../platform/log.ts';
import { LookMetrics } from '../../platform/metrics/look.ts';
import { deserializeProblem, Problem, unavailable } from '../../platform/problem.ts';
import { isHeavy, type TurnOwner } from '../../queue/turns.ts';
import { ClientTurns, type WaitingTask } from './client-turns.ts';
import { predictedTurns } from './compute.ts';
import type { ComputedJson, ThreadData, ThreadResult, ThreadTask } from './thread-protocol.ts';

/** Whose request it is, and a signal that aborts when the client disconnects. */
interface TaskOwner extends TurnOwner {
  signal: AbortSignal;
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

/** Runs requests in threads, in turns by client; threads start when they are needed. */
export class LookThreads {
  readonly #deps;
  readonly #pool;
  readonly #waiting = new ClientTurns<PendingTask>(MAX_WAITING_BYTES);
  #running = 0;
  #heavy = 0;
  readonly #metrics;

  constructor(deps: LookThreadsDeps) {
    this.#deps = deps;
    const workerData: ThreadData = { signingKeys: deps.signingKeys };
    this.#pool = new Piscina<ThreadTask, ThreadResult>({
      filename: THREAD,
      name: HANDLER,
      execArgv: LOADER,
      // With a minimum, a thread that cannot start would be started again and again.
      minThreads: 0,
      maxThreads: Math.max(2, deps.threads),
      idleTimeout: IDLE_MILLIS,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      workerData,
    });
    this.#pool.on('error', (error) => deps.log.error({ err: error }, 'look thread failed'));
    this.#metrics = new LookMetrics(deps.registry, () => ({
      waiting: this.#waiting.size(),
      running: this.#running,
      heavy: this.#heavy,
      threads: this.#pool.threads.length,
    }));
  }

  readonly #mayStart = ({ work = 1 }: PendingTask): boolean => {
    if (isHeavy(work))
      return (
        this.#running < this.#deps.threads && this.#heavy < Math.max(1, this.#deps.threads - 1)
      );
    return this.#running < Math.max(this.#deps.threads, this.#heavy + 1);
  };

  async #start({ task, work = 1, end, resolve, reject }: PendingTask): Promise<void> {
    this.#running += 1;
    this.#heavy += Number(isHeavy(work));
    try {
      resolve(await this.#pool.run(task, { signal: end }));
    } catch (error) {
      reject(error);
    } finally {
      this.#running -= 1;
      this.#heavy -= Number(isHeavy(work));
      this.#startNext();
    }
  }

  #startNext(): void {
    const take = () => this.#waiting.next(this.#mayStart);
    for (let next = take(); next; next = take()) void this.#start(next);
  }

  /**
   * Resolves when the task's turn has come and it has run. Rejects with a signal's reason: a task that
   * waits then never runs, one that runs does until `end` aborts.
   */
  #enqueue(
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
          this.#waiting.remove(pending);
          reject(either.reason);
        });
      }
      for (const dropped of this.#waiting.add(pending)) dropped.reject(tooBusy());
      this.#startNext();
    });
  }

  /**
   * Resolves with the response as JSON. Rejects with the Problem of an invalid request, with
   * upstream-unavailable if too many requests wait or the deadline passes, or with the signal's reason.
   */
  async run(task: ThreadTask, owner: TaskOwner): Promise<ComputedJson> {
    const { signal } = owner;
    signal.throwIfAborted();
    const end = new AbortController();
    const deadline = setTimeout(() => end.abort(tooSlow()), this.#deps.deadlineMillis);
    try {
      const result = await this.#enqueue(task, owner, end.signal);
      this.#metrics.ended('computed');
      return readResult(result);
    } catch (error) {
      if (signal.aborted) this.#metrics.ended('canceled');
      else if (isRejection(error)) this.#metrics.ended('rejected');
      throw error;
    } finally {
      clearTimeout(deadline);
      if (signal.aborted)
        setTimeout(() => end.abort(signal.reason), this.#deps.abandonedMillis).unref();
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
