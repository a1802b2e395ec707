import { setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from './redis-server.ts';

const POLL_MILLIS = 20;

/** Waits until a Redis follows its primary. */
export async function untilFollowing({ command }: RedisServer): Promise<void> {
  while (!/^master_link_status:up/m.test(String(await command('info', 'replication'))))
    await pause(POLL_MILLIS);
}

/** Demotes a primary and promotes its replica, which loses nothing; connections to the demoted one stay open. */
export async function promote(replica: RedisServer, primary: RedisServer): Promise<void> {
  await untilFollowing(replica);
  await primary.command('replicaof', '127.0.0.1', String(replica.port));
  await replica.command('replicaof', 'no', 'one');
}
