import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { hostClock } from '../../platform/clock.ts';
import { START } from '../../platform/local-instance.ts';
import { MIN_REDIS_VERSION, readInfo } from '../../platform/redis-check.ts';
import { WorkerRegistry } from '../../queue/worker-registry.ts';
import { type Finding, fail, firstLineOf, ok, warn } from './finding.ts';

async function checkVersion(redis: Redis): Promise<Finding> {
  const version = (await readInfo(redis)).get('redis_version') ?? '(unknown version)';
  return Number.parseInt(version, 10) < MIN_REDIS_VERSION
    ? fail('redis', `Redis ${version} is too old`, `Use Redis ${MIN_REDIS_VERSION} or newer.`)
    : ok('redis', `Redis ${version} answers`);
}

const UNREPORTED = 'this Redis does not report its settings';

async function checkEviction(redis: Redis): Promise<Finding> {
  const name = 'redis eviction';
  const policy = (await readInfo(redis)).get('maxmemory_policy');
  if (policy === 'noeviction') return ok(name, 'maxmemory-policy is noeviction');
  if (policy === undefined)
    return warn(name, UNREPORTED, 'Check that maxmemory-policy is noeviction.');
  const detail = `maxmemory-policy is ${policy}: jobs and keys may be evicted`;
  const advice = 'redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf.';
  return fail(name, detail, advice);
}

async function checkAppendOnly(redis: Redis): Promise<Finding> {
  const name = 'redis durability';
  const appendOnly = (await readInfo(redis)).get('aof_enabled');
  if (appendOnly === undefined) return ok(name, `${UNREPORTED}; ask its operator`);
  if (appendOnly === '1') return ok(name, 'appendonly is yes');
  const advice = 'redis-cli CONFIG SET appendonly yes, and the same in redis.conf.';
  return warn(name, 'appendonly is no: its data is lost when it stops', advice);
}

const SMALL_SKEW_MILLIS = 1000;
const LARGE_SKEW_MILLIS = 10_000;

/** Compares the clocks: the gateway and the workers go by that of Redis. */
async function checkClock(redis: Redis): Promise<Finding> {
  const sentAt = hostClock();
  const [seconds, micros] = await redis.time();
  const receivedAt = hostClock();
  const redisMillis = Number(seconds) * 1000 + Number(micros) / 1000;
  const skew = Math.round(Math.abs(redisMillis - (sentAt + receivedAt) / 2));
  const detail = `this clock and that of Redis differ by ${skew} ms`;
  const advice = 'Synchronise the clocks of all machines with NTP (chrony, systemd-timesyncd).';
  if (skew > LARGE_SKEW_MILLIS) return fail('clock', detail, advice);
  return skew > SMALL_SKEW_MILLIS ? warn('clock', detail, advice) : ok('clock', detail);
}

/** How long to poll: the heartbeat of a worker on a busy machine may be late. */
const MAX_WAIT_MILLIS = 5000;
const POLL_MILLIS = 500;

async function liveWorkers(redis: Redis) {
  const registry = new WorkerRegistry(redis);
  const deadline = performance.now() + MAX_WAIT_MILLIS;
  for (;;) {
    const live = await registry.live();
    if (live.length > 0 || performance.now() >= deadline) return live;
    await setTimeout(POLL_MILLIS);
  }
}

async function checkWorkers(redis: Redis): Promise<Finding> {
  const live = await liveWorkers(redis);
  if (live.length === 0) {
    const advice = `Start one: ${START}, or a worker alone with the same REDIS_URL and storage.`;
    return fail('worker', 'no worker is alive', advice);
  }
  const kinds = [...new Set(live.map(({ model, device }) => `${model} on ${device}`))];
  const slots = live.reduce((all, worker) => all + worker.slots, 0);
  const detail = `${live.length} alive, ${slots} images at once: ${kinds.join(', ')}`;
  return kinds.length === 1
    ? ok('worker', detail)
    : warn('worker', detail, 'Workers differ: set the same MODEL and DEVICE for all.');
}

const CHECKS = {
  redis: checkVersion,
  'redis eviction': checkEviction,
  'redis durability': checkAppendOnly,
  clock: checkClock,
  worker: checkWorkers,
};

/** Runs every check that needs a Redis connection. */
export const checkRedis = (redis: Redis): Promise<Finding[]> =>
  Promise.all(
    Object.entries(CHECKS).map(([name, check]) =>
      check(redis).catch((error) => {
        const detail = `Redis returned an error (${firstLineOf(error)})`;
        return fail(name, detail, 'Check its log and its access rules.');
      }),
    ),
  );
