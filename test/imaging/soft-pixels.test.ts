import { describe, expect, test } from 'vitest';
import type { Matte, Pixels } from '../../src/imaging/picture.ts';
import {
  correctAlpha,
  gridOver,
  recoverForeground as recover,
  softCells,
} from '../../src/imaging/soft-pixels.ts';

function recoverForeground(pixels: Pixels, matte: Matte, opacity?: Uint8Array): void {
  const scene = { pixels, matte, opacity };
  recover(scene);
}

type Colour = readonly [number, number, number];
const RED: Colour = [190, 40, 50];
const GREEN: Colour = [30, 200, 90];

/** A disc with a soft edge over a background, as a camera sees it: colours blended by alpha. */
function disc(side: number, subject: Colour, backdrop: Colour) {
  const matte = { data: new Uint8Array(side * side), width: side, height: side };
  const pixels = { data: new Uint8Array(3 * side * side), width: side, height: side };
  const [middle, radius, soft] = [side / 2, side / 4, side / 30];
  for (let i = 0; i < side * side; i++) {
    const distance = Math.hypot((i % side) + 0.5 - middle, Math.floor(i / side) + 0.5 - middle);
    const alpha = Math.min(1, Math.max(0, (radius - distance) / soft + 0.5));
    matte.data[i] = Math.round(255 * alpha);
    const a = matte.data[i]! / 255;
    for (let c = 0; c < 3; c++)
      pixels.data[3 * i + c] = Math.round(a * subject[c]! + (1 - a) * backdrop[c]!);
  }
  return { pixels, matte };
}

/** Mean distance of the colours under the soft edge from the subject's own, in 1/255. */
function halo({ pixels, matte }: ReturnType<typeof disc>, subject: Colour): number {
  let sum = 0;
  let count = 0;
  matte.data.forEach((alpha, i) => {
    if (alpha < 13 || alpha > 242) return;
    for (let c = 0; c < 3; c++) sum += Math.abs(pixels.data[3 * i + c]! - subject[c]!);
    count += 3;
  });
  return sum / count;
}

describe('the halo of the old background goes', () => {
  test.each([60, 300, 1000])('in an image of %i pixels a side', (side) => {
    const drawn = disc(side, RED, GREEN);
    const mixed = halo(drawn, RED);
    recoverForeground(drawn.pixels, drawn.matte);
    expect(halo(drawn, RED)).toBeLessThan(mixed / 5);
  });
});

test('pixels that are wholly subject or wholly background stay unchanged, bit for bit', () => {
  const { pixels, matte } = disc(200, RED, GREEN);
  const before = pixels.data.slice();
  recoverForeground(pixels, matte);
  const changed = matte.data.filter((_, i) =>
    [0, 1, 2].some((c) => pixels.data[3 * i + c] !== before[3 * i + c]),
  );
  expect(changed.filter((alpha) => alpha === 0 || alpha === 255)).toHaveLength(0);
  expect(changed.length).toBeGreaterThan(100);
});

test('colours hidden under transparency change nothing', () => {
  const recovered = ([...hidden]: Colour) => {
    const { pixels, matte } = disc(200, RED, GREEN);
    const opacity = Uint8Array.from(matte.data, (alpha) => (alpha === 0 ? 0 : 255));
    opacity.forEach((seen, i) => {
      if (seen === 0) pixels.data.set(hidden, 3 * i);
    });
    recoverForeground(pixels, matte, opacity);
    return pixels.data.filter((_, i) => opacity[Math.floor(i / 3)]! > 0);
  };
  expect(recovered([0, 0, 255])).toEqual(recovered([255, 250, 0]));
});

test.each([
  { what: 'one pixel', width: 1, height: 1 },
  { what: 'a line', width: 4000, height: 1 },
  { what: 'a column', width: 1, height: 4000 },
])('$what of undecided alpha keeps its colour', ({ width, height }) => {
  const pixels = { data: new Uint8Array(3 * width * height).fill(90), width, height };
  recoverForeground(pixels, { data: new Uint8Array(width * height).fill(128), width, height });
  expect(new Set(pixels.data)).toEqual(new Set([90]));
});

