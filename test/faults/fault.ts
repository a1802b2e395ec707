import { Redis } from 'ioredis';
import type { Installation, Member } from './installation.ts';
import type { Random } from './random.ts';

/** Something that goes wrong with a machine, and is mended again before it is over. */
export interface Fault {
  name: string;
  /** Whether it can be played on this installation; it can where nothing is said. */
  fits?(installation: Installation): boolean;
  /** Answers false where the moment it waits for did not come. */
  play(installation: Installation, random: Random): Promise<unknown>;
}

/** Ends a process, and starts another in its place. */
export async function again(member: Member, signal: NodeJS.Signals): Promise<void> {
  await member.end(signal);
  await member.start();
}

/** Does something with Redis that no gate is in the way of. */
export async function inRedis(
  { redis }: Pick<Installation, 'redis'>,
  deed: (redis: Redis) => Promise<unknown>,
): Promise<void> {
  const connection = new Redis(redis.url, { lazyConnect: true });
  await connection.connect();
  await deed(connection);
  connection.disconnect();
}
