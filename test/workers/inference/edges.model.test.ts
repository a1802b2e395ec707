import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { scoresOf } from '../../../bench/matte-scores.ts';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import type { Quality } from '../../../src/output/option-table.ts';
import { cutOut, levelsFor, REFINED_LOW_LEVEL } from '../../../workers/inference/cut-out.ts';
import { openSession, type Session } from '../../../workers/inference/session.ts';
import { transparentShirt } from '../../support/images.ts';

/** Edges of cut-outs with the bundled network, by quality. */

let session: Session;
beforeAll(async () => {
  const model = findModel(readCatalog('nowhere'), 'garment-cutout');
  const { runAll, ...loaded } = await openSession(model, 'cpu', 1);
  session = { ...loaded, run: async (input, size) => (await runAll([input], size))[0]! };
});

/** A shirt on a backdrop with a camera's noise, as a JPEG, and its matte. */
async function photoOf(side: number, background: string) {
  const size = { width: side, height: side };
  const shirt = await transparentShirt({ ...size, format: 'png' });
  const noise = { type: 'gaussian', mean: 128, sigma: 4 } as const;
  const grain = await sharp({ create: { ...size, channels: 3, background, noise } })
    .png()
    .toBuffer();
  const photo = await sharp({ create: { ...size, channels: 3, background } })
    .composite([{ input: grain, blend: 'soft-light' }, { input: shirt }])
    .jpeg({ quality: 85 })
    .toBuffer();
  const data = await sharp(shirt).extractChannel('alpha').raw().toBuffer();
  return { photo, matte: { data, ...size } };
}

async function edgeErrors(side: number, background: string) {
  const { photo, matte } = await photoOf(side, background);
  const errorOf = async (quality: Quality) => {
    const { file } = await cutOut(session, photo, 1e7, { options: { quality } });
    const data = await sharp(file).extractChannel('alpha').raw().toBuffer();
    return scoresOf({ ...matte, data }, matte).edge;
  };
  return {
    fast: await errorOf('fast'),
    balanced: await errorOf('balanced'),
    high: await errorOf('high'),
  };
}

test.each([450, 1200])(
  'in a photo of %i pixels they are closer than without refinement',
  async (side) => {
    const { fast, balanced, high } = await edgeErrors(side, '#b9b2a6');
    expect(balanced).toBeLessThan(0.8 * fast);
    expect(high).toBeLessThan(0.8 * fast);
  },
);

test('refined edges are hardened less than those that were only enlarged', () => {
  const map = { width: 352, height: 352 };
  const levels = (side: number) => {
    const region = { width: side, height: side / 2 };
    return [levelsFor(map, region)[0], levelsFor(map, region, REFINED_LOW_LEVEL)[0]];
  };
  expect(levels(352)).toEqual([0.03, 0.04]);
  const [enlarged, refined] = levels(4 * 352);
  expect(enlarged).toBe(0.3);
  expect(refined).toBe(0.25);
});
