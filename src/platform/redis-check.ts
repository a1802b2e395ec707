import type { Redis } from 'ioredis';
import type { Logger } from './log.ts';
import {
  checkWrites,
  commandConnection,
  describeRedis,
  PREFIX,
  type RedisSettings,
  untilReady,
} from './redis.ts';
import { StartError } from './start-error.ts';

export const MIN_REDIS_VERSION = 5;
const RIGHTS = `~${PREFIX}* &${PREFIX}* +@all -@dangerous +info`;

/** Errors that waiting does not mend, and what to do about them. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /No such master|invalid reply: null/,
    'The Sentinels know no such master: set REDIS_SENTINEL_NAME.',
  ],
  [/sentinel.*(NOAUTH|WRONGPASS|NOPERM)/s, 'Set REDIS_SENTINEL_PASSWORD.'],
  [/NOAUTH|WRONGPASS|ERR invalid password/, 'Check user and password of REDIS_URL.'],
  [/NOPERM/, `The ACL of its user needs: ${RIGHTS}`],
  [/certificate|altnames/i, 'Set REDIS_CA_FILE to the authority that signed it.'],
  [/^MOVED /, 'It is a Redis Cluster: set REDIS_CLUSTER to some of its nodes.'],
  [/cluster support disabled/, 'It is no Redis Cluster: unset REDIS_CLUSTER.'],
];

const hintFor = ({ message }: Error): string | undefined =>
  HINTS.find(([pattern]) => pattern.test(message))?.[1];

const unusable = (settings: RedisSettings, error: Error): StartError =>
  new StartError(
    `Redis at ${describeRedis(settings)} cannot be used: ${error.message}. ${hintFor(error) ?? ''}`.trim(),
    { cause: error },
  );

/** Resolves with the last error when the time is over, at once with one that waiting does not mend. */
async function lastError(redis: Redis, signal: AbortSignal): Promise<Error> {
  let last = new Error('no answer in time');
  let detail: Error | undefined;
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(last), { once: true });
    // What was wrong with one Sentinel, or one node, is told before the error that none is left.
    for (const event of ['sentinelError', 'node error']) {
      redis.on(event, (error: Error) => {
        detail = error;
      });
    }
    redis.on('error', (error: Error) => {
      last = detail ?? error;
      if (hintFor(last)) resolve(last);
    });
  });
}

/**
 * Opens a connection for commands, and waits until it is ready.
 * @throws StartError if that fails for so long, or for a reason that waiting does not mend
 */
export async function connectRedis(
  settings: RedisSettings,
  log: Logger,
  withinMillis: number,
): Promise<Redis> {
  const redis = commandConnection(settings, log);
  const signal = AbortSignal.timeout(withinMillis);
  const failure = lastError(redis, signal);
  const isReady = untilReady(redis, signal).then(
    () => undefined,
    () => failure,
  );
  const error = await Promise.race([isReady, failure]);
  if (!error) return redis;
  redis.disconnect();
  throw unusable(settings, error);
}

/** What the server says of itself; in a cluster the one with the keys, where any other might answer. */
export async function readInfo(redis: Redis): Promise<ReadonlyMap<string, string>> {
  const info = String(
    redis.isCluster ? await redis.eval("return redis.call('INFO')", 1, PREFIX) : await redis.info(),
  );
  return new Map(
    [...info.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** A command of each kind that is needed. */
const NEEDED: readonly (readonly [string, ...string[]])[] = [
  ['set', `${PREFIX}:ready`, '1', 'EX', '60'],
  ['eval', "return redis.call('TIME')", '1', PREFIX],
  ['publish', `${PREFIX}:ready`, ''],
  ['zpopmin', `${PREFIX}:none`],
  ['xrange', `${PREFIX}:none`, '-', '+'],
];

/** Errors that say nothing about the settings, such as a full Redis, are none of a start. */
async function checkRights(redis: Redis, settings: RedisSettings): Promise<void> {
  for (const [name, ...args] of NEEDED) {
    const error = await redis.call(name, ...args).then(
      () => undefined,
      (reason: Error) => reason,
    );
    if (error && hintFor(error)) throw unusable(settings, error);
  }
}

/**
 * Warns if Redis may evict or lose accepted jobs.
 * @throws StartError if it is too old, a cluster unawares, or its user has too few rights
 */
export async function checkRedis(
  redis: Redis,
  settings: RedisSettings,
  log: Logger,
): Promise<void> {
  const info = await readInfo(redis).catch(() => new Map<string, string>()); // the user may not
  const version = info.get('redis_version');
  if (version && Number.parseInt(version, 10) < MIN_REDIS_VERSION) {
    const reason = new Error(`it is version ${version}, older than ${MIN_REDIS_VERSION}`);
    throw unusable(settings, reason);
  }
  await checkRights(redis, settings);
  const policy = info.get('maxmemory_policy');
  if (!policy) {
    log.warn('Redis hides its settings: it needs maxmemory-policy noeviction and appendonly yes');
  } else if (policy !== 'noeviction') {
    log.warn({ policy }, 'Redis may evict jobs and keys: set maxmemory-policy noeviction');
  }
  if (info.get('aof_enabled') === '0') {
    log.warn('Redis loses its data when it stops: set appendonly yes');
  }
  if (info.get('cluster_enabled') === '1' && !settings.REDIS_CLUSTER) {
    log.warn('Redis is a cluster: set REDIS_CLUSTER, so that a failover is followed');
  }
}

const MAX_SAMPLE_MILLIS = 10_000;
const CONNECT_MILLIS = 3000;

const takesWrites = (redis: Redis): Promise<boolean> =>
  checkWrites(redis).then(
    () => true,
    () => false,
  );

async function newOneTakesWrites(settings: RedisSettings, log: Logger): Promise<boolean> {
  const silent = log.child({}, { level: 'silent' });
  const probe = { ...settings, connectionName: 'selvage-probe' };
  const redis = await connectRedis(probe, silent, CONNECT_MILLIS).catch(() => undefined);
  if (!redis) return false;
  const takes = await takesWrites(redis);
  redis.disconnect();
  return takes;
}

/**
 * Ends the process when its connection has taken no writes for so long while new ones do: its supervisor starts it anew.
 * A Redis that takes no writes from anybody ends nobody.
 */
export function endWhenStuck(
  redis: Redis,
  settings: RedisSettings & { REDIS_STUCK_SECONDS: number },
  log: Logger,
): void {
  const limitMillis = settings.REDIS_STUCK_SECONDS * 1000;
  let stuckSince: number | undefined;
  async function sample(): Promise<void> {
    const isStuck = !(await takesWrites(redis)) && (await newOneTakesWrites(settings, log));
    if (!isStuck) {
      stuckSince = undefined;
      return;
    }
    stuckSince ??= performance.now();
    if (performance.now() - stuckSince < limitMillis) return;
    log.fatal(
      { seconds: settings.REDIS_STUCK_SECONDS },
      'this process cannot write to Redis though others can: it ends, to be started anew',
    );
    process.exit(1);
  }
  setInterval(() => void sample(), Math.min(limitMillis / 4, MAX_SAMPLE_MILLIS)).unref();
}
