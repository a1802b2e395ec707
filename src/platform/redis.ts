import { Redis } from 'ioredis';
import type { Logger } from './log.ts';

/**
 * The prefix of every key. The braces put all keys in one hash slot, which lets scripts over several
 * keys work on a Redis Cluster.
 */
export const PREFIX = '{selvage}';

const RECONNECT = {
  // Short: requests wait while Redis restarts.
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 200),
  connectTimeout: 5000,
};

/**
 * Opens a connection for commands that a request waits for: while Redis is unavailable they fail at
 * once, instead of queueing up and being sent when nothing waits any more.
 */
export const commandConnection = (url: string, log: Logger): Redis =>
  logErrors(
    new Redis(url, {
      ...RECONNECT,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: 2000,
    }),
    log,
  );

/** Opens a connection for blocking reads and subscriptions, which wait for Redis to come back. */
export const blockingConnection = (url: string, log: Logger): Redis =>
  logErrors(new Redis(url, { ...RECONNECT, maxRetriesPerRequest: null }), log);

/** An `error` event without a listener would end the process. */
function logErrors(redis: Redis, log: Logger): Redis {
  redis.on('error', (error) => log.warn({ reason: error.message }, 'redis connection error'));
  return redis;
}

/** Error replies that are about the state of Redis, not the command. */
const SERVER_ERRORS =
  /^(OOM|MISCONF|READONLY|LOADING|BUSY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)\b/;
/** The client's messages about a lost connection; it has no error classes for them. */
const CONNECTION_ERRORS =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Reached the max retries)/;

/** Returns whether Redis or the connection failed, not the command: it may succeed later. */
export const isRedisError = (error: unknown): boolean =>
  error instanceof Error &&
  (SERVER_ERRORS.test(error.message) || CONNECTION_ERRORS.test(error.message));

/** Returns whether Redis has no memory left, and so rejects every write. */
export const isRedisFull = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('OOM ');

/** Rejects if Redis does not respond, or takes no writes: it is full, read-only or cannot save. */
export async function checkWrites(redis: Redis): Promise<void> {
  await redis.set(`${PREFIX}:ready`, '1', 'EX', 60);
}

/** Resolves when the connection is ready for commands. Rejects with the signal's reason. */
export async function untilReady(redis: Redis, signal: AbortSignal): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    redis.once('ready', () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}

/** Warns if Redis may evict or lose accepted jobs. Does nothing if a managed Redis hides its settings. */
export async function checkRedis(redis: Redis, log: Logger): Promise<void> {
  const settings = await Promise.all(
    ['maxmemory-policy', 'appendonly'].map(async (name) => {
      const reply = await redis.config('GET', name).catch(() => []);
      return Array.isArray(reply) ? reply[1] : undefined;
    }),
  );
  const [policy, appendOnly] = settings;
  if (policy && policy !== 'noeviction') {
    log.warn({ policy }, 'Redis may evict jobs and keys: set maxmemory-policy noeviction');
  }
  if (appendOnly === 'no') {
    log.warn('Redis loses its data when it stops: set appendonly yes');
  }
}
