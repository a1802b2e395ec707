import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { faultsByColour } from '../../../bench/ground-faults.ts';
import { scoresOf } from '../../../bench/matte-scores.ts';
import { drawPackshot } from '../../../bench/packshots/draw.ts';
import type { DrawingName } from '../../../bench/packshots/drawings.ts';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import { decode } from '../../../workers/inference/codec.ts';
import { cutOut } from '../../../workers/inference/cut-out.ts';
import { openSession, type Session } from '../../../workers/inference/session.ts';
import { drawnShirtOnWood } from '../../support/images.ts';

/** Cut-outs of goods on even grounds, with the bundled network. */

/** Of the mesh of mesh-dress.jpg, pixels. */
const MESH = { left: 270, top: 480, width: 260, height: 400 };
const FIXTURES = new URL('../../fixtures/ground/', import.meta.url);

let session: Session;
beforeAll(async () => {
  const model = findModel(readCatalog('nowhere'), 'garment-cutout');
  const { runAll, ...loaded } = await openSession(model, 'cpu', 1);
  session = { ...loaded, run: async (input, size) => (await runAll([input], size))[0]! };
});

async function cut(image: Uint8Array) {
  const { file, review } = await cutOut(session, image, 1e7);
  const { data, info } = await sharp(file)
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { matte: { data, width: info.width, height: info.height }, review };
}

/** Returns the alphas in a rectangle of a cut-out. */
async function alphasIn(
  name: string,
  [left, top, width, height]: readonly [number, number, number, number],
) {
  const { matte, review } = await cut(await readFile(new URL(name, FIXTURES)));
  const alphas: number[] = [];
  for (let y = top; y < top + height; y++)
    alphas.push(...matte.data.subarray(y * matte.width + left, y * matte.width + left + width));
  return { alphas, review, matte };
}

test('the inside of a ring is clear', async () => {
  const { alphas } = await alphasIn('ring.jpg', [240, 270, 110, 110]);
  expect(Math.max(...alphas)).toBe(0);
});

test.each([
  ['a white zip on black', 'zip-white-on-black.jpg'],
  ['a grey lining and zip on white', 'lining-grey-on-white.jpg'],
])('%s stays whole', async (_, name) => {
  const { alphas } = await alphasIn(name, [390, 130, 20, 700]);
  expect(Math.min(...alphas)).toBeGreaterThan(127);
  expect(alphas.filter((alpha) => alpha > 240).length).toBeGreaterThan(0.99 * alphas.length);
});

test('the ground that shows through a mesh is clear', async () => {
  const image = await readFile(new URL('mesh-dress.jpg', FIXTURES));
  const { matte } = await cut(image);
  const light = await sharp(image).greyscale().extract(MESH).raw().toBuffer();
  const { left, top, width } = MESH;
  const alphas = { hole: [] as number[], thread: [] as number[] };
  light.forEach((level, i) => {
    const y = top + Math.floor(i / width);
    const alpha = matte.data[y * matte.width + left + (i % width)]!;
    if (level > 235) alphas.hole.push(alpha);
    else if (level < 60) alphas.thread.push(alpha);
  });
  expect(alphas.hole.length).toBeGreaterThan(10_000);
  expect(alphas.hole.filter((alpha) => alpha < 64).length / alphas.hole.length).toBeGreaterThan(
    0.95,
  );
  expect(
    alphas.thread.filter((alpha) => alpha > 240).length / alphas.thread.length,
  ).toBeGreaterThan(0.95);
});

test.each<[DrawingName, number]>([
  ['ring', 3],
  ['bag', 1],
  ['straps', 2],
  ['jacket', 1],
])('a drawn %s (%i) is cut out along its gaps', async (name, seed) => {
  const { image, alpha } = await drawPackshot(name, seed);
  const { matte } = await cut(image);
  const { data } = await sharp(alpha).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  expect(scoresOf(matte, { ...matte, data }).iou).toBeGreaterThan(0.98);
  const { pixels } = await decode(image, 1e7);
  expect(faultsByColour(matte, pixels)).toEqual({ hole: 0, kept: 0 });
});

test('where the ground is not even, nothing is said about it', async () => {
  const image = await drawnShirtOnWood({ width: 500, height: 500, format: 'jpeg' });
  const { review } = await cut(image);
  expect(review.reasons).not.toContain('ground-in-gap');
  expect(review.reasons).not.toContain('hole-in-subject');
});
