import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { drawnShirt } from '../test/support/images.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { printFigures } from './print-figures.ts';
import { cpuMillisOf } from './processes.ts';
import { quantile } from './statistics.ts';

interface Options {
  pictures: number;
  width: number;
  slots: number;
  batch: number;
  json: boolean;
}

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** CPU time, ms. */
interface CpuTimes {
  parent: number;
  children: number;
}

function cpuTimes(engine: Engine): CpuTimes {
  const { user, system } = process.cpuUsage();
  return {
    parent: (user + system) / 1000,
    children: engine
      .pids()
      .map(cpuMillisOf)
      .reduce((a, b) => a + b, 0),
  };
}

/** Returns the latency of one image beyond the child's own time, ms. */
async function overheadMillis(engine: Engine, image: Uint8Array): Promise<number> {
  const startedAt = performance.now();
  const { timings } = await engine.removeBackground(image, { priority: 'now' });
  return performance.now() - startedAt - timings.totalMillis;
}

async function oneByOne(engine: Engine, image: Uint8Array, count: number): Promise<number[]> {
  const overheads: number[] = [];
  for (let i = 0; i < count; i++) overheads.push(await overheadMillis(engine, image));
  return overheads;
}

/** Returns images per second with every slot busy, and CPU time per image, ms. */
async function allSlots(engine: Engine, image: Uint8Array, { pictures, slots, batch }: Options) {
  const before = cpuTimes(engine);
  const startedAt = performance.now();
  let started = 0;
  const lane = async () => {
    while (started < pictures) {
      started++;
      await engine.removeBackground(image);
    }
  };
  // One more than the children take: none waits for this process.
  await Promise.all(Array.from({ length: slots * batch + 1 }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = cpuTimes(engine);
  return {
    imagesPerSecond: pictures / seconds,
    parentMillis: (after.parent - before.parent) / pictures,
    childMillis: (after.children - before.children) / pictures,
  };
}

async function measure(engine: Engine, options: Options) {
  const size = { width: options.width, height: options.width };
  const image = await drawnShirt({ ...size, format: 'jpeg' });
  await oneByOne(engine, image, 10);
  const overheads = await oneByOne(engine, image, options.pictures);
  const busy = await allSlots(engine, image, options);
  return {
    'image kB': round(image.length / 1000),
    'cut-out kB': round((await engine.removeBackground(image)).file.length / 1000),
    'overhead over the child p50 ms': round(quantile(overheads, 0.5)),
    'overhead over the child p95 ms': round(quantile(overheads, 0.95)),
    'images per second': round(busy.imagesPerSecond),
    'parent CPU per image ms': round(busy.parentMillis),
    'child CPU per image ms': round(busy.childMillis),
    slots: options.slots,
  };
}

/** Prints the overhead of the process pool and its throughput. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench engine')
    .option('--pictures <n>', 'images per measurement', Number, 200)
    .option('--width <px>', 'width and height of the drawn photo', Number, 800)
    .option('--slots <n>', 'inference children', Number, availableParallelism())
    .option('--batch <n>', 'images that each child processes at once', Number, 1)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: options.slots,
    batch: options.batch,
    maxPixels: 50_000_000,
    modelsHome: '.selvage/models',
  });
  try {
    const figures = await measure(engine, options);
    printFigures(figures, options.json);
  } finally {
    await engine.close();
  }
}
