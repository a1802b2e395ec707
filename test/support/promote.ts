import { setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from './redis-server.ts';

const POLL_MILLIS = 20;

async function until({ command }: RedisServer, pattern: RegExp): Promise<void> {
  while (!pattern.test(String(await command('info', 'replication')))) await pause(POLL_MILLIS);
}

/** Waits until a Redis follows its primary. */
export const untilFollowing = (replica: RedisServer): Promise<void> =>
  until(replica, /^master_link_status:up/m);

/** Demotes a primary and promotes its replica when it has everything; connections to the demoted one stay open. */
export async function promote(replica: RedisServer, primary: RedisServer): Promise<void> {
  await untilFollowing(replica);
  await until(primary, new RegExp(`^slave\\d+:.*port=${replica.port},state=online`, 'm')); // it knows a little later
  await primary.command('failover', 'to', '127.0.0.1', String(replica.port));
  await until(replica, /^role:master/m);
  await untilFollowing(primary);
}
