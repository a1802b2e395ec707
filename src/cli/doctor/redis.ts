import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { createWorkerRegistry } from '../../queue/worker-registry.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const OLDEST_REDIS = 5;

/** A value of `INFO` or `CONFIG GET`; nothing where it is not told. */
const infoOf = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1];

async function setting(redis: Redis, name: string): Promise<string | undefined> {
  const answer: unknown = await redis.config('GET', name).catch(() => []);
  const [, value] = z.array(z.string()).catch([]).parse(answer);
  return value;
}

async function checkVersion(redis: Redis): Promise<Finding> {
  const info = await redis.info('server');
  const version = infoOf(info, 'redis_version') ?? 'of an unknown version';
  return Number.parseInt(version, 10) < OLDEST_REDIS
    ? fail('redis', `Redis ${version} is too old`, `Use Redis ${OLDEST_REDIS} or newer.`)
    : ok('redis', `Redis ${version} answers`);
}

async function checkEviction(redis: Redis): Promise<Finding> {
  const name = 'redis eviction';
  const policy = await setting(redis, 'maxmemory-policy');
  if (policy === undefined) {
    return warn(
      name,
      'this Redis does not tell its settings',
      'See that maxmemory-policy is noeviction.',
    );
  }
  if (policy === 'noeviction') return ok(name, 'maxmemory-policy is noeviction');
  return fail(
    name,
    `maxmemory-policy is ${policy}: jobs and keys may vanish`,
    'redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf.',
  );
}

async function checkAppendOnly(redis: Redis): Promise<Finding> {
  const name = 'redis durability';
  const appendOnly = await setting(redis, 'appendonly');
  if (appendOnly === undefined) return ok(name, 'this Redis does not tell; its operator knows');
  if (appendOnly === 'yes') return ok(name, 'appendonly is yes');
  return warn(
    name,
    'appendonly is no: what it holds is gone when it ends',
    'redis-cli CONFIG SET appendonly yes, and the same in redis.conf.',
  );
}

const SMALL_SKEW_MILLIS = 1000;
const LARGE_SKEW_MILLIS = 10_000;

/** Deadlines and expiries are told by the clock, and read on other machines. */
async function checkClock(redis: Redis): Promise<Finding> {
  const askedAt = Date.now();
  const [seconds, micros] = await redis.time();
  const answeredAt = Date.now();
  const theirs = Number(seconds) * 1000 + Number(micros) / 1000;
  const skew = Math.round(Math.abs(theirs - (askedAt + answeredAt) / 2));
  const detail = `this clock and that of Redis differ by ${skew} ms`;
  const advice = 'Keep the clocks of all machines right with NTP (chrony, systemd-timesyncd).';
  if (skew > LARGE_SKEW_MILLIS) return fail('clock', detail, advice);
  return skew > SMALL_SKEW_MILLIS ? warn('clock', detail, advice) : ok('clock', detail);
}

/** Looks again for so long: the beat of a worker on a busy machine may be late. */
const PATIENCE_MILLIS = 5000;
const LOOK_MILLIS = 500;

async function liveWorkers(redis: Redis) {
  const register = createWorkerRegistry(redis);
  const lastAt = Date.now() + PATIENCE_MILLIS;
  for (;;) {
    const live = await register.live();
    if (live.length > 0 || Date.now() >= lastAt) return live;
    await setTimeout(LOOK_MILLIS);
  }
}

async function checkWorkers(redis: Redis): Promise<Finding> {
  const live = await liveWorkers(redis);
  if (live.length === 0) {
    return fail(
      'worker',
      'no worker says that it lives',
      'Start one: npm start, or npm run start:worker with the same REDIS_URL and store.',
    );
  }
  const kinds = [...new Set(live.map(({ model, device }) => `${model} on ${device}`))];
  const slots = live.reduce((all, worker) => all + worker.slots, 0);
  const detail = `${live.length} alive, ${slots} images at once: ${kinds.join(', ')}`;
  return kinds.length === 1
    ? ok('worker', detail)
    : warn('worker', detail, 'Workers differ: give all the same MODEL and DEVICE.');
}

const CHECKS = {
  redis: checkVersion,
  'redis eviction': checkEviction,
  'redis durability': checkAppendOnly,
  clock: checkClock,
  worker: checkWorkers,
};

/** Everything that a Redis that answers can be asked. */
export const checkRedis = (redis: Redis): Promise<Finding[]> =>
  Promise.all(
    Object.entries(CHECKS).map(([name, check]) =>
      check(redis).catch((error) =>
        fail(name, `Redis refuses (${reasonOf(error)})`, 'Look at its log and its access rules.'),
      ),
    ),
  );
