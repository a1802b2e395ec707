import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../src/platform/start-error.ts';
import type { ChildReady, TaskRequest } from './child-protocol.ts';
import type { InferenceProcess, TaskOutput } from './inference-process.ts';

export interface Task {
  request: TaskRequest;
  image: Uint8Array;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

interface Suspect extends Task {
  resolve(output: TaskOutput): void;
  reject(error: unknown): void;
}

/**
 * The tasks of a child that died while it worked on several images: each may be the cause, and most are not. A new child
 * tries them one at a time before it takes others, so that only the task that was alone in a child that dies is blamed.
 */
export class Suspects {
  readonly #queue: Suspect[] = [];
  #closed: Error | undefined;

  /** Resolves when a new child has done the task. Rejects with what it threw alone. */
  add(task: Task): Promise<TaskOutput> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(this.#closed);
      else this.#queue.push({ ...task, resolve, reject });
    });
  }

  /** Tries all tasks in a process that has no other work; those that are left when it dies wait for the next one. */
  async tryIn(process: InferenceProcess): Promise<void> {
    while (process.isAlive()) {
      const task = this.#queue.shift();
      if (!task) return;
      if (task.signal?.aborted) task.reject(task.signal.reason);
      else await process.run(task.request, task.image).then(task.resolve, task.reject);
    }
  }

  /** Rejects all waiting and all future tasks. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const { reject } of this.#queue.splice(0)) reject(reason);
  }
}

/** After this many deaths in a row during the start, the first start fails. */
const MAX_START_ATTEMPTS = 4;
const FIRST_BACKOFF_MILLIS = 100;
const MAX_BACKOFF_MILLIS = 5000;

/** The first death causes no delay. */
const backoffMillis = (deaths: number): number =>
  deaths < 2 ? 0 : Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS * 2 ** (deaths - 2));

/**
 * Keeps a process alive: one that dies is replaced at once, one that dies during its start after an exponential
 * backoff.
 * @param onReady called for each process that is ready
 * @param onExit called for each process that was ready and died
 */
export function superviseProcess(
  start: () => InferenceProcess,
  onReady: (process: InferenceProcess, ready: ChildReady) => void,
  onExit: (process: InferenceProcess) => void,
) {
  let current: InferenceProcess | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  /** Runs one process from its start to its end. */
  async function runProcess(onStarted: (ready: ChildReady) => void): Promise<void> {
    const process = start();
    current = process;
    const ready = await process.ready;
    onStarted(ready);
    onReady(process, ready);
    await process.exited;
    onExit(process);
  }
  async function supervise(
    resolve: (ready: ChildReady) => void,
    reject: (error: unknown) => void,
  ): Promise<void> {
    let hasStarted = false;
    for (let deaths = 0; !signal.aborted; ) {
      try {
        await runProcess((ready) => {
          hasStarted = true;
          deaths = 0;
          resolve(ready);
        });
      } catch (error) {
        deaths++;
        current?.kill();
        await current?.exited;
        const isHopeless = error instanceof StartError || deaths === MAX_START_ATTEMPTS;
        if (!hasStarted && isHopeless) return reject(error);
        await sleep(backoffMillis(deaths), undefined, { signal }).catch(() => {});
      }
    }
    reject(new Error('The engine is closed'));
  }

  let supervision: Promise<void> | undefined;
  const ready = new Promise<ChildReady>((resolve, reject) => {
    supervision = supervise(resolve, reject);
  });
  return {
    /** Resolves when the first process is ready. Rejects if none can be started. */
    ready,
    /** The live process, if any. */
    pids: () => (current?.pid !== undefined && current.isAlive() ? [current.pid] : []),
    async close(): Promise<void> {
      closing.abort();
      current?.kill();
      await supervision;
    },
  };
}
