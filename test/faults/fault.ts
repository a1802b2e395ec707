import { Redis } from 'ioredis';
import type { Installation, Member } from './installation.ts';
import type { Random } from './random.ts';

/** A fault that is injected and repaired. */
export interface Fault {
  name: string;
  /** Whether it can be injected into this installation; default yes. */
  fits?(installation: Installation): boolean;
  /** Resolves with false if the moment it waits for did not come. */
  play(installation: Installation, random: Random): Promise<unknown>;
}

/** A fault that `fits` where it is said, by default everywhere. */
export const fault = (name: string, play: Fault['play'], fits?: Fault['fits']): Fault => ({
  name,
  play,
  ...(fits && { fits }),
});

/** Storage is S3, behind a gate. */
export const isS3 = ({ store }: Installation): boolean => store.gate !== undefined;

/** Ends a process and starts another in its place. */
export async function again(member: Member, signal: NodeJS.Signals): Promise<void> {
  await member.end(signal);
  await member.start();
}

/** Runs an action on Redis directly, not through the gate. */
export async function inRedis(
  { redis }: Pick<Installation, 'redis'>,
  action: (redis: Redis) => Promise<unknown>,
): Promise<void> {
  const connection = new Redis(redis.url, { lazyConnect: true });
  await connection.connect();
  await action(connection);
  connection.disconnect();
}
