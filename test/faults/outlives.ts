import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../src/client/client.ts';

/** How much longer than it may a result be readable. */
const SPARE_MILLIS = 60_000;

/** The status of an answer, whether or not it is a refusal. */
export const statusOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 200,
    (error) => error.status ?? 0,
  );

/** Whether the result of a job can be read when its time has long passed. */
export async function outlives({ jobs }: Client, id: string): Promise<boolean> {
  const expiresAtMillis = Date.parse((await jobs.get(id)).expiresAt);
  await pause(Math.max(0, expiresAtMillis - Date.now()));
  for (;;) {
    const status = await statusOf(jobs.result(id));
    if (status === 410 || status === 404) return false;
    if (Date.now() > expiresAtMillis + SPARE_MILLIS) return true;
    await pause(1000);
  }
}
