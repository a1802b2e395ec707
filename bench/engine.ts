import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { drawnShirt } from '../test/support/images.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { cpuMillisOf } from './processes.ts';

interface Options {
  pictures: number;
  width: number;
  slots: number;
  batch: number;
  json: boolean;
}

const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};
const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

interface Spent {
  parent: number;
  children: number;
}

function spentSoFar(engine: Engine): Spent {
  const { user, system } = process.cpuUsage();
  return {
    parent: (user + system) / 1000,
    children: engine
      .pids()
      .map(cpuMillisOf)
      .reduce((a, b) => a + b, 0),
  };
}

/** What waiting for one picture took beside the child's own time, ms. */
async function addedMillis(engine: Engine, image: Uint8Array): Promise<number> {
  const startedAt = performance.now();
  const { timings } = await engine.removeBackground(image, { priority: 'now' });
  return performance.now() - startedAt - timings.totalMillis;
}

async function oneByOne(engine: Engine, image: Uint8Array, count: number): Promise<number[]> {
  const added: number[] = [];
  for (let i = 0; i < count; i++) added.push(await addedMillis(engine, image));
  return added;
}

/** Pictures a second with every slot busy, and CPU time of one, ms. */
async function allSlots(engine: Engine, image: Uint8Array, { pictures, slots, batch }: Options) {
  const before = spentSoFar(engine);
  const startedAt = performance.now();
  let begun = 0;
  const lane = async () => {
    for (; begun < pictures; ) {
      begun++;
      await engine.removeBackground(image);
    }
  };
  // One more than the children take, so that none waits for this process.
  await Promise.all(Array.from({ length: slots * batch + 1 }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = spentSoFar(engine);
  return {
    picturesASecond: pictures / seconds,
    parentMillis: (after.parent - before.parent) / pictures,
    childMillis: (after.children - before.children) / pictures,
  };
}

async function measure(engine: Engine, options: Options) {
  const size = { width: options.width, height: options.width };
  const image = await drawnShirt({ ...size, format: 'jpeg' });
  await oneByOne(engine, image, 10);
  const added = await oneByOne(engine, image, options.pictures);
  const busy = await allSlots(engine, image, options);
  return {
    'picture kB': round(image.length / 1000),
    'cut-out kB': round((await engine.removeBackground(image)).file.length / 1000),
    'added to the child p50 ms': round(quantile(added, 0.5)),
    'added to the child p95 ms': round(quantile(added, 0.95)),
    'pictures a second': round(busy.picturesASecond),
    'CPU of the parent a picture ms': round(busy.parentMillis),
    'CPU of the children a picture ms': round(busy.childMillis),
    slots: options.slots,
  };
}

/** Prints what handing pictures to the children costs, and how many they do. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench engine')
    .option('--pictures <n>', 'of each measurement', Number, 200)
    .option('--width <px>', 'width and height of the drawn photo', Number, 800)
    .option('--slots <n>', 'children', Number, availableParallelism())
    .option('--batch <n>', 'pictures each child has at once', Number, 1)
    .option('--json', 'answer in JSON', false)
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
    console.log(
      options.json
        ? JSON.stringify(figures)
        : Object.entries(figures)
            .map(([name, value]) => `${name.padEnd(34)} ${value}`)
            .join('\n'),
    );
  } finally {
    await engine.close();
  }
}
