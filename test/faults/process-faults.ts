import { setTimeout as pause } from 'node:timers/promises';
import { again, type Fault, fault } from './fault.ts';
import { childrenOf } from './installation.ts';

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

const ended =
  (kind: 'gateways' | 'workers', signal: NodeJS.Signals): Fault['play'] =>
  (installation, random) =>
    again(random.pick(installation[kind]), signal);

const frozen =
  (millis: number): Fault['play'] =>
  async ({ workers }, random) => {
    const { running } = random.pick(workers);
    process.kill(running.pid, 'SIGSTOP');
    await pause(millis);
    process.kill(running.pid, 'SIGCONT');
  };

const TAKEN = /"inputKey"|"batchId"|"id":"job_/;
const OVER = /:completed\b/;

/** The faults of gateways, workers and inference children. */
export const PROCESS_FAULTS: readonly Fault[] = [
  fault('an inference child is killed', async ({ workers }, random) => {
    for (const pid of await childrenOf(random.pick(workers))) process.kill(pid, 'SIGKILL');
  }),
  fault('a worker is killed at any moment', ended('workers', 'SIGKILL')),
  fault('a worker is killed when it has just taken a job', killedAt('answer', TAKEN)),
  fault('a worker is killed over the end of a job, before Redis knows', killedAt('request', OVER)),
  fault('a worker is stopped, as at a new release', ended('workers', 'SIGTERM')),
  fault('a worker is frozen for longer than its lock', frozen(6000)),
  fault('a gateway is killed', ended('gateways', 'SIGKILL')),
  fault('a gateway is stopped, as at a new release', ended('gateways', 'SIGTERM')),
];
