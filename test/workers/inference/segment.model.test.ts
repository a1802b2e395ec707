import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { scoresOf } from '../../../bench/matte-scores.ts';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import { sharpnessOf } from '../../../src/imaging/evidence.ts';
import { toMatte } from '../../../src/imaging/matte.ts';
import { type Box, fullBox, type Pixels, subjectBox } from '../../../src/imaging/picture.ts';
import { decode, toSquare } from '../../../workers/inference/codec.ts';
import { levelsFor } from '../../../workers/inference/cut-out.ts';
import { type SecondPassCriteria, segment } from '../../../workers/inference/segment.ts';
import { openSession, type Session } from '../../../workers/inference/session.ts';
import { figureAlone } from '../../support/figure.ts';
import { drawnShirt, drawnWood, transparentShirt } from '../../support/images.ts';

/** The number and the regions of segmentation passes. */

const ANY_CONFIDENCE: SecondPassCriteria = { maxShare: 0.6, maxConfidence: 1 };
const PLACE: Box = { left: 700, top: 220, width: 240, height: 240 };
const SIZE = { width: 1200, height: 800 };

let runs = 0;
let session: Session;
beforeAll(async () => {
  const model = findModel(readCatalog('nowhere'), 'garment-cutout');
  const { runAll, ...loaded } = await openSession(model, 'cpu', 1);
  session = {
    ...loaded,
    async run(input, size) {
      runs++;
      return (await runAll([input], size))[0]!;
    },
  };
});

/** On a ground of one colour a small subject would be looked at alone. */
const UNEVEN_GROUND = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}">
    <linearGradient id="light"><stop stop-color="#a98e6b"/><stop offset="1" stop-color="#97805f"/></linearGradient>
    <rect width="100%" height="100%" fill="url(#light)"/></svg>`,
);

/** A small shirt, rotated to be asymmetric, and its matte. */
async function smallShirt() {
  const straight = await transparentShirt({ ...PLACE, format: 'png' });
  const shirt = await sharp(straight)
    .rotate(25, { background: '#0000' })
    .resize(PLACE.width, PLACE.height)
    .png()
    .toBuffer();
  const { left, top } = PLACE;
  const photo = await sharp(UNEVEN_GROUND)
    .composite([{ input: shirt, left, top }])
    .removeAlpha()
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

async function segmentCounted(pixels: Pixels, secondPass?: SecondPassCriteria) {
  runs = 0;
  const segmentation = await segment(session, pixels, undefined, secondPass);
  return { ...segmentation, runs };
}

test('a small subject gets a second, closer pass, which improves its edges', async () => {
  const { pixels, matte } = await smallShirt();
  const once = await segmentCounted(pixels);
  const twice = await segmentCounted(pixels, ANY_CONFIDENCE);
  expect([once.runs, twice.runs]).toEqual([1, 2]);
  expect(once.region).toEqual(fullBox(SIZE));
  const { left, top, width, height } = twice.region;
  const subject = subjectBox(matte.data, SIZE.width)!;
  expect(left).toBeLessThan(subject.left);
  expect(top).toBeLessThan(subject.top);
  expect(left + width).toBeGreaterThan(subject.left + subject.width);
  expect(top + height).toBeGreaterThan(subject.top + subject.height);
  expect(width * height).toBeLessThan(SIZE.width * SIZE.height * 0.3);
  const scores = ({ probabilities, region }: typeof once) =>
    scoresOf(toMatte(probabilities, pixels, levelsFor(probabilities, region), region), matte);
  expect(scores(twice).edge).toBeLessThan(0.8 * scores(once).edge);
  expect(scores(twice).iou).toBeGreaterThan(scores(once).iou);
  expect(twice.confidence).toBe(once.confidence);
});

/** The mean difference between what was returned as seen, and the region it is to show. */
async function differenceOf({ seen, region }: Awaited<ReturnType<typeof segment>>, pixels: Pixels) {
  expect([seen.width, seen.data.length]).toEqual([seen.height, 3 * seen.width * seen.height]);
  const { data } = await toSquare(pixels, seen.width, { region });
  return data.reduce((sum, value, i) => sum + Math.abs(value - seen.data[i]!), 0) / data.length;
}

test('what the network saw is returned upright, of any pass', async () => {
  const small = await smallShirt();
  const { pixels: cut } = await legCutByFrame('#d8d0c8');
  for (const pixels of [small.pixels, cut]) {
    const twice = await segment(session, pixels, undefined, ANY_CONFIDENCE);
    const { width, height } = twice.probabilities;
    expect(twice.seen).toMatchObject({ width, height });
    expect(await differenceOf(twice, pixels)).toBeLessThan(1);
    const once = await segment(session, pixels, undefined);
    expect(await differenceOf(once, pixels)).toBe(0);
  }
});

/** A bare leg that the frame cuts above and below, before an even backdrop, and its matte. */
async function legCutByFrame(background: string) {
  const side = 600;
  const drawn = (ground: string) =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${ground}
          <path d="M150 0 Q200 300 190 600 L330 600 Q380 250 400 0Z" fill="#d9a98a"/></svg>`,
      ),
    );
  const ground = `<rect width="100%" height="100%" fill="${background}"/>`;
  const { pixels } = await decode(await drawn(ground).removeAlpha().png().toBuffer(), 1e7);
  const data = await drawn('').ensureAlpha().extractChannel('alpha').raw().toBuffer();
  return { pixels, matte: { data, width: side, height: side } };
}

