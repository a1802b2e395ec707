import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { type Client, createClient } from '../packages/client/src/client.ts';
import { drawnShirt } from '../test/support/images.ts';
import { type Stack, startStack } from '../test/support/stack.ts';
import { printFigures } from './print-figures.ts';
import { treeResidentBytes } from './processes.ts';
import { median } from './statistics.ts';

interface Options {
  pictures: number;
  width: number;
  height: number;
  slots: number;
  restSeconds: number;
  json: boolean;
}

const SAMPLE_MILLIS = 500;
/** Samples of which a stage is the median. */
const STAGE_SAMPLES = 10;

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Returns the memory of gateway and worker with their children, bytes: the median of a few seconds. */
async function settledBytes(bytesNow: () => number): Promise<number> {
  const samples: number[] = [];
  while (samples.length < STAGE_SAMPLES) {
    samples.push(bytesNow());
    await sleep(SAMPLE_MILLIS);
  }
  return median(samples);
}

/** Runs some work and returns the highest memory seen meanwhile, bytes. */
async function peakBytes(bytesNow: () => number, work: () => Promise<void>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, bytesNow());
  }, SAMPLE_MILLIS);
  await work().finally(() => clearInterval(timer));
  return peak;
}

async function removeAll(client: Client, image: Buffer, options: Options): Promise<void> {
  let sent = 0;
  const lane = async () => {
    while (sent++ < options.pictures) await client.removeBackground(image);
  };
  await Promise.all(Array.from({ length: options.slots }, lane));
}

async function measure(stack: Stack, options: Options): Promise<Record<string, number>> {
  const { width, height, restSeconds } = options;
  const { key } = await stack.key();
  const client = createClient({ baseUrl: stack.url, key });
  const image = await drawnShirt({ width, height, format: 'jpeg' });
  const bytesNow = () => treeResidentBytes(stack.gateway.pid) + treeResidentBytes(stack.worker.pid);
  const before = await settledBytes(bytesNow);
  const peak = await peakBytes(bytesNow, () => removeAll(client, image, options));
  const after = await settledBytes(bytesNow);
  await sleep(restSeconds * 1000);
  const rested = await settledBytes(bytesNow);
  return {
    pictures: options.pictures,
    'million pixels': Number(((width * height) / 1e6).toFixed(1)),
    'before MiB': mebibytes(before),
    'peak MiB': mebibytes(peak),
    'after MiB': mebibytes(after),
    [`after ${restSeconds} s of rest MiB`]: mebibytes(rested),
  };
}

/** Prints the memory of gateway and worker before, while and after large pictures are cut out, and after a rest. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench large-pictures')
    .option('--pictures <n>', 'how many', Number, 200)
    .option('--width <px>', 'width of the drawn photo', Number, 8192)
    .option('--height <px>', 'its height', Number, 6100)
    .option('--slots <n>', 'inference children, and removals at a time', Number, 2)
    .option('--rest-seconds <n>', 'rest before the last look at memory', Number, 600)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const stack = await startStack({ WORKER_CONCURRENCY: String(options.slots), LOG_LEVEL: 'info' });
  try {
    printFigures(await measure(stack, options), options.json);
  } finally {
    await stack.stop();
  }
}
