import { setTimeout as pause } from 'node:timers/promises';
import { promote, untilFollowing } from '../support/promote.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { type Fault, inRedis } from './fault.ts';
import { startGate } from './gate.ts';
import type { Installation } from './installation.ts';
import { LOST_MILLIS, type Loss } from './last-second.ts';

const OUTAGE_MILLIS = 2000;
/** Longer than locks, heartbeats and the time limit of synchronous requests. */
const LONG_OUTAGE_MILLIS = 10_000;

/** Every write is rejected meanwhile. */
const withoutMemory = (installation: Installation, millis: number): Promise<void> =>
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

/** The faults of Redis and of its connections. */
export const REDIS_FAULTS: readonly Fault[] = [
  {
    name: 'Redis is killed and comes back',
    async play({ redis }) {
      // Writes of the append-only file that are not on disk yet are in the page cache, and survive.
      await redis.end('SIGKILL');
      await redis.start();
    },
  },
  {
    name: 'every connection to Redis breaks',
    play: async ({ redisGate }) => redisGate.cut(),
  },
  {
    name: 'Redis answers nothing for two seconds',
    async play({ redisGate }) {
      redisGate.hold();
      await pause(OUTAGE_MILLIS);
      redisGate.open();
    },
  },
  {
    name: 'Redis is slow, 100 ms each way, for five seconds',
    async play({ redisGate }) {
      redisGate.slow(100);
      await pause(5000);
      redisGate.open();
    },
  },
  {
    name: 'Redis cannot be reached for two seconds',
    async play({ redisGate }) {
      redisGate.shut();
      await pause(OUTAGE_MILLIS);
      redisGate.open();
    },
  },
  {
    name: 'Redis has no memory left for two seconds',
    play: (installation) => withoutMemory(installation, OUTAGE_MILLIS),
  },
  {
    name: 'Redis has no memory left for ten seconds',
    play: (installation) => withoutMemory(installation, LONG_OUTAGE_MILLIS),
  },
  {
    name: 'Redis pauses every client for three seconds',
    play: (installation) =>
      inRedis(installation, async (redis) => {
        await redis.call('CLIENT', 'PAUSE', 3000, 'ALL');
        await pause(3000);
      }),
  },
  {
    name: 'Redis ends every client',
    play: (installation) =>
      inRedis(installation, async (redis) => {
        for (const type of ['normal', 'pubsub'])
          await redis.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
      }),
  },
  { name: 'the replica of Redis is promoted', play: promoteReplica },
  slowFailover(FAILOVER_MILLIS),
];