test.each(['#d8d0c8', '#eee8e0'])(
  'a subject that the frame cuts is found whole in a frame of its backdrop, %s',
  async (background) => {
    const { pixels, matte } = await legCutByFrame(background);
    const once = await segmentCounted(pixels);
    const twice = await segmentCounted(pixels, ANY_CONFIDENCE);
    expect([once.runs, twice.runs]).toEqual([1, 2]);
    expect(twice.region).toEqual(fullBox(pixels));
    expect(twice.confidence).toBeGreaterThan(once.confidence);
    const iou = ({ probabilities, region }: typeof once) =>
      scoresOf(toMatte(probabilities, pixels, levelsFor(probabilities, region), region), matte).iou;
    expect(iou(once)).toBeLessThan(0.95);
    expect(iou(twice)).toBeGreaterThan(0.99);
  },
);

test.each([
  { what: 'above the maximum confidence', secondPass: { ...ANY_CONFIDENCE, maxConfidence: 0.01 } },
  { what: 'without criteria', secondPass: undefined },
])('$what there is one pass', async ({ secondPass }) => {
  const { pixels } = await smallShirt();
  expect(await segmentCounted(pixels, secondPass)).toMatchObject({
    runs: 1,
    region: fullBox(SIZE),
  });
});

test('a subject that fills the image gets one pass', async () => {
  const image = await drawnShirt({ width: 300, height: 300, format: 'png' });
  const { pixels } = await decode(image, 1e7);
  const nearer = { left: 40, top: 40, width: 220, height: 220 };
  const close = await decode(await sharp(image).extract(nearer).png().toBuffer(), 1e7);
  expect((await segmentCounted(pixels, ANY_CONFIDENCE)).runs).toBe(2);
  expect((await segmentCounted(close.pixels, ANY_CONFIDENCE)).runs).toBe(1);
});

test('a model that does not benefit from a second pass runs once', async () => {
  const { pixels } = await smallShirt();
  const { closer: _, ...input } = session.model.input;
  const plain = { ...session, model: { ...session.model, input } };
  runs = 0;
  await segment(plain, pixels, undefined, ANY_CONFIDENCE);
  expect(runs).toBe(1);
});

/** A drawn person on planks, blurred by so many pixels, and the matte. */
async function blurredFigure(deviation: number) {
  const size = { width: 400, height: 600 };
  const figure = await figureAlone(size.width, size.height);
  const photo = sharp(await drawnWood({ ...size, format: 'png' })).composite([{ input: figure }]);
  const drawn = sharp(await photo.png().toBuffer());
  const image = deviation > 0 ? drawn.blur(deviation) : drawn;
  const data = await sharp(figure).extractChannel('alpha').raw().toBuffer();
  return {
    ...(await decode(await image.png().toBuffer(), 1e7)),
    matte: { data, ...size },
  };
}

/** A network of the same weights that looks at no photo sharpened. */
const withoutSharpening = (): Session => {
  const { blurredSize: _, ...input } = session.model.input;
  return { ...session, model: { ...session.model, input } };
};

test.each([5, 8, 10])(
  'what is blurred by %i pixels is found sharpened, and is still blurred',
  async (deviation) => {
    const { pixels, matte } = await blurredFigure(deviation);
    const iou = ({ probabilities, region }: Awaited<ReturnType<typeof segment>>) =>
      scoresOf(toMatte(probabilities, pixels, levelsFor(probabilities, region), region), matte).iou;
    const before = await segment(withoutSharpening(), pixels, undefined, ANY_CONFIDENCE);
    const after = await segmentCounted(pixels, ANY_CONFIDENCE);
    expect(after.runs).toBe(2);
    expect(after.region).toEqual(fullBox(pixels));
    expect(iou(after)).toBeGreaterThan(iou(before) + 0.1);
    expect(iou(after)).toBeGreaterThan(0.8);
    // At 10 the network takes all for subject at first, which no doubt about the second look outweighs.
    expect(after.confidence > before.confidence).toBe(deviation < 10);
    expect(await differenceOf(after, pixels)).toBe(0);
    expect(sharpnessOf(after.probabilities, after.seen)).toBeLessThan(0.29);
  },
);

test('a sharp photo is looked at as if nothing were ever sharpened', async () => {
  const { pixels } = await blurredFigure(0);
  expect(await segment(session, pixels, undefined, ANY_CONFIDENCE)).toEqual(
    await segment(withoutSharpening(), pixels, undefined, ANY_CONFIDENCE),
  );
});
