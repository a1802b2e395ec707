import { type Queue, QueueKeys, type Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';
import { StartError } from '../platform/start-error.ts';
import type { QueueName } from './catalog.ts';

/*
 * Everything of BullMQ that is used here and that it does not document. It is checked when a process starts: another
 * release of BullMQ must not give jobs a wrong order in silence.
 */

/** The score of a waiting job is its priority times this, and a counter. */
export const PRIORITY_UNIT = 2 ** 32;

/** The keys in Redis of a queue: of its waiting and delayed jobs, and what the key of a job begins with. */
export function queueKeys(name: QueueName) {
  const names = new QueueKeys(PREFIX);
  const { wait = '', prioritized = '', delayed = '' } = names.getKeys(name);
  return { wait, prioritized, delayed, jobPrefix: `${names.getQueueQualifiedName(name)}:` };
}

/** What the script must say that adds a job with a priority. */
const ADDED = {
  'the score of a job': 'priority * 0x100000000 + prioCounter',
  'the data of a job': '"data", data',
  'the priority of a job': '"priority", priority',
} as const;

const unknown = (what: string): StartError =>
  new StartError(`This release of BullMQ is not known: it has changed ${what}`);

/** Checks what `queue.ts` relies on, by the scripts that BullMQ has defined on a connection. @throws StartError */
export async function checkTurns(queue: Queue, connection: Redis): Promise<void> {
  await queue.waitUntilReady();
  const scripts: Record<string, { lua: string }> = Reflect.get(connection, 'scriptsSet') ?? {};
  const name = Object.keys(scripts).find((each) => each.startsWith('addPrioritizedJob'));
  const lua = scripts[name ?? '']?.lua ?? '';
  for (const [what, text] of Object.entries(ADDED)) if (!lua.includes(text)) throw unknown(what);
}

/** @throws StartError if a worker cannot be woken as `lendSlot` does */
export function checkLoop(worker: Worker): void {
  if (!('mainLoopQueue' in worker)) throw unknown('the loop of a worker');
}

/** Lends a worker one more slot. Returns what to call to take it back. */
export function lendSlot(worker: Worker): () => void {
  worker.concurrency += 1;
  // A loop whose slots are all taken waits for a job to end. BullMQ's `resume` wakes it in this way too.
  Reflect.get(worker, 'mainLoopQueue')?.add(Promise.resolve());
  return () => {
    worker.concurrency -= 1;
  };
}
