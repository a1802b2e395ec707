import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { drawnShirt } from '../test/support/images.ts';
import { type Stack, startStack } from '../test/support/stack.ts';

interface Options {
  requests: number;
  removals: number;
  width: number;
  json: boolean;
}

/** One removal as a client sees it. Times in ms. */
interface Removal {
  wall: number;
  /** The inference child's own time, from Server-Timing. */
  engine: number;
}

const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};
const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

async function remove(stack: Stack, key: string, image: Buffer): Promise<Removal> {
  const form = new FormData();
  form.set('image', new Blob([image as Uint8Array<ArrayBuffer>]), 'photo.jpg');
  const startedAt = performance.now();
  const response = await fetch(`${stack.url}/bg/v1/background-removals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const engine = /engine;dur=([\d.]+)/.exec(response.headers.get('server-timing') ?? '')?.[1];
  return { wall: performance.now() - startedAt, engine: Number(engine) };
}

async function sequential(count: number, one: () => Promise<Removal>): Promise<Removal[]> {
  const done: Removal[] = [];
  for (let i = 0; i < count; i++) done.push(await one());
  return done;
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

/** Resident memory of a process and its children, bytes. */
function residentBytes(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
  );
  const own =
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  return own + children.map((child) => residentBytes(Number(child))).reduce((a, b) => a + b, 0);
}

/** p99 of the event loop's lateness since the process was last asked, ms. */
async function loopLagMillis(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return 1000 * Number(/^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)/m.exec(text)?.[1]);
}

/** Prints what the service adds to the engine's own time, and how it holds up under load. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench gateway')
    .option('--requests <n>', 'removals measured one by one', Number, 100)
    .option('--removals <n>', 'removals of the memory run', Number, 2000)
    .option('--width <px>', 'width and height of the drawn photo', Number, 800)
    .option('--json', 'answer in JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const workerPort = 18_081;
  const stack = await startStack({
    WORKER_CONCURRENCY: '2',
    WORKER_PORT: String(workerPort),
    LOG_LEVEL: 'info',
  });
  try {
    const figures = await measure(stack, options, `http://127.0.0.1:${workerPort}/metrics`);
    console.log(
      options.json
        ? JSON.stringify(figures)
        : Object.entries(figures)
            .map(([name, value]) => `${name.padEnd(34)} ${value}`)
            .join('\n'),
    );
  } finally {
    await stack.stop();
  }
}

/**
 * Median memory of the worker and its children early and late in a long run, bytes. The first fifth
 * warms every cache there is; single readings jump by what a garbage collection frees.
 */
async function residentsDuring(stack: Stack, removals: number, one: () => Promise<unknown>) {
  const readings: number[] = [];
  let begun = 0;
  const lane = async () => {
    while (begun < removals) {
      begun++;
      await one();
      readings.push(residentBytes(stack.worker.pid));
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  const fifth = (n: number) =>
    readings.slice((n * readings.length) / 5, ((n + 1) * readings.length) / 5);
  return { early: quantile(fifth(1), 0.5), late: quantile(fifth(4), 0.5) };
}

async function measure(stack: Stack, options: Options, workerMetrics: string) {
  const { key } = await stack.key();
  const image = await drawnShirt({ width: options.width, height: options.width, format: 'jpeg' });
  const one = () => remove(stack, key, image);
  await sequential(10, one);

  const singles = await sequential(options.requests, one);
  const added = singles.map(({ wall, engine }) => wall - engine);

  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) {
    const oneByOne = await timed(() => sequential(8, one));
    const together = await timed(() => Promise.all(Array.from({ length: 8 }, one)));
    ratios.push(together / oneByOne);
  }

  await loopLagMillis(workerMetrics);
  await loopLagMillis(`${stack.url}/metrics`);
  const residents = await residentsDuring(stack, options.removals, one);
  return {
    'engine p50 ms': round(
      quantile(
        singles.map(({ engine }) => engine),
        0.5,
      ),
    ),
    'added to the engine p50 ms': round(quantile(added, 0.5)),
    'added to the engine p95 ms': round(quantile(added, 0.95)),
    '8 parallel / 8 sequential': round(quantile(ratios, 0.5)),
    'event loop p99 gateway ms': round(await loopLagMillis(`${stack.url}/metrics`)),
    'event loop p99 worker ms': round(await loopLagMillis(workerMetrics)),
    'worker RSS in the second fifth MiB': round(residents.early / 2 ** 20, 1),
    'worker RSS in the last fifth MiB': round(residents.late / 2 ** 20, 1),
    'worker RSS growth %': round(100 * (residents.late / residents.early - 1)),
    removals: options.removals,
  };
}
