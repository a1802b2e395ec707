import type { TurnOwner } from '../../queue/queue.ts';
import { TurnQueue } from '../../queue/share.ts';

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
export function createClientTurns<T extends WaitingTask>(maxBytes: number) {
  const queue = new TurnQueue<T>();
  return {
    remove: (task: T): void => queue.delete(task),
    size: (): number => queue.items().length,
    /** Adds a task. Returns the tasks that give way, which may include it. */
    add(task: T): T[] {
      queue.add(task, task);
      const dropped: T[] = [];
      while (bytesOf(queue.items()) > maxBytes) {
        const last = newestOfLargest(queue.items());
        if (!last) break;
        queue.delete(last);
        dropped.push(last);
      }
      return dropped;
    },
    /** Removes and returns the task whose turn it is, of those that may start now. */
    next(mayStart?: (task: T) => boolean): T | undefined {
      const first = queue.first(mayStart);
      if (first) queue.delete(first);
      return first;
    },
  };
}
