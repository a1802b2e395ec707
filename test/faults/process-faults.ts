import { setTimeout as pause } from 'node:timers/promises';
import { again, type Fault } from './fault.ts';
import { childrenOf, type Member } from './installation.ts';

/** The time limit of waiting for a moment of a job. */
const MOMENT_MILLIS = 10_000;

/**
 * Kills whichever worker's job comes to this moment, as it is seen on the way to Redis or back; any
 * worker where it does not come.
 */
const killedAt =
  (direction: 'request' | 'answer', pattern: RegExp): Fault['play'] =>
  async ({ redisGate, workers }, random) => {
    // One worker is stopped, so it is the other one that matches.
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

async function frozen(member: Member, millis: number): Promise<void> {
  process.kill(member.running.pid, 'SIGSTOP');
  await pause(millis);
  process.kill(member.running.pid, 'SIGCONT');
}

/** The faults of gateways, workers and inference children. */
export const PROCESS_FAULTS: readonly Fault[] = [
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
    name: 'a worker is stopped, as at a new release',
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
    name: 'a gateway is stopped, as at a new release',
    play: ({ gateways }, random) => again(random.pick(gateways), 'SIGTERM'),
  },
];
