import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import { viewGarment } from '../../../workers/inference/garment-view.ts';
import type { Session } from '../../../workers/inference/session.ts';
import { drawnShirt } from '../../support/images.ts';

const catalog = readCatalog(tmpdir());
const { output, ...cutter } = findModel(catalog, 'garment-cutout');
const classifier = findModel(catalog, 'garment-class');
const SIDE = cutter.input.size;

/** A network that finds a square in the middle, and the given pixels. */
function fakeRemover(others: readonly number[]): Session {
  const found = new Float32Array(SIDE * SIDE);
  const [from, to] = [SIDE / 4, (3 * SIDE) / 4];
  for (let y = from; y < to; y++) found.fill(1, y * SIDE + from, y * SIDE + to);
  for (const index of others) found[index] = 1;
  return {
    model: { ...cutter, output: { ...output, post: 'none' } },
    device: 'cpu',
    run: async () => found,
  };
}

/** Returns the input of the classifier. */
async function classifierInput(others: readonly number[]): Promise<Float32Array> {
  const image = await drawnShirt({ width: 200, height: 200, format: 'png' });
  let received = new Float32Array();
  const recording: Session = {
    model: classifier,
    device: 'cpu',
    async run(input) {
      received = Float32Array.from(input);
      return new Float32Array(10).fill(0.1);
    },
  };
  await viewGarment(fakeRemover(others), recording, image, 1_000_000, 'any');
  return received;
}

test('a speck far from the garment does not make it smaller in the input of the classifier', async () => {
  const speck = [0, 1, SIDE, SIDE + 1].map((offset) => 3 * SIDE + 3 + offset);
  const strip = Array.from({ length: 8 * SIDE }, (_, i) => Math.floor(i / 8) * SIDE + (i % 8));
  const alone = await classifierInput([]);
  expect(await classifierInput(speck)).toEqual(alone);
  // A larger area is not a speck.
  expect(await classifierInput(strip)).not.toEqual(alone);
});
