import type { TaskRequest } from './child-protocol.ts';
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
