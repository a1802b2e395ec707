import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../packages/client/src/client.ts';

/** The tolerance for a result that is readable after its expiry. */
const SPARE_MILLIS = 60_000;

/** The status of a response, successful or not. */
export const statusOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 200,
    (error) => error.status ?? 0,
  );

/** Returns whether the result of a job can be read long after its expiry. */
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
