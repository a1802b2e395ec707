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

/** A network that has found a square in the middle, and what else it is told. */
function finder(elsewhere: readonly number[]): Session {
  const found = new Float32Array(SIDE * SIDE);
  const [from, to] = [SIDE / 4, (3 * SIDE) / 4];
  for (let y = from; y < to; y++) found.fill(1, y * SIDE + from, y * SIDE + to);
  for (const place of elsewhere) found[place] = 1;
  return {
    model: { ...cutter, output: { ...output, post: 'none' } },
    device: 'cpu',
    run: async () => found,
  };
}

/** What the classifier is shown of a garment found so. */
async function shown(elsewhere: readonly number[]): Promise<Float32Array> {
  const image = await drawnShirt({ width: 200, height: 200, format: 'png' });
  let seen = new Float32Array();
  const watching: Session = {
    model: classifier,
    device: 'cpu',
    async run(input) {
      seen = Float32Array.from(input);
      return new Float32Array(10).fill(0.1);
    },
  };
  await viewGarment(finder(elsewhere), watching, image, 1_000_000, 'any');
  return seen;
}

test('a speck far from the garment does not make it smaller in what the classifier sees', async () => {
  const speck = [0, 1, SIDE, SIDE + 1].map((offset) => 3 * SIDE + 3 + offset);
  const strip = Array.from({ length: 8 * SIDE }, (_, i) => Math.floor(i / 8) * SIDE + (i % 8));
  const alone = await shown([]);
  expect(await shown(speck)).toEqual(alone);
  // What is larger is no speck.
  expect(await shown(strip)).not.toEqual(alone);
});
