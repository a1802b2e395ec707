import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { scoresOf } from '../../../bench/matte-scores.ts';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import { matteOf } from '../../../src/imaging/matte.ts';
import { type Box, wholeOf } from '../../../src/imaging/subject-box.ts';
import { decode } from '../../../workers/inference/codec.ts';
import { type Doubt, segment } from '../../../workers/inference/segment.ts';
import { openSession, type Session } from '../../../workers/inference/session.ts';
import { LEVELS } from '../../../workers/inference/subject.ts';
import { drawnShirt, transparentShirt } from '../../support/images.ts';

/** Where the network looks, and how often. */

const ANY_DOUBT: Doubt = { share: 0.6, confidence: 1 };
const PLACE: Box = { left: 700, top: 220, width: 240, height: 240 };
const SIZE = { width: 1200, height: 800 };

let runs = 0;
let session: Session;
beforeAll(async () => {
  const model = findModel(readCatalog('nowhere'), 'garment-cutout');
  const { runAll, ...loaded } = await openSession(model, 'cpu', 1);
  session = {
    ...loaded,
    async run(input) {
      runs++;
      return (await runAll([input]))[0]!;
    },
  };
});

/** A shirt far off, askew so that a mirror shows, and its matte. */
async function farShirt() {
  const straight = await transparentShirt({ ...PLACE, format: 'png' });
  const shirt = await sharp(straight)
    .rotate(25, { background: '#0000' })
    .resize(PLACE.width, PLACE.height)
    .png()
    .toBuffer();
  const { left, top } = PLACE;
  const photo = await sharp({ create: { ...SIZE, channels: 3, background: '#a98e6b' } })
    .composite([{ input: shirt, left, top }])
    .png()
    .toBuffer();
  const alone = { ...SIZE, channels: 4, background: '#0000' } as const;
  const data = await sharp({ create: alone })
    .composite([{ input: shirt, left, top }])
    .extractChannel('alpha')
    .raw()
    .toBuffer();
  return { ...(await decode(photo, 1e7)), matte: { data, ...SIZE } };
}

async function sightOf(pixels: Awaited<ReturnType<typeof farShirt>>['pixels'], doubt?: Doubt) {
  runs = 0;
  const sight = await segment(session, pixels, undefined, doubt);
  return { ...sight, runs };
}

test('a small subject is looked at again from nearer, and its edges are better for it', async () => {
  const { pixels, matte } = await farShirt();
  const once = await sightOf(pixels);
  const twice = await sightOf(pixels, ANY_DOUBT);
  expect([once.runs, twice.runs]).toEqual([1, 2]);
  expect(once.part).toEqual(wholeOf(SIZE));
  const { left, top, width, height } = twice.part;
  expect(left).toBeLessThan(PLACE.left + 20);
  expect(top).toBeLessThan(PLACE.top + 40);
  expect(left + width).toBeGreaterThan(PLACE.left + PLACE.width - 20);
  expect(top + height).toBeGreaterThan(PLACE.top + PLACE.height - 40);
  expect(width * height).toBeLessThan(SIZE.width * SIZE.height * 0.3);
  const scores = ({ seen, part }: typeof once) =>
    scoresOf(matteOf(seen, pixels, LEVELS, part), matte);
  expect(scores(twice).edge).toBeLessThan(0.8 * scores(once).edge);
  expect(scores(twice).iou).toBeGreaterThan(scores(once).iou);
  expect(twice.confidence).toBe(once.confidence);
});

test.each([
  { what: 'who is sure', doubt: { ...ANY_DOUBT, confidence: 0.01 } },
  { what: 'who does not doubt', doubt: undefined },
])('$what looks once', async ({ doubt }) => {
  const { pixels } = await farShirt();
  expect(await sightOf(pixels, doubt)).toMatchObject({ runs: 1, part: wholeOf(SIZE) });
});

test('what fills the picture is looked at once', async () => {
  const image = await drawnShirt({ width: 300, height: 300, format: 'png' });
  const { pixels } = await decode(image, 1e7);
  const nearer = { left: 40, top: 40, width: 220, height: 220 };
  const close = await decode(await sharp(image).extract(nearer).png().toBuffer(), 1e7);
  expect((await sightOf(pixels, ANY_DOUBT)).runs).toBe(2);
  expect((await sightOf(close.pixels, ANY_DOUBT)).runs).toBe(1);
});

test('a model that does not gain by it looks once', async () => {
  const { pixels } = await farShirt();
  const { closer: _, ...input } = session.model.input;
  const plain = { ...session, model: { ...session.model, input } };
  runs = 0;
  await segment(plain, pixels, undefined, ANY_DOUBT);
  expect(runs).toBe(1);
});
