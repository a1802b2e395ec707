import { expect, test } from 'vitest';
import { type Blur, blurOf, deblur } from '../../src/imaging/deblur.ts';
import type { Pixels } from '../../src/imaging/picture.ts';

const SIDE = 160;

/** Returns the value of a cell, 0..255; cells beyond the sides have the nearest one's. */
type Draw = (x: number, y: number) => number;

/** Discs and bars with hard edges. */
const shapes: Draw = (x, y) => {
  if (Math.hypot(x - 50, y - 60) < 28) return 200;
  if (x > 90 && x < 130 && y > 30 && y < 120) return 160;
  return y > 130 ? 90 : 40;
};

/** Blurs along one axis, by a Gaussian. */
const blurred =
  (draw: Draw, deviation: number, isAcross: boolean): Draw =>
  (x, y) => {
    let [sum, weights] = [0, 0];
    for (let k = -4 * deviation; k <= 4 * deviation; k++) {
      const weight = Math.exp(-0.5 * (k / deviation) ** 2);
      sum += weight * (isAcross ? draw(x + k, y) : draw(x, y + k));
      weights += weight;
    }
    return sum / weights;
  };

/** Draws in grey what depends on a value in each cell; draws it once, because blurs read it often. */
function paint(draw: Draw): { pixels: Pixels; read: Draw } {
  const data = new Uint8Array(3 * SIDE * SIDE);
  for (let i = 0; i < SIDE * SIDE; i++)
    data.fill(Math.round(draw(i % SIDE, Math.floor(i / SIDE))), 3 * i, 3 * i + 3);
  const inside = (n: number) => Math.min(SIDE - 1, Math.max(0, Math.round(n)));
  const read: Draw = (x, y) => data[3 * (inside(y) * SIDE + inside(x))]!;
  return { pixels: { data, width: SIDE, height: SIDE }, read };
}

const drawBlurred = ({ across, down }: Blur) => {
  const { read } = paint(shapes);
  const wide = across > 0 ? paint(blurred(read, across, true)).read : read;
  return paint(down > 0 ? blurred(wide, down, false) : wide).pixels;
};

const squaresOf = (one: Pixels, other: Pixels) =>
  one.data.reduce((sum, value, i) => sum + (value - other.data[i]!) ** 2, 0) / one.data.length;

test('a sharp picture is not blurred, nor is one colour', () => {
  expect(blurOf(paint(shapes).pixels)).toEqual({ across: 0, down: 0 });
  expect(blurOf(paint(() => 128).pixels)).toEqual({ across: 0, down: 0 });
});

test('hard edges that lean are sharp along both axes', () => {
  const leaning: Draw = (x, y) => Math.min(200, Math.max(40, 40 + 160 * (x - 60 - y / 8)));
  expect(blurOf(paint(leaning).pixels)).toEqual({ across: 0, down: 0 });
});

test.each([
  { across: 2, down: 2 },
  { across: 4, down: 4 },
  { across: 3, down: 5 },
])('a blur is measured along each axis: $across and $down cells', (blur) => {
  const { across, down } = blurOf(drawBlurred(blur));
  expect(Math.abs(across / blur.across - 1)).toBeLessThan(0.15);
  expect(Math.abs(down / blur.down - 1)).toBeLessThan(0.15);
});

test('a picture that moved is blurred along one axis alone', () => {
  expect(blurOf(drawBlurred({ across: 4, down: 0 }))).toMatchObject({ down: 0 });
  expect(blurOf(drawBlurred({ across: 0, down: 4 }))).toMatchObject({ across: 0 });
});

test('what was blurred is nearer to the sharp picture after deblurring', () => {
  const sharp = paint(shapes).pixels;
  for (const blur of [
    { across: 3, down: 3 },
    { across: 4, down: 0 },
  ]) {
    const soft = drawBlurred(blur);
    const mended = deblur(soft, blurOf(soft));
    expect(squaresOf(mended, sharp)).toBeLessThan(0.6 * squaresOf(soft, sharp));
  }
});

test('what is not blurred is left as it is', () => {
  const { pixels } = paint(shapes);
  expect(deblur(pixels, { across: 0, down: 0 })).toEqual(pixels);
  const even = paint(() => 200).pixels;
  expect(deblur(even, { across: 3, down: 2 })).toEqual(even);
});
