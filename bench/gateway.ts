import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { drawnShirt } from '../test/support/images.ts';
import { type Stack, startStack } from '../test/support/stack.ts';
import { growthOf } from './load/memory.ts';
import { printFigures } from './print-figures.ts';
import { treeResidentBytes } from './processes.ts';
import { median, quantile } from './statistics.ts';

interface Options {
  requests: number;
  removals: number;
  width: number;
  json: boolean;
}

/** One removal measured by a client. Times in ms. */
interface Removal {
  wall: number;
  /** The inference child's own time, from Server-Timing. */
  engine: number;
}

/** Between the start and the first request: workers that rest prepare for it. */
const REST_MILLIS = 12_000;

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** A form as it is sent: the client's time to encode it is not the service's. */
interface EncodedForm {
  body: ArrayBuffer;
  mediaType: string;
}

async function encodeForm(image: Buffer): Promise<EncodedForm> {
  const form = new FormData();
  form.set('image', new Blob([image as Uint8Array<ArrayBuffer>]), 'photo.jpg');
  const encoded = new Response(form);
  return {
    body: await encoded.arrayBuffer(),
    mediaType: encoded.headers.get('content-type') ?? '',
  };
}

async function remove(
  stack: Stack,
  key: string,
  { body, mediaType }: EncodedForm,
): Promise<Removal> {
  const startedAt = performance.now();
  const response = await fetch(`${stack.url}/bg/v1/background-removals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': mediaType },
    body,
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

/** Returns the p99 of the event loop's lag since the last call, ms. */
async function loopLagMillis(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return 1000 * Number(/^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)/m.exec(text)?.[1]);
}

/** Prints the service's overhead over the engine, and its memory in a long run. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench gateway')
    .option('--requests <n>', 'removals measured one after the other', Number, 100)
    .option('--removals <n>', 'removals of the memory run', Number, 2000)
    .option('--width <px>', 'width and height of the drawn photo', Number, 800)
    .option('--json', 'print JSON', false)
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
    printFigures(figures, options.json);
  } finally {
    await stack.stop();
  }
}

/** Returns the memory of the worker and its children early and late in a long run, bytes. */
async function memoryGrowth(stack: Stack, removals: number, one: () => Promise<unknown>) {
  const samples: number[] = [];
  let started = 0;
  const lane = async () => {
    while (started < removals) {
      started++;
      await one();
      samples.push(treeResidentBytes(stack.worker.pid));
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  return growthOf(samples);
}

async function measure(stack: Stack, options: Options, workerMetrics: string) {
  const { key } = await stack.key();
  const image = await drawnShirt({ width: options.width, height: options.width, format: 'jpeg' });
  const form = await encodeForm(image);
  const one = () => remove(stack, key, form);
  await sleep(REST_MILLIS);
  const firstTen = await sequential(10, one);

  const singles = await sequential(options.requests, one);
  const overheads = singles.map(({ wall, engine }) => wall - engine);

  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) {
    const oneByOne = await timed(() => sequential(8, one));
    const together = await timed(() => Promise.all(Array.from({ length: 8 }, one)));
    ratios.push(together / oneByOne);
  }

  await loopLagMillis(workerMetrics);
  await loopLagMillis(`${stack.url}/metrics`);
  const memory = await memoryGrowth(stack, options.removals, one);
  return {
    'first answer / tenth': round(firstTen[0]!.wall / firstTen[9]!.wall),
    'engine p50 ms': round(median(singles.map(({ engine }) => engine))),
    'overhead over the engine p50 ms': round(median(overheads)),
    'overhead over the engine p95 ms': round(quantile(overheads, 0.95)),
    '8 parallel / 8 sequential': round(median(ratios)),
    'event loop p99 gateway ms': round(await loopLagMillis(`${stack.url}/metrics`)),
    'event loop p99 worker ms': round(await loopLagMillis(workerMetrics)),
    'worker RSS in the second fifth MiB': round(memory.earlyBytes / 2 ** 20, 1),
    'worker RSS in the last fifth MiB': round(memory.lateBytes / 2 ** 20, 1),
    'worker RSS growth %': round(100 * (memory.lateBytes / memory.earlyBytes - 1)),
    removals: options.removals,
  };
}
