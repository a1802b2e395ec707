import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Engine, EngineOptions } from '../../../workers/inference/pool.ts';
import { EngineCrash, startEngine } from '../../support/engine.ts';
import { drawnShirt, quarters } from '../../support/images.ts';
import { proc } from '../../support/inference.ts';
import { runProgram } from '../../support/processes.ts';

/** Failures of inference children, with real processes. */

const options: EngineOptions = {
  model: 'garment-cutout',
  device: 'cpu',
  slots: 1,
  maxPixels: 16_000_000,
  modelsHome: tmpdir(),
};

/** Of Linux, in /proc. */
const TICKS_PER_SECOND = 100;
/** Less than a cut-out takes; a child that rests uses none. */
const WARM_UP_CPU_SECONDS = 0.2;

let engine: Engine | undefined;
async function start(more: Partial<EngineOptions> = {}): Promise<Engine> {
  engine = await startEngine({ ...options, ...more });
  return engine;
}
afterEach(() => engine?.close());

const small = () => drawnShirt({ width: 64, height: 64, format: 'png' });
const large = () => quarters().resize(3000, 3000, { fit: 'fill' }).jpeg().toBuffer();

/** The inference children of this process. */
const ownChildren = (): number[] =>
  readdirSync('/proc/self/task')
    .flatMap((task) => proc(`self/task/${task}/children`).split(' ').filter(Boolean).map(Number))
    .filter((pid) => proc(`${pid}/cmdline`).includes(join('inference', 'child')));

/** Whether a process exists and is not a zombie. */
const isAlive = (pid: number): boolean => /State:\s+[^ZX]/.test(proc(`${pid}/status`));

/** Kills children of this process as they appear, until `count` are killed or the work is done. */
async function killing(count: number, work: Promise<unknown>): Promise<number> {
  const killed = new Set<number>();
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  while (!over && killed.size < count) {
    for (const pid of ownChildren().filter((child) => !killed.has(child))) {
      killed.add(pid);
      process.kill(pid, 'SIGKILL');
    }
    await setImmediate();
  }
  return killed.size;
}

