import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawnFigure } from '../support/figure.ts';
import { drawnShirt } from '../support/images.ts';
import { palettePng } from '../support/palette-png.ts';
import { runProgram } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';

/** The gate compares shipped and spoiled weights on photos drawn here. */

let folder: string;
const shipped = (name: string) => join(ROOT, 'models', `${name}.onnx`);

/** Weights whose last step spreads one whole over a line of the matte, so that all of it is near 0. */
async function spoil(name: string): Promise<string> {
  const weights = await readFile(shipped(name));
  const at = weights.lastIndexOf('Sigmoid');
  expect(at, 'the network ends in a sigmoid').toBeGreaterThan(0);
  weights.write('Softmax', at);
  const file = join(folder, `${name}-spoiled.onnx`);
  await writeFile(file, weights);
  return file;
}

/** Writes a drawn person whose shirt and trousers are labelled roughly. */
async function writeStreetPhoto(): Promise<void> {
  const [photos, labels] = [join(folder, 'street', 'ccp'), join(folder, 'street', 'ccp-59')];
  await mkdir(photos, { recursive: true });
  await mkdir(labels);
  const figure = sharp(await drawnFigure(200, 400)).jpeg();
  await writeFile(join(photos, '0001.jpg'), await figure.toBuffer());
  const classes = { 0: 'null', 1: 't-shirt', 2: 'jeans' };
  await writeFile(join(labels, 'classes.json'), JSON.stringify(classes));
  const labelAt = (x: number, y: number) => {
    if (x < 75 || x > 125 || y < 85 || y > 355) return 0;
    return y < 198 ? 1 : 2;
  };
  const rows = Array.from({ length: 400 }, (_, y) =>
    Array.from({ length: 200 }, (_, x) => labelAt(x, y)),
  );
  await writeFile(join(labels, '0001.png'), palettePng(rows));
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
  await writeStreetPhoto();
});
afterAll(() => rm(folder, { recursive: true }));

async function gate(photos: string, ...args: string[]) {
  const running = runProgram('bench/gate.ts', [...args, '--eval', photos]);
  return { code: await running.exited, output: running.output() };
}

test.each(['garment-cutout', 'garment-class'])('%s passes against itself', async (name) => {
  const { code, output } = await gate(folder, shipped(name), '--as', name, '--json');
  expect(code, output).toBe(0);
  const rows: { shipped: number; candidate: number }[] = JSON.parse(output);
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(row.candidate).toBe(row.shipped);
});

test('garment-parse passes against itself on labelled people', async () => {
  const photos = join(folder, 'street');
  const { code, output } = await gate(
    photos,
    shipped('garment-parse'),
    '--as',
    'garment-parse',
    '--json',
  );
  expect(output).toContain('"kind":"garments"');
  const rows: { kind: string; figure: string; shipped: number; candidate: number }[] = JSON.parse(
    output.split('\n').find((line) => line.startsWith('['))!,
  );
  expect(rows.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['garments', 'top', 'bottom']),
  );
  // CPU time differs from run to run, and so may the verdict by it.
  const measured = rows.filter(({ figure }) => figure !== 'CPU ratio');
  for (const row of measured) expect(row.candidate).toBe(row.shipped);
  expect([0, 1]).toContain(code);
});

test('rejects a worse candidate and names the kinds it is worse on', async () => {
  const candidate = await spoil('garment-cutout');
  const { code, output } = await gate(folder, candidate, '--as', 'garment-cutout');
  expect(code).toBe(1);
  expect(output).toMatch(/Rejected: worse on wide, narrow/);
  expect(output).toMatch(/wide +1 +mIoU .*WORSE/);
});

test('does not pass when there is nothing to measure', async () => {
  const empty = await mkdtemp(join(folder, 'empty-'));
  await writeFile(join(empty, 'manifest.json'), '{"items":[]}');
  const { code, output } = await gate(empty, shipped('garment-cutout'), '--as', 'garment-cutout');
  expect(code).toBe(1);
  expect(output).toMatch(/Nothing to measure/);
});

test('a model that is not the project’s own is a usage error', async () => {
  expect(await gate(folder, shipped('garment-cutout'), '--as', 'u2netp')).toMatchObject({
    code: 2,
  });
});
