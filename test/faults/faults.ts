import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { childrenOf, type Installation, type Member } from './installation.ts';
import type { Random } from './random.ts';

/** Something that goes wrong with a machine, and is mended again before it is over. */
export interface Fault {
  name: string;
  play(installation: Installation, random: Random): Promise<void>;
}

async function again(member: Member, signal: NodeJS.Signals): Promise<void> {
  await member.end(signal);
  await member.start();
}

/** Longest that is waited for a moment of a job to come. */
const MOMENT_MILLIS = 10_000;

/**
 * Kills whichever worker's job comes to this moment, as it is seen on the way to Redis or back; any
 * worker where it does not come.
 */
const killedAt =
  (direction: 'request' | 'answer', pattern: RegExp): Fault['play'] =>
  async ({ redisGate, workers }, random) => {
    // One worker is away, so that it is the other that is met.
    const [victim, other] = random.shuffled(workers);
    if (!victim || !other) throw new Error('two workers are needed');
    await other.end('SIGTERM');
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, MOMENT_MILLIS);
      const giveUp = redisGate.meet(direction, pattern, () => {
        victim.running.child.kill('SIGKILL');
        clearTimeout(late);
        resolve();
      });
      late.unref();
      setTimeout(giveUp, MOMENT_MILLIS).unref();
    });
    await Promise.all([again(victim, 'SIGKILL'), other.start()]);
  };

const inRedis = async (
  { redis }: Installation,
  deed: (redis: Redis) => Promise<unknown>,
): Promise<void> => {
  const connection = new Redis(redis.url, { lazyConnect: true });
  await connection.connect();
  await deed(connection);
  connection.disconnect();
};

async function frozen(member: Member, millis: number): Promise<void> {
  process.kill(member.running.pid, 'SIGSTOP');
  await pause(millis);
  process.kill(member.running.pid, 'SIGCONT');
}

/** All that is played. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'an inference child is killed',
    async play({ workers }, random) {
      for (const pid of await childrenOf(random.pick(workers))) process.kill(pid, 'SIGKILL');
    },
  },
  {
    name: 'a worker is killed at any moment',
    play: ({ workers }, random) => again(random.pick(workers), 'SIGKILL'),
  },
  {
    name: 'a worker is killed when it has just taken a job',
    play: killedAt('answer', /"inputKey"|"batchId"|"id":"job_/),
  },
  {
    name: 'a worker is killed over the end of a job, before Redis knows',
    play: killedAt('request', /:completed\b/),
  },
  {
    name: 'a worker is told to end, as at a new release',
    play: ({ workers }, random) => again(random.pick(workers), 'SIGTERM'),
  },
  {
    name: 'a worker is frozen for longer than its lock',
    play: ({ workers }, random) => frozen(random.pick(workers), 6000),
  },
  {
    name: 'a gateway is killed',
    play: ({ gateways }, random) => again(random.pick(gateways), 'SIGKILL'),
  },
  {
    name: 'a gateway is told to end, as at a new release',
    play: ({ gateways }, random) => again(random.pick(gateways), 'SIGTERM'),
  },
  {
    name: 'Redis is killed and comes back',
    async play({ redis }) {
      // What the append-only file has not on disk yet is the operating system's, and stays.
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
      await pause(2000);
      redisGate.open();
    },
  },
  {
    name: 'Redis cannot be reached for two seconds',
    async play({ redisGate }) {
      redisGate.shut();
      await pause(2000);
      redisGate.open();
    },
  },
  {
    name: 'Redis has no memory left for two seconds',
    play: (installation) =>
      inRedis(installation, async (redis) => {
        await redis.config('SET', 'maxmemory', '1mb');
        await pause(2000);
        await redis.config('SET', 'maxmemory', '0');
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
