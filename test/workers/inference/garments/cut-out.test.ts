import { describe, expect, test } from 'vitest';
import { QUALITY_SETTINGS } from '../../../../workers/inference/cut-out.ts';
import { placeGarment, refineGarment } from '../../../../workers/inference/garments/cut-out.ts';
import { PARTS } from '../../../../workers/inference/garments/groups.ts';
import { maskOfParts } from '../../../../workers/inference/garments/pieces.ts';
import { prepareSubject } from '../../../../workers/inference/garments/separate.ts';
import { drawMap } from './drawn-maps.ts';

/** Garments cut out of drawn colours: red garment on blue. */

const [WIDTH, HEIGHT] = [40, 30];
const colourAt = (x: number): readonly number[] => (x < 20 ? [200, 30, 30] : [30, 30, 200]);
const drawPixels = () => {
  const data = new Uint8Array(3 * WIDTH * HEIGHT);
  for (let i = 0; i < WIDTH * HEIGHT; i++) data.set(colourAt(i % WIDTH), 3 * i);
  return { data, width: WIDTH, height: HEIGHT };
};
const whole = { data: new Uint8Array(WIDTH * HEIGHT).fill(255), width: WIDTH, height: HEIGHT };

/** A matte of a box: opaque up to a column, then so soft for some columns. */
const matteOf = (width: number, height: number, opaque: number, soft: number, alpha: number) => {
  const data = new Uint8Array(width * height).map((_, i) => {
    const x = i % width;
    if (x < opaque) return 255;
    return x < opaque + soft ? alpha : 0;
  });
  return { data, width, height };
};

describe('a garment', () => {
  const box = { left: 10, top: 5, width: 24, height: 20 };

  test('has the box of what is visible of it, and what is around it', () => {
    const cut = placeGarment(drawPixels(), matteOf(24, 20, 8, 2, 100), box);
    expect(cut?.box).toEqual({ left: 10, top: 5, width: 10, height: 20 });
    const expected = { area: box, visible: { left: 0, top: 0, width: 10, height: 20 } };
    expect(cut).toMatchObject(expected);
    expect([...cut!.pixels.data.slice(0, 3)]).toEqual([200, 30, 30]);
  });

  test('of which no pixel is solid is none', () => {
    expect(placeGarment(drawPixels(), matteOf(24, 20, 0, 10, 90), box)).toBeUndefined();
  });

  test.each([true, false])(
    'keeps its opaque pixels when refined (closed form: %s)',
    (closedForm) => {
      const cut = placeGarment(drawPixels(), matteOf(24, 20, 8, 4, 128), box)!;
      const before = Uint8Array.from(cut.pixels.data);
      const edges = closedForm ? QUALITY_SETTINGS.high.garmentEdges : undefined;
      const { pixels, matte } = refineGarment(cut, whole, edges);
      let altered = 0;
      matte.data.forEach((alpha, i) => {
        if (alpha !== 255) return;
        for (let c = 0; c < 3; c++) if (pixels.data[3 * i + c] !== before[3 * i + c]) altered++;
      });
      expect(altered).toBe(0);
    },
  );

  test('gives up, refined by closed form, soft pixels that have another colour', () => {
    const cut = placeGarment(drawPixels(), matteOf(24, 20, 8, 4, 128), box)!;
    const { matte } = refineGarment(cut, whole, QUALITY_SETTINGS.high.garmentEdges);
    // Of the four soft columns the last two are blue: they do not belong to the red garment.
    const [red, blue] = [8, 11].map((column) => matte.data[10 * 24 + column]!);
    expect(blue).toBeLessThan(128);
    expect(red).toBeGreaterThan(128);
  });

  test('is never more opaque than the whole subject', () => {
    const cut = placeGarment(drawPixels(), matteOf(24, 20, 8, 4, 128), box)!;
    const faint = { ...whole, data: whole.data.map(() => 60) };
    const { matte } = refineGarment(cut, faint, undefined);
    expect(Math.max(...matte.data)).toBe(60);
  });
});

describe('the mask of some parts', () => {
  const { map, matte } = drawMap(['.hh.', 'tttt', 'tttt', 'rrrr', 'o..o']);
  const { subject } = prepareSubject(map, matte);
  const maskOf = (...names: string[]) =>
    maskOfParts(
      subject,
      PARTS.map((name) => names.includes(name)),
    );

  test('is high in their cells, low in others', () => {
    const { data } = maskOf('top')!;
    expect(data[5]).toBeGreaterThan(0.8);
    expect(data[1]).toBeLessThan(0.2);
    expect(data[13]).toBeLessThan(0.2);
  });

  test('of several parts has no seam between them', () => {
    const { data } = maskOf('top', 'bottom')!;
    for (const cell of [5, 9, 13]) expect(data[cell]).toBeGreaterThan(0.8);
  });

  test('of a part that is not there is none', () => {
    expect(maskOf('dress')).toBeUndefined();
  });
});
