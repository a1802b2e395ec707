import { setTimeout as pause } from 'node:timers/promises';
import { promote, untilFollowing } from '../support/promote.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { type Fault, fault, inRedis } from './fault.ts';
import { startGate } from './gate.ts';
import type { Installation } from './installation.ts';
import { LOST_MILLIS, type Loss } from './last-second.ts';

const OUTAGE_MILLIS = 2000;
/** Longer than locks, heartbeats and the time limit of synchronous requests. */
const LONG_OUTAGE_MILLIS = 10_000;

/** Every write is rejected meanwhile. */
const withoutMemory =
  (millis: number): Fault['play'] =>
  (installation) =>
    inRedis(installation, async (redis) => {
      await redis.config('SET', 'maxmemory', '1mb');
      await pause(millis);
      await redis.config('SET', 'maxmemory', '0');
    });

/** How long a fault waits between the loss of a primary and the promotion of its replica. */
const FAILOVER_MILLIS = 30_000;

/**
 * Promotes the replica, which has everything, and leads new connections there. The demoted Redis stays, as a replica,
 * with all its connections: so does a managed Redis, and a Service of Kubernetes.
 */
export async function promoteReplica(installation: Installation): Promise<void> {
  const { redis } = installation;
  const replica = await follow(installation, redis.port);
  await promote(replica, redis);
  takeOver(installation, replica);
}

/** Lets the second Redis of an installation follow what is at a port. Killed and started again, it is a primary. */
async function follow(installation: Installation, port: number): Promise<RedisServer> {
  installation.replica ??= await startRedis();
  const { replica } = installation;
  await replica.command('replicaof', '127.0.0.1', String(port));
  return replica;
}

/** Leads new connections to the replica, which is the primary now. */
function takeOver(installation: Installation, replica: RedisServer): void {
  installation.redisGate.lead(replica.port);
  Object.assign(installation, { redis: replica, replica: installation.redis });
}

/** Promotes a replica that gets everything a second late: the last second is lost. */
export const replicaBehind: Loss = async (installation) => {
  const { redis } = installation;
  const link = await startGate(redis.port);
  const replica = await follow(installation, link.port);
  await untilFollowing(replica);
  link.slow(LOST_MILLIS);
  return async () => {
    await redis.command('replicaof', '127.0.0.1', String(replica.port));
    await replica.command('replicaof', 'no', 'one');
    takeOver(installation, replica);
    await link.close();
  };
};

/** The primary cannot be reached for so long; then its replica is at its address. */
export const slowFailover = (millis: number): Fault => ({
  name: `the replica of Redis takes over after ${millis / 1000} s`,
  async play(installation) {
    installation.redisGate.shut();
    await promoteReplica(installation);
    await pause(millis);
    installation.redisGate.open();
  },
});

/** Does something to the gate of Redis, for so long. */
const gated =
  (act: (gate: Installation['redisGate']) => void, millis: number): Fault['play'] =>
  async ({ redisGate }) => {
    act(redisGate);
    await pause(millis);
    redisGate.open();
  };

/** The faults of Redis and of its connections. */
export const REDIS_FAULTS: readonly Fault[] = [
  fault('Redis is killed and comes back', async ({ redis }) => {
    // Writes of the append-only file that are not on disk yet are in the page cache, and survive.
    await redis.end('SIGKILL');
    await redis.start();
  }),
  fault('every connection to Redis breaks', async ({ redisGate }) => redisGate.cut()),
  fault(
    'Redis answers nothing for two seconds',
    gated((gate) => gate.hold(), OUTAGE_MILLIS),
  ),
  fault(
    'Redis is slow, 100 ms each way, for five seconds',
    gated((gate) => gate.slow(100), 5000),
  ),
  fault(
    'Redis cannot be reached for two seconds',
    gated((gate) => gate.shut(), OUTAGE_MILLIS),
  ),
  fault('Redis has no memory left for two seconds', withoutMemory(OUTAGE_MILLIS)),
  fault('Redis has no memory left for ten seconds', withoutMemory(LONG_OUTAGE_MILLIS)),
  fault('Redis pauses every client for three seconds', (installation) =>
    inRedis(installation, async (redis) => {
      await redis.call('CLIENT', 'PAUSE', 3000, 'ALL');
      await pause(3000);
    }),
  ),
  fault('Redis ends every client', (installation) =>
    inRedis(installation, async (redis) => {
      for (const type of ['normal', 'pubsub'])
        await redis.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
    }),
  ),
  fault('the replica of Redis is promoted', promoteReplica),
  slowFailover(FAILOVER_MILLIS),
];
