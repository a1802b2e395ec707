import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import { IMAGE_CLASSES, type ImageClass } from '../../../src/taxonomy/photo/image-classes.ts';
import { viewGarment } from '../../../workers/inference/garment-view.ts';
import { GROUPS } from '../../../workers/inference/garments/groups.ts';
import type { Session } from '../../../workers/inference/session.ts';
import { drawnShirt, transparentShirt } from '../../support/images.ts';

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

/** A network that sees one group in each third of what it is shown, from the top. */
const fakeParser = (thirds: readonly string[]): Session => ({
  model: findModel(catalog, 'garment-parse'),
  device: 'cpu',
  async run(_, size = { width: 320, height: 320 }) {
    const [width, height] = [size.width / 4, size.height / 4];
    const groups = new Float32Array(GROUPS.length * width * height);
    for (let y = 0; y < height; y++) {
      const third = thirds[Math.floor((y * thirds.length) / height)];
      const group = GROUPS.findIndex(({ id }) => id === third);
      groups.fill(1, (group * height + y) * width, (group * height + y + 1) * width);
    }
    return groups;
  },
});
const LAID_OUT = fakeParser(['top', 'top', 'top']);

/** A classifier that keeps its inputs and answers by their number. */
function recordingClassifier(answers: readonly number[] = [0]) {
  const inputs: Float32Array[] = [];
  const session: Session = {
    model: classifier,
    device: 'cpu',
    async run(input) {
      const answer = new Float32Array(IMAGE_CLASSES.length);
      answer[answers[inputs.length] ?? 0] = 1;
      inputs.push(Float32Array.from(input));
      return answer;
    },
  };
  return { inputs, session };
}

/** Returns the input of the classifier. */
async function classifierInput(others: readonly number[]): Promise<Float32Array> {
  const image = await drawnShirt({ width: 200, height: 200, format: 'png' });
  const { inputs, session } = recordingClassifier();
  const sessions = { remover: fakeRemover(others), parser: LAID_OUT, classifier: session };
  await viewGarment(sessions, image, 1_000_000);
  expect(inputs).toHaveLength(1);
  return inputs[0]!;
}

test('a speck far from the garment does not make it smaller in the input of the classifier', async () => {
  const speck = [0, 1, SIDE, SIDE + 1].map((offset) => 3 * SIDE + 3 + offset);
  const strip = Array.from({ length: 8 * SIDE }, (_, i) => Math.floor(i / 8) * SIDE + (i % 8));
  const alone = await classifierInput([]);
  expect(await classifierInput(speck)).toEqual(alone);
  // A larger area is not a speck.
  expect(await classifierInput(strip)).not.toEqual(alone);
});

describe('what a person wears', () => {
  const [upper, legs, feet] = ['hoodie', 'pants', 'shoes'].map((name) =>
    IMAGE_CLASSES.indexOf(name as ImageClass),
  );

  async function view(thirds: readonly string[], answers: readonly number[] = []) {
    const image = await drawnShirt({ width: 200, height: 200, format: 'png' });
    const { inputs, session } = recordingClassifier(answers);
    const sessions = { remover: fakeRemover([]), parser: fakeParser(thirds), classifier: session };
    return { inputs, ...(await viewGarment(sessions, image, 1_000_000)) };
  }

  test('is looked at apart, the largest first; the largest is the likeliest to be sold', async () => {
    const body = ['skin', 'knit_sweat', 'knit_sweat', 'knit_sweat', 'trousers_jeans', 'shoes'];
    const { worn, probabilities, inputs } = await view(body, [upper!, upper!, legs!, legs!, feet!]);
    // Clothes alone and with what is worn around them, shoes alone.
    expect(inputs).toHaveLength(5);
    const shares = worn.map(({ share }) => share);
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
    expect(worn[0]!.probabilities[upper!]).toBeCloseTo(1, 5);
    expect(probabilities[upper!]).toBeGreaterThan(0.9);
    expect(probabilities.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 5);
  });

  test('is one garment where a jacket is open over a shirt', async () => {
    const { worn } = await view(['skin', 'jacket_blazer', 'shirt_blouse', 'trousers_jeans']);
    expect(worn).toHaveLength(2);
    expect(worn[0]!.share).toBeGreaterThan(0.5);
  });

  test('is hardly taken for what is worn elsewhere', async () => {
    const body = ['skin', 'knit_sweat', 'knit_sweat', 'knit_sweat'];
    const { worn } = await view(body, [feet!, upper!]);
    expect(worn[0]!.probabilities[upper!]).toBeGreaterThan(0.9);
    expect(worn[0]!.probabilities[feet!]).toBeLessThan(0.1);
  });

  test('needs a classifier of as many classes', async () => {
    const { session } = recordingClassifier();
    const classifier: Session = { ...session, run: async () => new Float32Array(7) };
    const image = await drawnShirt({ width: 200, height: 200, format: 'png' });
    const sessions = { remover: fakeRemover([]), parser: LAID_OUT, classifier };
    await expect(viewGarment(sessions, image, 1_000_000)).rejects.toThrow(/32 classes/);
  });

  test('is nothing in a photo of a laid-out garment, which is looked at whole', async () => {
    const { worn, inputs } = await view(['top', 'skirt', 'top']);
    expect(worn).toEqual([]);
    expect(inputs).toHaveLength(1);
  });

  test('is found in a cut-out too, without cutting out again', async () => {
    const image = await transparentShirt({ width: 200, height: 200, format: 'png' });
    const never: Session = { ...fakeRemover([]), run: () => Promise.reject(new Error('no pass')) };
    const { session } = recordingClassifier([upper!, legs!]);
    const parser = fakeParser(['skin', 'knit_sweat', 'knit_sweat', 'trousers_jeans']);
    const sessions = { remover: never, parser, classifier: session };
    const { worn, hasAlpha } = await viewGarment(sessions, image, 1_000_000);
    expect(hasAlpha).toBe(true);
    expect(worn).toHaveLength(2);
  });
});