const NAVY: Colour = [30, 40, 90];
const BEIGE: Colour = [225, 210, 190];
const SIDE = 240;

/** Alpha of a disc, 0..1, with an edge `soft` pixels wide. */
const discAlpha = (i: number, soft: number): number => {
  const distance = Math.hypot((i % SIDE) - SIDE / 2, Math.floor(i / SIDE) - SIDE / 2);
  return Math.min(1, Math.max(0, (SIDE / 4 - distance) / soft + 0.5));
};

/** A disc in front of a backdrop, its edge 2 pixels wide, with a matte as soft as an enlarged one. */
function photo(subject: Colour, backdrop: Colour, colourAt = (_i: number, c: Colour) => c) {
  const pixels = { data: new Uint8Array(3 * SIDE * SIDE), width: SIDE, height: SIDE };
  const matte = { data: new Uint8Array(SIDE * SIDE), width: SIDE, height: SIDE };
  for (let i = 0; i < SIDE * SIDE; i++) {
    const alpha = discAlpha(i, 2);
    matte.data[i] = Math.round(255 * discAlpha(i, 14));
    const behind = colourAt(i, backdrop);
    for (let c = 0; c < 3; c++)
      pixels.data[3 * i + c] = Math.round(alpha * subject[c]! + (1 - alpha) * behind[c]!);
  }
  return { pixels, matte, opacity: undefined };
}

/** Mean error of alpha where the matte was soft. */
function edgeError(data: Uint8Array): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    const soft = discAlpha(i, 14);
    if (soft === 0 || soft === 1) continue;
    sum += Math.abs(data[i]! / 255 - discAlpha(i, 2));
    count++;
  }
  return sum / count;
}

function corrected(scene: ReturnType<typeof photo>): Uint8Array {
  correctAlpha(scene);
  return scene.matte.data;
}

describe('alpha by colour', () => {
  test.each([
    { what: 'dark on light', subject: NAVY, backdrop: BEIGE },
    { what: 'light on dark', subject: BEIGE, backdrop: NAVY },
  ])('$what: the edge comes out three times as close', ({ subject, backdrop }) => {
    const scene = photo(subject, backdrop);
    const before = edgeError(scene.matte.data);
    expect(edgeError(corrected(scene))).toBeLessThan(before / 3);
  });

  test('where subject and backdrop have one colour, the matte stays', () => {
    const scene = photo(BEIGE, BEIGE);
    const before = scene.matte.data.slice();
    expect(corrected(scene)).toEqual(before);
  });

  test('a backdrop of many colours does not make the edge worse', () => {
    const checks = (i: number, colour: Colour): Colour =>
      ((i % SIDE) >> 3) % 2 === (Math.floor(i / SIDE) >> 3) % 2 ? colour : [60, 160, 70];
    const scene = photo(NAVY, BEIGE, checks);
    const before = edgeError(scene.matte.data);
    expect(edgeError(corrected(scene))).toBeLessThan(before);
  });

  test('sure alpha stays', () => {
    const scene = photo(NAVY, BEIGE);
    const before = scene.matte.data.slice();
    const after = corrected(scene);
    const changed = before.some((alpha, i) => (alpha === 0 || alpha === 255) && after[i] !== alpha);
    expect(changed).toBe(false);
  });
});

test.each([5, 8, 13, 64])('of a picture %i pixels wide each soft pixel marks its cell', (width) => {
  const matte = { data: new Uint8Array(width * 9), width, height: 9 };
  for (let pixel = 0; pixel < matte.data.length; pixel++) {
    matte.data.fill(255);
    matte.data[pixel] = 128;
    expect(softCells(matte, gridOver(matte)).reduce((sum, mark) => sum + mark, 0)).toBe(1);
  }
  matte.data.fill(0);
  expect(softCells(matte, gridOver(matte)).some((mark) => mark === 1)).toBe(false);
});
