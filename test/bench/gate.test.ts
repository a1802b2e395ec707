import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawnShirt } from '../support/images.ts';
import { ROOT, runProgram } from '../support/processes.ts';

/** Weights beside the shipped ones, on photos made here: what is asked is whether the gate can tell. */

let folder: string;
const shipped = (name: string) => join(ROOT, 'models', `${name}.onnx`);

/** Weights whose last layer, whose name in the file ends so, is all zeros: they answer the same everywhere. */
async function spoiled(name: string, layer: string): Promise<string> {
  const weights = await readFile(shipped(name));
  // The tensor's own name is the last place that has it; its values follow.
  const at = weights.lastIndexOf(layer) + layer.length + 4;
  weights.fill(0, at, at + 138);
  const file = join(folder, `${name}-spoiled.onnx`);
  await writeFile(file, weights);
  return file;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'selvage-gate-test-'));
  await mkdir(join(folder, 'photos'));
  const kinds: Record<string, number> = { wide: 260, narrow: 180 };
  const items = Object.keys(kinds).map((kind) => ({
    kind,
    image: `photos/${kind}.png`,
    mask: `photos/${kind}-mask.png`,
    label: 'T-Shirt',
  }));
  for (const { kind, image, mask } of items) {
    const drawn = await drawnShirt({ width: kinds[kind] ?? 200, height: 200, format: 'png' });
    await writeFile(join(folder, image), drawn);
    const dark = sharp(drawn).greyscale().threshold(200).negate();
    await writeFile(join(folder, mask), await dark.png().toBuffer());
  }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ items }));
});
afterAll(() => rm(folder, { recursive: true }));

async function gate(photos: string, ...args: string[]) {
  const running = runProgram('models/training/gate.ts', [...args, '--eval', photos]);
  return { code: await running.exited, output: running.output() };
}

test.each(['garment-cutout', 'garment-class'])('%s passes beside itself', async (name) => {
  const { code, output } = await gate(folder, shipped(name), '--as', name, '--json');
  expect(code, output).toBe(0);
  const rows: { shipped: number; candidate: number }[] = JSON.parse(output);
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(row.candidate).toBe(row.shipped);
});

test('a candidate that is worse is refused, with the kinds it is worse on', async () => {
  const candidate = await spoiled('garment-cutout', 'net.out.0.weight_h');
  const { code, output } = await gate(folder, candidate, '--as', 'garment-cutout');
  expect(code).toBe(1);
  expect(output).toMatch(/Refused: worse on wide, narrow/);
  expect(output).toMatch(/wide +1 +mIoU .*WORSE/);
});

test('nothing to measure is no pass', async () => {
  const empty = await mkdtemp(join(folder, 'empty-'));
  await writeFile(join(empty, 'manifest.json'), '{"items":[]}');
  const { code, output } = await gate(empty, shipped('garment-cutout'), '--as', 'garment-cutout');
  expect(code).toBe(1);
  expect(output).toMatch(/Nothing to measure/);
});

test('a name that is none of ours is asked wrongly', async () => {
  expect(await gate(folder, shipped('garment-cutout'), '--as', 'u2netp')).toMatchObject({
    code: 2,
  });
});
