import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findModel, readCatalog, readWeights } from '../../../models/catalog.ts';
import {
  createRegistry,
  createWorkerMetrics,
} from '../../../src/platform/metrics/process-metrics.ts';
import type { GarmentView } from '../../../workers/inference/garment-view.ts';
import {
  type Engine,
  EngineCrash,
  type Observed,
  startEngine,
} from '../../../workers/inference/pool.ts';
import { drawnShirt, transparentShirt } from '../../support/images.ts';

/** Pictures that go through a network together. */

/** A dimension of a tensor in an ONNX file: one named `n`, and one that is always 1, in as many bytes. */
const NAMED = Buffer.from([0x0a, 3, 0x12, 1, 0x6e]);
const ALWAYS_ONE = Buffer.from([0x0a, 3, 0x08, 0x81, 0]);

/** The weights with every batch dimension fixed, as many networks are exported. */
function oneAtATime(weights: Uint8Array): Buffer {
  const fixed = Buffer.from(weights);
  for (let at = fixed.indexOf(NAMED); at >= 0; at = fixed.indexOf(NAMED))
    ALWAYS_ONE.copy(fixed, at);
  return fixed;
}

let modelsHome: string;
beforeAll(async () => {
  modelsHome = await mkdtemp(join(tmpdir(), 'selvage-together-'));
  const { folder, ...model } = findModel(readCatalog(modelsHome), 'garment-cutout');
  const weights = oneAtATime(await readWeights({ ...model, folder }));
  const sha256 = createHash('sha256').update(weights).digest('hex');
  const fixed = { ...model, id: 'one-at-a-time', file: 'one-at-a-time.onnx', sha256 };
  await writeFile(join(modelsHome, fixed.file), weights);
  await writeFile(join(modelsHome, 'catalog.json'), JSON.stringify({ models: [fixed] }));
});
afterAll(() => rm(modelsHome, { recursive: true }));

const registry = createRegistry('0.0.0');
const metrics = createWorkerMetrics(registry);
const seen: Observed[] = [];
let engine: Engine | undefined;
async function start(batch: number | undefined, model = 'garment-cutout'): Promise<Engine> {
  seen.length = 0;
  engine = await startEngine({
    model,
    device: 'cpu',
    slots: 1,
    maxPixels: 16_000_000,
    modelsHome,
    batch,
    observe(picture) {
      seen.push(picture);
      metrics.picture(picture);
    },
  });
  return engine;
}
afterEach(() => engine?.close());

const shirts = () =>
  Promise.all(
    [200, 230, 260, 290].map((width) => transparentShirt({ width, height: 200, format: 'png' })),
  );

test('views of pictures that come together are those of the pictures alone', async () => {
  const { viewGarment } = await start(4);
  const images = await shirts();
  const alone: GarmentView[] = [];
  for (const image of images) alone.push(await viewGarment(image));
  expect(seen.map(({ batchSize }) => batchSize)).toEqual([1, 1, 1, 1]);
  seen.length = 0;
  const together = await Promise.all(images.map((image) => viewGarment(image)));
  expect(Math.max(...seen.map(({ batchSize }) => batchSize))).toBeGreaterThan(1);
  together.forEach(({ probabilities, colors, width }, i) => {
    expect(width).toBe(alone[i]!.width);
    expect(colors).toEqual(alone[i]!.colors);
    probabilities.forEach((p, k) => void expect(p).toBeCloseTo(alone[i]!.probabilities[k]!, 4));
  });
});

const drawn = () =>
  Promise.all([64, 96, 128, 160].map((width) => drawnShirt({ width, height: 64, format: 'png' })));

test('cut-outs of pictures that come together are those of the pictures alone', async () => {
  const { removeBackground } = await start(4);
  const images = await drawn();
  const alone: Uint8Array[] = [];
  for (const image of images) alone.push((await removeBackground(image)).file);
  seen.length = 0;
  const together = await Promise.all(images.map((image) => removeBackground(image)));
  expect(Math.max(...seen.map(({ batchSize }) => batchSize))).toBeGreaterThan(1);
  together.forEach(({ file }, i) => void expect(Buffer.compare(file, alone[i]!)).toBe(0));
});

test('how many went together shows in the metrics', async () => {
  const { removeBackground } = await start(4);
  registry.resetMetrics();
  await Promise.all((await drawn()).map((image) => removeBackground(image)));
  const text = await registry.metrics();
  const sum = seen.reduce((all, { batchSize }) => all + batchSize, 0);
  expect(sum).toBeGreaterThan(4);
  expect(text).toContain(`selvage_engine_batch_size_sum ${sum}`);
  expect(text).toContain('selvage_engine_batch_size_count 4');
});

test('where nobody says how many, the device does: one on a CPU', async () => {
  const { batch, removeBackground } = await start(undefined);
  expect(batch).toBe(1);
  await Promise.all((await drawn()).map((image) => removeBackground(image)));
  expect(seen.map(({ batchSize }) => batchSize)).toEqual([1, 1, 1, 1]);
});

test('a network that takes one picture at a time gets them one at a time', async () => {
  const { removeBackground } = await start(3, 'one-at-a-time');
  const images = await drawn();
  const cutOuts = await Promise.all(images.map((image) => removeBackground(image)));
  expect(cutOuts.map(({ width }) => width)).toEqual([64, 96, 128, 160]);
  expect(seen.map(({ batchSize }) => batchSize)).toEqual([1, 1, 1, 1]);
});

test('a child takes no more pictures than it may; the others wait for their turn, and that is told', async () => {
  const { viewGarment } = await start(2);
  const images = await shirts();
  // Loads the classifier.
  await viewGarment(images[0]!);
  seen.length = 0;
  const views = await Promise.all(images.map((image) => viewGarment(image)));
  expect(seen.every(({ batchSize }) => batchSize <= 2)).toBe(true);
  const waits = seen.map(({ waitMillis }) => waitMillis).sort((a, b) => a - b);
  // Two wait for nobody, the others for one of them to be done.
  const soonestMillis = Math.min(...views.map(({ timings }) => timings.totalMillis));
  expect(waits[1]).toBeLessThan(soonestMillis);
  expect(waits[2]).toBeGreaterThanOrEqual(soonestMillis);
});

test('a child that dies takes all pictures it has with it, and serves the next', async () => {
  const { viewGarment, pids } = await start(2);
  const images = await shirts();
  const lost = images.slice(0, 2).map((image) => viewGarment(image));
  const outcomes = Promise.allSettled(lost);
  await new Promise(setImmediate);
  process.kill(pids()[0]!, 'SIGKILL');
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(EngineCrash) });
  const both = await Promise.all(images.slice(2).map((image) => viewGarment(image)));
  expect(both).toHaveLength(2);
});