/** CPU time of the only child of an engine, seconds. */
function childCpuSeconds(of: Engine): number {
  const [pid] = of.pids();
  const [user, system] = proc(`${pid}/stat`).split(') ')[1]!.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

test('a child that has no work after its start warms up in a worker, not for a command', async () => {
  const ofCommand = await start();
  const beforeOfCommand = childCpuSeconds(ofCommand);
  const ofWorker = await startEngine({ ...options, warmUp: true });
  onTestFinished(() => ofWorker.close());
  const before = childCpuSeconds(ofWorker);
  await expect
    .poll(() => childCpuSeconds(ofWorker) - before)
    .toBeGreaterThan(2 * WARM_UP_CPU_SECONDS);
  // It started earlier, so it would have begun earlier.
  expect(childCpuSeconds(ofCommand) - beforeOfCommand).toBeLessThan(WARM_UP_CPU_SECONDS);
});

describe('while the engine starts', () => {
  test('a child that dies is replaced', async () => {
    const starting = start();
    expect(await killing(2, starting)).toBe(2);
    expect(await (await starting).removeBackground(await small())).toMatchObject({ width: 64 });
  });

  test('repeated deaths fail the start, and the error has the reason', async () => {
    const starting = startEngine(options);
    starting.catch(() => {});
    expect(await killing(99, starting)).toBe(4);
    await expect(starting).rejects.toBeInstanceOf(EngineCrash);
    await expect(starting).rejects.toThrow('SIGKILL');
    expect(ownChildren()).toEqual([]);
  });

  test('a child that hangs is killed', async () => {
    await expect(startEngine({ ...options, hangMillis: 1 })).rejects.toThrow('SIGKILL');
    expect(ownChildren()).toEqual([]);
  });
});

test('a child that hangs on an image is killed, and the next image is processed', async () => {
  const { removeBackground, pids } = await start({ hangMillis: 8000 });
  const [pid] = pids();
  process.kill(pid!, 'SIGSTOP');
  await expect(removeBackground(await small())).rejects.toBeInstanceOf(EngineCrash);
  expect(await removeBackground(await small())).toMatchObject({ width: 64 });
  expect(pids()).not.toContain(pid);
});

test('a child whose task takes too long ends once nobody waits for it, and is replaced', async () => {
  const { removeBackground, pids } = await start();
  const [pid] = pids();
  process.kill(pid!, 'SIGSTOP');
  const deadline = new AbortController();
  const late = removeBackground(await small(), { signal: deadline.signal });
  await setImmediate(); // the child has it
  deadline.abort(new Error('late'));
  await expect(late).rejects.toThrow('late');
  await expect.poll(() => isAlive(pid!)).toBe(false);
  expect(await removeBackground(await small())).toMatchObject({ width: 64 });
});

test('a child that dies on an image affects no other, and is replaced at once', async () => {
  const { removeBackground, pids } = await start({ slots: 2 });
  const image = await large();
  const outcomes = [1, 2, 3].map(() =>
    removeBackground(image).then(
      () => 'done',
      (error) => (error instanceof EngineCrash ? 'lost' : String(error)),
    ),
  );
  await setImmediate();
  const [pid] = pids();
  process.kill(pid!, 'SIGKILL');
  await Promise.race(outcomes);
  const killedAt = performance.now();
  await expect.poll(() => pids().length, { interval: 5 }).toBe(2);
  expect(performance.now() - killedAt).toBeLessThan(300);
  expect((await Promise.all(outcomes)).sort()).toEqual(['done', 'done', 'lost']);
});

test('a child gets no image before it is ready: no image is lost if it dies while loading', async () => {
  const { removeBackground, pids } = await start();
  const [first] = pids();
  process.kill(first!, 'SIGKILL');
  await expect.poll(() => pids().length === 1 && pids()[0] !== first, { interval: 1 }).toBe(true);
  const waiting = removeBackground(await small());
  process.kill(pids()[0]!, 'SIGKILL');
  expect(await waiting).toMatchObject({ width: 64 });
});

test('images with priority now are processed first', async () => {
  const { removeBackground } = await start();
  const image = await small();
  const order: string[] = [];
  const busy = removeBackground(await large());
  const ask = (name: string, priority: 'now' | 'later') =>
    removeBackground(image, { priority }).then(() => order.push(name));
  await Promise.all([busy, ask('later', 'later'), ask('now 1', 'now'), ask('now 2', 'now')]);
  expect(order).toEqual(['now 1', 'now 2', 'later']);
});

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
test.each(SIGNALS)('a child ignores %s, which its parent handles', async (signal) => {
  const { removeBackground, pids } = await start();
  const before = pids();
  process.kill(before[0]!, signal);
  expect(await removeBackground(await small())).toMatchObject({ width: 64 });
  expect(pids()).toEqual(before);
});

test('when memory runs out, the kernel kills a child before its parent', async () => {
  const { pids } = await start();
  const oomScore = (pid: number | string) => Number(proc(`${pid}/oom_score_adj`));
  expect(oomScore(pids()[0]!)).toBe(Math.min(1000, oomScore('self') + 500));
});

const LARGE_PAGES = '/sys/kernel/mm/transparent_hugepage/enabled';
const hasLargePages =
  existsSync(LARGE_PAGES) && /\[madvise\]/.test(readFileSync(LARGE_PAGES, 'utf8'));
test.runIf(hasLargePages)('memory of children has large pages', async () => {
  const { pids } = await start();
  expect(proc(`${pids()[0]!}/smaps`)).toMatch(/^VmFlags:.* hg( |$)/m);
});

test('children end when their parent is killed', async () => {
  const holder = runProgram(join(import.meta.dirname, 'hold-engine.ts'));
  const pids: number[] = JSON.parse(await holder.line((line) => line.startsWith('[')));
  expect(pids).toHaveLength(1);
  expect(pids.map(isAlive)).toEqual([true]);
  await holder.end('SIGKILL');
  await expect.poll(() => pids.some(isAlive)).toBe(false);
});

test('closing rejects running and waiting images, and leaves no child', async () => {
  const { removeBackground, close } = await start();
  const image = await large();
  const running = expect(removeBackground(image)).rejects.toBeInstanceOf(EngineCrash);
  const waiting = expect(removeBackground(image)).rejects.toThrow('closed');
  await setImmediate();
  await close();
  await Promise.all([running, waiting]);
  await expect(removeBackground(image)).rejects.toThrow('closed');
  expect(ownChildren()).toEqual([]);
});
