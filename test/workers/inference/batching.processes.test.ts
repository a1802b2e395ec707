import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findModel, readCatalog, readWeights } from '../../../models/catalog.ts';
import { createRegistry } from '../../../src/platform/metrics/registry.ts';
import { WorkerMetrics } from '../../../src/platform/metrics/worker.ts';
import type { MeasuredGarment } from '../../../workers/inference/child-results.ts';
import type { Engine, ImageStats } from '../../../workers/inference/pool.ts';
import { EngineCrash, startEngine } from '../../support/engine.ts';
import { drawnShirt, transparentShirt } from '../../support/images.ts';

/** Images that go through a network together. */

/** A tensor dimension in an ONNX file: one named `n`, and one that is always 1, of the same length. */
const NAMED = Buffer.from([0x0a, 3, 0x12, 1, 0x6e]);
const ALWAYS_ONE = Buffer.from([0x0a, 3, 0x08, 0x81, 0]);

/** Returns the weights with every batch dimension fixed to 1, as many networks are exported. */
function oneAtATime(weights: Uint8Array): Buffer {
  const fixed = Buffer.from(weights);
  for (let at = fixed.indexOf(NAMED); at >= 0; at = fixed.indexOf(NAMED))
    ALWAYS_ONE.copy(fixed, at);
  return fixed;
}

let modelsHome: string;
beforeAll(async () => {
  modelsHome = await mkdtemp(join(tmpdir(), 'selvage-batching-'));
  const { folder, ...model } = findModel(readCatalog(modelsHome), 'garment-cutout');
  const weights = oneAtATime(await readWeights({ ...model, folder }));
  const sha256 = createHash('sha256').update(weights).digest('hex');
  const fixed = { ...model, id: 'one-at-a-time', file: 'one-at-a-time.onnx', sha256 };
  await writeFile(join(modelsHome, fixed.file), weights);
  await writeFile(join(modelsHome, 'catalog.json'), JSON.stringify({ models: [fixed] }));
});
afterAll(() => rm(modelsHome, { recursive: true }));

const registry = createRegistry('0.0.0');
const metrics = new WorkerMetrics(registry);
const stats: ImageStats[] = [];
let engine: Engine | undefined;
async function start(batch: number | undefined, model = 'garment-cutout'): Promise<Engine> {
  stats.length = 0;
  engine = await startEngine({
    model,
    device: 'cpu',
    slots: 1,
    maxPixels: 16_000_000,
    modelsHome,
    batch,
    observe(image) {
      stats.push(image);
      metrics.picture(image);
    },
  });
  return engine;
}
afterEach(() => engine?.close());

const shirts = () =>
  Promise.all(
    [200, 230, 260, 290].map((width) => transparentShirt({ width, height: 200, format: 'png' })),
  );

test('views of images that run together equal those of single images', async () => {
  const { viewGarment } = await start(4);
  const images = await shirts();
  const alone: MeasuredGarment[] = [];
  for (const image of images) alone.push(await viewGarment(image));
  expect(stats.map(({ batchSize }) => batchSize)).toEqual([1, 1, 1, 1]);
  stats.length = 0;
  const together = await Promise.all(images.map((image) => viewGarment(image)));
  expect(Math.max(...stats.map(({ batchSize }) => batchSize))).toBeGreaterThan(1);
  expect(together).toHaveLength(4);
  together.forEach(({ probabilities, colors, width }, i) => {
    expect(width).toBe(alone[i]!.width);
    expect(colors).toEqual(alone[i]!.colors);
    probabilities.forEach((p, k) => void expect(p).toBeCloseTo(alone[i]!.probabilities[k]!, 4));
  });
});

const drawn = () =>
  Promise.all([64, 96, 128, 160].map((width) => drawnShirt({ width, height: 64, format: 'png' })));

test('cut-outs of images that run together equal those of single images', async () => {
  const { removeBackground } = await start(4);
  const images = await drawn();
  const alone: Uint8Array[] = [];
  for (const image of images) alone.push((await removeBackground(image)).file);
  stats.length = 0;
  const together = await Promise.all(images.map((image) => removeBackground(image)));
  expect(Math.max(...stats.map(({ batchSize }) => batchSize))).toBeGreaterThan(1);
  expect(together).toHaveLength(4);
  together.forEach(({ file }, i) => void expect(Buffer.compare(file, alone[i]!)).toBe(0));
});

test('the metrics have the batch sizes', async () => {
  const { removeBackground } = await start(4);
  registry.resetMetrics();
  await Promise.all((await drawn()).map((image) => removeBackground(image)));
  const text = await registry.metrics();
  const sum = stats.reduce((all, { batchSize }) => all + batchSize, 0);
  expect(sum).toBeGreaterThan(4);
  expect(text).toContain(`selvage_engine_batch_size_sum ${sum}`);
  expect(text).toContain('selvage_engine_batch_size_count 4');
});

test('the default batch on a CPU is one', async () => {
  const { batch, removeBackground } = await start(undefined);
  expect(batch).toBe(1);
  await Promise.all((await drawn()).map((image) => removeBackground(image)));
  expect(stats.map(({ batchSize }) => batchSize)).toEqual([1, 1, 1, 1]);
});

test('a network without a batch dimension gets one image at a time', async () => {
  const { removeBackground } = await start(3, 'one-at-a-time');
  const images = await drawn();
  const cutOuts = await Promise.all(images.map((image) => removeBackground(image)));
  expect(cutOuts.map(({ width }) => width)).toEqual([64, 96, 128, 160]);
  expect(stats.map(({ batchSize }) => batchSize)).toEqual([1, 1, 1, 1]);
});

test('a child takes no more images than its batch; the others wait, and the time is reported', async () => {
  const { viewGarment } = await start(2);
  const images = await shirts();
  // Loads the classifier.
  await viewGarment(images[0]!);
  stats.length = 0;
  const views = await Promise.all(images.map((image) => viewGarment(image)));
  expect(stats.every(({ batchSize }) => batchSize <= 2)).toBe(true);
  const waits = stats.map(({ waitMillis }) => waitMillis).sort((a, b) => a - b);
  // Two start at once, the others when one of them is done.
  const soonestMillis = Math.min(...views.map(({ timings }) => timings.totalMillis));
  expect(waits[1]).toBeLessThan(soonestMillis);
  expect(waits[2]).toBeGreaterThanOrEqual(soonestMillis);
});

test('a child that dies fails none of several images: its successor tries them one at a time', async () => {
  const { viewGarment, pids } = await start(2);
  const images = await shirts();
  const suspects = images.slice(0, 2).map((image) => viewGarment(image));
  await new Promise(setImmediate);
  process.kill(pids()[0]!, 'SIGKILL');
  expect(await Promise.all(suspects)).toMatchObject([{ width: 200 }, { width: 230 }]);
  expect(stats.map(({ batchSize }) => batchSize)).toEqual([1, 1]);
  const both = await Promise.all(images.slice(2).map((image) => viewGarment(image)));
  expect(both).toHaveLength(2);
});

test('a child that dies fails the image that it alone worked on', async () => {
  const { viewGarment, pids } = await start(2);
  const lost = viewGarment((await shirts())[0]!);
  await new Promise(setImmediate);
  process.kill(pids()[0]!, 'SIGKILL');
  await expect(lost).rejects.toBeInstanceOf(EngineCrash);
});

test('an engine that closes rejects all images of a child', async () => {
  const { viewGarment, close } = await start(2);
  const lost = (await shirts()).map((image) => viewGarment(image));
  const outcomes = Promise.allSettled(lost);
  await new Promise(setImmediate);
  await close();
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
});
