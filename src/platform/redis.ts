import { Redis } from 'ioredis';
import type { Logger } from './log.ts';

/**
 * Every key begins with this. The braces put all keys in one hash slot, so that scripts over several
 * keys also work on a Redis Cluster.
 */
export const PREFIX = '{selvage}';

const RECONNECT = {
  // Whoever waits at the other end is to notice a restart of Redis as little as can be.
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 200),
  connectTimeout: 5000,
};

/**
 * A connection for commands someone waits for: while Redis is away they fail at once, rather than
 * pile up and be sent when nobody waits any more.
 */
export const commandConnection = (url: string, log: Logger): Redis =>
  listen(
    new Redis(url, {
      ...RECONNECT,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: 2000,
    }),
    log,
  );

/** A connection for blocking reads and subscriptions, which wait for Redis to come back. */
export const blockingConnection = (url: string, log: Logger): Redis =>
  listen(new Redis(url, { ...RECONNECT, maxRetriesPerRequest: null }), log);

/** An `error` event nobody listens to would end the process. */
function listen(redis: Redis, log: Logger): Redis {
  redis.on('error', (error) => log.warn({ reason: error.message }, 'redis connection'));
  return redis;
}

/** How Redis answers where it, and not the command, is at fault. */
const REPLIES = /^(OOM|MISCONF|READONLY|LOADING|BUSY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)\b/;
/** What the client says of a connection that does not answer; it has no classes for that. */
const SILENCES =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Reached the max retries)/;

/** Whether Redis or the way to it failed, by no fault of what was asked: later it may do the same. */
export const isRedisError = (error: unknown): boolean =>
  error instanceof Error && (REPLIES.test(error.message) || SILENCES.test(error.message));

/** Resolves when the connection can take commands. Rejects with the signal's reason. */
export async function untilReady(redis: Redis, signal: AbortSignal): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    redis.once('ready', () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
  });
}

/** Warns where Redis may drop or lose what was accepted. Managed Redis may not answer; then not. */
export async function checkRedis(redis: Redis, log: Logger): Promise<void> {
  const settings = await Promise.all(
    ['maxmemory-policy', 'appendonly'].map(async (name) => {
      const answer = await redis.config('GET', name).catch(() => []);
      return Array.isArray(answer) ? answer[1] : undefined;
    }),
  );
  const [policy, appendOnly] = settings;
  if (policy && policy !== 'noeviction') {
    log.warn({ policy }, 'Redis may evict jobs and keys: set maxmemory-policy noeviction');
  }
  if (appendOnly === 'no') {
    log.warn('Redis forgets what it holds when it ends: set appendonly yes');
  }
}
