import { describe, expect, test } from 'vitest';
import { type Evidence, measureEvidence, type View } from '../../src/imaging/evidence.ts';
import { fullBox, mirrorPixels } from '../../src/imaging/picture.ts';

/** What speaks for and against a cut-out, measured on drawings. */

const SIDE = 64;
type Rgb = readonly [number, number, number];
type Draw<T> = (x: number, y: number) => T;

const WHITE: Rgb = [250, 250, 250];
const BLUE: Rgb = [20, 40, 160];

const cells = <T>(draw: Draw<T>): T[] =>
  Array.from({ length: SIDE * SIDE }, (_, i) => draw(i % SIDE, Math.floor(i / SIDE)));

const within = (from: number, to: number) => (value: number) => value >= from && value < to;

/** A square of 32 cells in the middle. */
const inMiddle: Draw<boolean> = (x, y) => within(16, 48)(x) && within(16, 48)(y);

const IMAGE = { width: 640, height: 640 };

const viewOf = (
  probability: Draw<number | boolean>,
  colour: Draw<Rgb> = (x, y) => (Number(probability(x, y)) >= 0.5 ? BLUE : WHITE),
  place: Partial<Pick<View, 'region' | 'image'>> = {},
): View => ({
  map: { data: Float32Array.from(cells(probability), Number), width: SIDE, height: SIDE },
  pixels: { data: Uint8Array.from(cells(colour).flat()), width: SIDE, height: SIDE },
  region: fullBox(IMAGE),
  image: IMAGE,
  ...place,
});

const evidenceOf = (...view: Parameters<typeof viewOf>): Evidence =>
  measureEvidence(viewOf(...view), 0.9);

test('a whole, sharp subject has nothing against it', () => {
  const evidence = evidenceOf(inMiddle);
  expect(evidence).toEqual({
    confidence: 0.9,
    unsureGapShare: 0,
    holeShare: 0,
    groundShare: 0,
    otherShare: 0,
    subjectShare: 0.25,
    sharpness: 0.5,
    blendedShare: 0,
    cutShare: 0,
  });
});

test('an image without a subject has no evidence but that', () => {
  expect(evidenceOf(() => 0)).toEqual({
    confidence: 0.9,
    unsureGapShare: 0,
    holeShare: 0,
    groundShare: 0,
    otherShare: 0,
    subjectShare: 0,
    sharpness: 1,
    blendedShare: 0,
    cutShare: 0,
  });
});

describe('an unsure area', () => {
  const unsure = (isUnsure: Draw<boolean>) =>
    evidenceOf((x, y) => (isUnsure(x, y) ? 0.5 : inMiddle(x, y))).unsureGapShare;

  test('within the subject counts by its share', () => {
    const isGap: Draw<boolean> = (x, y) => within(28, 36)(x) && within(28, 36)(y);
    expect(unsure(isGap)).toBeCloseTo(64 / 1024, 10);
  });

  test('that is open on one side counts', () => {
    const isGap: Draw<boolean> = (x, y) => within(28, 36)(x) && within(40, 48)(y);
    expect(unsure(isGap)).toBeCloseTo(64 / 1024, 10);
  });

  test('outside the subject, or at its corner, does not count', () => {
    expect(unsure((x, y) => within(0, 8)(x) && within(0, 8)(y))).toBe(0);
    expect(unsure((x, y) => within(40, 48)(x) && within(40, 48)(y))).toBe(0);
  });

  test('as thin as a soft outline does not count', () => {
    expect(unsure((x, y) => within(30, 32)(x) && within(20, 44)(y))).toBe(0);
  });
});

describe('separate pieces', () => {
  /** Two pieces side by side, and the share of the second in height. */
  const pieces =
    (share: number): Draw<boolean> =>
    (x, y) =>
      (within(8, 24)(x) && within(16, 48)(y)) ||
      (within(40, 56)(x) && within(16, 16 + 32 * share)(y));
  const coloured =
    (share: number, other: Rgb): Draw<Rgb> =>
    (x, y) =>
      pieces(share)(x, y) ? (x < 32 ? BLUE : other) : WHITE;

  test.each<{ what: string; share: number; other: Rgb; wanted: number }>([
    { what: 'another colour', share: 1, other: [160, 40, 20], wanted: 1 },
    { what: 'another brightness', share: 1, other: [80, 100, 220], wanted: 1 },
    { what: 'another size', share: 0.5, other: BLUE, wanted: 0.5 },
    { what: 'the same size and colour: a pair of shoes', share: 1, other: BLUE, wanted: 0 },
    { what: 'the same in the shade', share: 1, other: [0, 20, 135], wanted: 0 },
  ])('of $what', ({ share, other, wanted }) => {
    expect(evidenceOf(pieces(share), coloured(share, other)).otherShare).toBeCloseTo(wanted, 10);
  });

  test('count from the third on, even beside a pair', () => {
    const isThird: Draw<boolean> = (x, y) => within(28, 36)(x) && within(20, 36)(y);
    const { otherShare } = evidenceOf((x, y) => pieces(1)(x, y) || isThird(x, y));
    expect(otherShare).toBeCloseTo(128 / 512, 10);
  });
});

