import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
import { readInfo } from '../platform/redis-check.ts';

/** Hash: which Redis the records were last compared with object storage for, and how far a comparison has come. */
const STATE_KEY = `${PREFIX}:recovery`;

/** `recent`: what was written around the loss. `whole`: all of object storage, at half speed. */
const RECOVERY_PHASES = ['idle', 'recent', 'whole'] as const;

const RecoveryState = z.object({
  phase: z.enum(RECOVERY_PHASES).default('idle'),
  /** Run and replication id of the Redis that nothing is missing in; another one may have lost its last second. */
  identity: z.string().optional(),
  /** When that was last seen, epoch milliseconds. What Redis has lost was written later. */
  seenAtMillis: z.coerce.number().optional(),
  /** Records restored by the latest recovery, and manifests that it could not read. */
  restored: z.coerce.number().default(0),
  unreadable: z.coerce.number().default(0),
});
export type RecoveryState = z.infer<typeof RecoveryState>;

export const readRecoveryState = async (redis: Redis): Promise<RecoveryState> =>
  RecoveryState.parse(await redis.hgetall(STATE_KEY));

/** Returns how far a recovery has come, or nothing if there is none now. */
export async function readOngoingRecovery(redis: Redis) {
  const { phase, restored, unreadable } = await readRecoveryState(redis);
  return phase === 'idle' ? undefined : { phase, restored, unreadable };
}

export const writeRecoveryState = async (
  redis: Redis,
  changes: Partial<RecoveryState>,
): Promise<void> => {
  await redis.hset(STATE_KEY, changes);
};

/** Whether nothing is missing in this Redis: its records were compared with object storage. */
export async function isCompared(redis: Redis): Promise<boolean> {
  const [identity, state] = await Promise.all([readIdentity(redis), readRecoveryState(redis)]);
  return state.identity === identity && state.phase === 'idle';
}

/**
 * Whether records that were acknowledged may be missing until a worker has restored them: Redis has started again, or
 * has lost all its data. What is compared afterwards, at half speed, is not waited for.
 */
export async function isLossSought(redis: Redis): Promise<boolean> {
  const [current, state] = await Promise.all([readIdentity(redis), readRecoveryState(redis)]);
  const { identity, phase, seenAtMillis } = state;
  if (identity === undefined) return false;
  const isEmptied = phase === 'whole' && seenAtMillis === undefined;
  return identity !== current || phase === 'recent' || isEmptied;
}

/** Tells nothing of a Redis whose users may not ask; rethrows other errors. */
function onDenied(error: Error): ReadonlyMap<string, string> {
  if (/^(NOPERM|ERR)\b/.test(error.message)) return new Map();
  throw error;
}

/** Returns what changes when Redis starts again, or when another one takes its place; empty if Redis hides it. */
export async function readIdentity(redis: Redis): Promise<string> {
  const info = await readInfo(redis).catch(onDenied);
  return ['run_id', 'master_replid'].flatMap((field) => info.get(field) ?? []).join(' ');
}
