import { describe, expect, test } from 'vitest';
import { correctByGround } from '../../../src/imaging/ground/correct.ts';
import { fullBox } from '../../../src/imaging/picture.ts';

/** Goods with a net of threads in the middle, of which a network sees no gap, on a plain ground. */

const SIZE = 1600;
const GOODS = { from: 300, to: 1300 };
const NET = { from: 500, to: 1100, threadPixels: 3, stepPixels: 8 };
const GROUND = [250, 248, 244];
const CLOTH = [90, 60, 130];

const isWithin = (x: number, y: number, { from, to }: { from: number; to: number }) =>
  x >= from && x < to && y >= from && y < to;
const isGap = (x: number, y: number) =>
  isWithin(x, y, NET) &&
  x % NET.stepPixels >= NET.threadPixels &&
  y % NET.stepPixels >= NET.threadPixels;

/** @param gap the colour in a gap */
function correct(gap: (x: number) => readonly number[]) {
  const pixels = { data: new Uint8Array(3 * SIZE * SIZE), width: SIZE, height: SIZE };
  const matte = { data: new Uint8Array(SIZE * SIZE), width: SIZE, height: SIZE };
  for (let y = 0, i = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++, i++) {
      const isGoods = isWithin(x, y, GOODS);
      const colour = isGap(x, y) ? gap(x) : isGoods ? CLOTH : GROUND;
      for (let c = 0; c < 3; c++) pixels.data[3 * i + c] = colour[c]!;
      if (isGoods) matte.data[i] = 255;
    }
  const correction = correctByGround({ pixels, matte })!;
  const map = { data: new Float32Array(100 * 100).fill(1), width: 100, height: 100 };
  correction.correct(map, fullBox(pixels), matte);
  const wrong = { gaps: 0, threads: 0 };
  for (let y = GOODS.from; y < GOODS.to; y++)
    for (let x = GOODS.from; x < GOODS.to; x++) {
      const alpha = matte.data[y * SIZE + x]!;
      if (isGap(x, y) && alpha > 0) wrong.gaps++;
      if (!isGap(x, y) && alpha < 255) wrong.threads++;
    }
  return { wrong, ...correction.measure(matte) };
}

const darker = (levels: number) => GROUND.map((level) => level - levels);
const ALL_GAPS = (600 / NET.stepPixels) ** 2 * (NET.stepPixels - NET.threadPixels) ** 2;

describe('what is finer than a network sees', () => {
  test('is open where the very ground shows through, and a person is asked', () => {
    const { wrong, holeShare } = correct(() => GROUND);
    expect(wrong.gaps).toBeLessThan(0.001 * ALL_GAPS);
    expect(wrong.threads).toBe(0);
    expect(holeShare).toBeGreaterThan(0.01);
  });

  test('is a print where it has the shades of folds: it stays, and nobody is asked', () => {
    const { wrong, ...shares } = correct((x) => darker(2 + 12 * Math.sin(x / 40) ** 2));
    expect(wrong).toEqual({ gaps: ALL_GAPS, threads: 0 });
    expect(shares).toEqual({ holeShare: 0, groundShare: 0 });
  });

  test('stays where it may be ground, and a person is asked', () => {
    const { wrong, holeShare, groundShare } = correct(() => darker(3));
    expect(wrong).toEqual({ gaps: ALL_GAPS, threads: 0 });
    expect(holeShare).toBe(0);
    expect(groundShare).toBeGreaterThan(0.01);
  });
});