describe('the frame', () => {
  const lowerHalf: Draw<boolean> = (x, y) => within(16, 48)(x) && y >= 32;

  test.each<{ what: string; draw: Draw<boolean>; wanted: number }>([
    { what: 'below', draw: lowerHalf, wanted: 0.5 },
    { what: 'above', draw: (x, y) => lowerHalf(x, SIDE - 1 - y), wanted: 0.5 },
    { what: 'on the left', draw: (x, y) => lowerHalf(y, SIDE - 1 - x), wanted: 0.5 },
    { what: 'on the right', draw: (x, y) => lowerHalf(y, x), wanted: 0.5 },
    { what: 'nowhere', draw: inMiddle, wanted: 0 },
  ])('cuts the subject $what', ({ draw, wanted }) => {
    expect(evidenceOf(draw).cutShare).toBeCloseTo(wanted, 10);
  });

  test('is the image’s, not that of the region that was looked at', () => {
    const region = { left: 64, top: 64, width: 320, height: 320 };
    expect(evidenceOf(lowerHalf, undefined, { region }).cutShare).toBe(0);
    const atTheBottom = { ...region, top: 320 };
    expect(evidenceOf(lowerHalf, undefined, { region: atTheBottom }).cutShare).toBe(0.25);
  });
});

test('the share of a subject is that of the image', () => {
  const region = { left: 0, top: 0, width: 160, height: 320 };
  expect(evidenceOf(inMiddle, undefined, { region }).subjectShare).toBe(0.25 / 8);
});

describe('sharpness', () => {
  /** Columns as wide as `width` cells, or a wave as long. */
  const stripes =
    (width: number): Draw<Rgb> =>
    (x) =>
      Math.floor(x / width) % 2 ? BLUE : WHITE;
  const wave: Draw<Rgb> = (x, y) => [128, 128 + 100 * Math.sin((x + y) / 6), 128];

  test('is about one quarter where colours change evenly, and more at hard edges', () => {
    expect(evidenceOf(inMiddle, wave).sharpness).toBeCloseTo(0.25, 1);
    expect(evidenceOf(inMiddle, stripes(4)).sharpness).toBeCloseTo(0.5, 1);
    expect(evidenceOf(inMiddle, stripes(1)).sharpness).toBe(1);
  });

  test('does not depend on contrast', () => {
    const faint: Draw<Rgb> = (x, y) => {
      const [red, green, blue] = wave(x, y);
      return [red / 2, green / 2, blue / 2];
    };
    expect(evidenceOf(inMiddle, faint).sharpness).toBeCloseTo(0.25, 1);
  });

  test('is not told without contrast, or of a view that is enlarged', () => {
    expect(evidenceOf(inMiddle, () => BLUE).sharpness).toBe(1);
    const image = { width: 40, height: 40 };
    expect(evidenceOf(inMiddle, wave, { image, region: fullBox(image) }).sharpness).toBe(1);
  });
});

test('the outline blends in where both sides have the same colour', () => {
  const ground: Draw<Rgb> = (x, y) => (inMiddle(x, y) || y < 32 ? BLUE : WHITE);
  expect(evidenceOf(inMiddle, ground).blendedShare).toBeCloseTo(0.5, 1);
  expect(evidenceOf(inMiddle, () => BLUE).blendedShare).toBe(1);
});

test('pixels are mirrored left to right', () => {
  const data = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  expect(mirrorPixels({ data, width: 2, height: 2 })).toEqual({
    data: Uint8Array.of(4, 5, 6, 1, 2, 3, 10, 11, 12, 7, 8, 9),
    width: 2,
    height: 2,
  });
});
