import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { again, type Fault, fault, isS3 } from './fault.ts';
import { childrenOf, type Installation, type Member } from './installation.ts';
import type { Moment, StoreCall } from './store-gate.ts';

/** The time limit of waiting for a moment of a job. */
const MOMENT_MILLIS = 10_000;

const INPUT = /^in\/|^sync\/.*\/in$|^batches\/.*\/in\/\d+$/;
const CUT_OUT = /^out\/|^sync\/.*\/out$|^feeds\/.*\/images\//;

/** Waits until a call of one process reaches a moment; resolves with false if none does. */
async function meets(
  { store }: Installation,
  { name }: Member,
  { at, isIt }: Moment,
  met: () => void,
): Promise<boolean> {
  return new Promise((resolve) => {
    const moment = { at, isIt: (call: StoreCall) => call.who === name && isIt(call) };
    const giveUp = store.gate?.meet(moment, () => {
      met();
      clearTimeout(late);
      resolve(true);
    });
    const late = setTimeout(() => {
      giveUp?.();
      resolve(false);
    }, MOMENT_MILLIS);
  });
}

/** Kills a worker when one of its storage calls reaches a moment. */
const killedAt =
  (moment: Moment): Fault['play'] =>
  async (installation, random) => {
    const victim = random.pick(installation.workers);
    const kill = () => victim.running.child.kill('SIGKILL');
    if (!(await meets(installation, victim, moment, kill))) return false;
    return again(victim, 'SIGKILL');
  };

/** The CPU time of a process, in ticks of 10 ms. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** The CPU ticks that show a process is working on an image. */
const WORKING_TICKS = 3;
const LOOK_MILLIS = 10;

/** The worker's inference child that is processing an image, if any. */
async function childAtWork(worker: Member): Promise<number | undefined> {
  const until = performance.now() + MOMENT_MILLIS;
  const [child] = await childrenOf(worker);
  if (child === undefined) return undefined;
  let before = await ticksOf(child);
  while (performance.now() < until) {
    await pause(LOOK_MILLIS * WORKING_TICKS * 2);
    const now = await ticksOf(child);
    if (now - before >= WORKING_TICKS) return child;
    before = now;
  }
  return undefined;
}

const FETCH: Moment = {
  at: 'request',
  isIt: ({ method, key }) => method === 'GET' && INPUT.test(key),
};
const cutOutPut = (at: Moment['at']): Moment => ({
  at,
  isIt: ({ method, key }) => method === 'PUT' && CUT_OUT.test(key),
});

/** Kills of a worker at the moments when most unreported work is lost. */
export const KILL_POINTS: readonly Fault[] = [
  fault('a worker is killed before it fetches an image', killedAt(FETCH), isS3),
  fault('a worker is killed over an image', async ({ workers }, random) => {
    const worker = random.pick(workers);
    if ((await childAtWork(worker)) === undefined) return false;
    return again(worker, 'SIGKILL');
  }),
  fault('an inference child is killed over an image', async ({ workers }, random) => {
    const child = await childAtWork(random.pick(workers));
    return child === undefined ? false : process.kill(child, 'SIGKILL');
  }),
  fault('a worker is killed before it puts a cut-out', killedAt(cutOutPut('request')), isS3),
  fault('a worker is killed after it has put a cut-out', killedAt(cutOutPut('answer')), isS3),
];
