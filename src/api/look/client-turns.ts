import { type TurnOwner, TurnQueue } from '../../queue/turns.ts';

/** A task that waits, and whose it is. */
export interface WaitingTask extends TurnOwner {
  /** Memory it holds while it waits, bytes. */
  bytes: number;
}

const bytesOf = (tasks: readonly WaitingTask[]): number =>
  tasks.reduce((sum, { bytes }) => sum + bytes, 0);

/** Returns the newest task of the client whose tasks hold most. @param tasks oldest first */
function newestOfLargest<T extends WaitingTask>(tasks: readonly T[]): T | undefined {
  const byClient = new Map<string, T[]>();
  for (const task of tasks) byClient.set(task.client, [...(byClient.get(task.client) ?? []), task]);
  const [largest] = [...byClient.values()].sort((a, b) => bytesOf(b) - bytesOf(a));
  return largest?.at(-1);
}

/** A queue whose clients take turns. If its tasks hold more than `maxBytes`, the client that holds most gives way. */
export class ClientTurns<T extends WaitingTask> {
  readonly #queue = new TurnQueue<T>();
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a task. Returns the tasks that give way, which may include it. */
  add(task: T): T[] {
    this.#queue.add(task, task);
    const dropped: T[] = [];
    while (bytesOf(this.#queue.items()) > this.#maxBytes) {
      const last = newestOfLargest(this.#queue.items());
      if (!last) break;
      this.#queue.delete(last);
      dropped.push(last);
    }
    return dropped;
  }

  /** Removes and returns the task whose turn it is, of those that may start now. */
  next(mayStart?: (task: T) => boolean): T | undefined {
    const first = this.#queue.first(mayStart);
    if (first) this.#queue.delete(first);
    return first;
  }

  remove = (task: T): void => this.#queue.delete(task);
  size = (): number => this.#queue.items().length;
}
