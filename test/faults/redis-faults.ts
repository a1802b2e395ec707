import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, inRedis } from './fault.ts';
import type { Installation } from './installation.ts';

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
      inRedis(installation, (redis) =>
        redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
      ),
  },
];
