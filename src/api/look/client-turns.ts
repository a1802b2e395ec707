/** A task that waits, and whose it is. */
export interface WaitingTask {
  client: string;
  /** Turns of its client for each turn of a client with weight 1. */
  weight: number;
  /** Memory it holds while it waits, bytes. */
  bytes: number;
}

/** The waiting tasks of one client, oldest first. */
interface ClientLine<T> {
  tasks: T[];
  /** Turns taken in this round. */
  taken: number;
}

const bytesOf = (tasks: readonly WaitingTask[]): number =>
  tasks.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * A queue that takes turns by client: in each round a client has as many turns as its weight, however
 * many tasks it has. If the tasks hold more than `maxBytes`, the client that holds most gives way.
 */
export function createClientTurns<T extends WaitingTask>(maxBytes: number) {
  /** In the order of their turns; every line has a task. */
  const lines = new Map<string, ClientLine<T>>();

  function remove(task: T): void {
    const line = lines.get(task.client);
    if (!line) return;
    line.tasks = line.tasks.filter((other) => other !== task);
    if (line.tasks.length === 0) lines.delete(task.client);
  }

  /** Removes the newest task of the client that holds most. */
  function dropOne(): T | undefined {
    let longest: readonly T[] = [];
    for (const { tasks } of lines.values()) {
      if (bytesOf(tasks) > bytesOf(longest)) longest = tasks;
    }
    const last = longest.at(-1);
    if (last) remove(last);
    return last;
  }

  const all = (): T[] => [...lines.values()].flatMap(({ tasks }) => tasks);

  return {
    remove,
    size: (): number => all().length,
    /** Adds a task. Returns the tasks that give way, which may include it. */
    add(task: T): T[] {
      const line = lines.get(task.client);
      if (line) line.tasks.push(task);
      else lines.set(task.client, { tasks: [task], taken: 0 });
      const dropped: T[] = [];
      while (bytesOf(all()) > maxBytes) {
        const last = dropOne();
        if (last) dropped.push(last);
      }
      return dropped;
    },
    /** Removes and returns the task whose turn it is. */
    next(): T | undefined {
      const [first] = lines;
      if (!first) return undefined;
      const [client, line] = first;
      const task = line.tasks.shift();
      line.taken += 1;
      const isOver = line.taken >= (task?.weight ?? 1);
      if (isOver || line.tasks.length === 0) lines.delete(client);
      if (isOver && line.tasks.length > 0) lines.set(client, { tasks: line.tasks, taken: 0 });
      return task;
    },
  };
}
