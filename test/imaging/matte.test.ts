import { describe, expect, test } from 'vitest';
import { hardenMatte, type ProbabilityMap, toMatte, withOpacity } from '../../src/imaging/matte.ts';

/** A probability map, `side` x `side`, drawn on the unit square. */
const drawMap = (side: number, draw: (u: number, v: number) => number): ProbabilityMap => ({
  data: new Float32Array(side * side).map((_, i) =>
    draw(((i % side) + 0.5) / side, (Math.floor(i / side) + 0.5) / side),
  ),
  width: side,
  height: side,
});

const ALL = [0, 1] as const;
const HUNDRED = { width: 100, height: 100 };
const rightHalf = (u: number) => (u > 0.5 ? 1 : 0);

describe('the matte has the size of the image', () => {
  test.each([
    { width: 1, height: 1 },
    { width: 3, height: 2 },
    { width: 640, height: 480 },
    { width: 5000, height: 1 },
    { width: 1, height: 5000 },
  ])('$width x $height', ({ width, height }) => {
    const matte = toMatte(
      drawMap(16, () => 1),
      { width, height },
      ALL,
    );
    expect([matte.width, matte.height, matte.data.length]).toEqual([width, height, width * height]);
    expect(matte.data.every((alpha) => alpha === 255)).toBe(true);
  });
});

describe('an edge stays where it is', () => {
  test.each([7, 32, 48, 500])('at a width of %i', (width) => {
    const { data } = toMatte(drawMap(32, rightHalf), { width, height: width }, ALL);
    const row = data.subarray(0, width);
    const share = row.reduce((sum, alpha) => sum + alpha, 0) / 255 / width;
    expect(share).toBeCloseTo(0.5, 2);
    for (let x = 0; x < width; x++) expect(row[x]! + row[width - 1 - x]!).toBeCloseTo(255, -0.5);
  });

  test('across as along', () => {
    const along = toMatte(drawMap(32, rightHalf), HUNDRED, ALL);
    const across = toMatte(
      drawMap(32, (_, v) => rightHalf(v)),
      HUNDRED,
      ALL,
    );
    for (let i = 0; i < 100; i++)
      for (const j of [0, 57, 99]) expect(across.data[i * 100 + j]).toBe(along.data[j * 100 + i]);
  });
});

test('an enlarged edge rises smoothly, without steps or ripples', () => {
  const { data } = toMatte(drawMap(32, rightHalf), { width: 640, height: 1 }, ALL);
  for (let x = 1; x < 640; x++) {
    const rise = data[x]! - data[x - 1]!;
    expect(rise).toBeGreaterThanOrEqual(0);
    expect(rise).toBeLessThan(16); // a nearest neighbour would rise by 255 at once
  }
});

test('a downscaled matte covers every cell of the map', () => {
  const stripes = drawMap(64, (u) => (Math.floor(u * 64) % 2 === 0 ? 1 : 0));
  const { data } = toMatte(stripes, { width: 8, height: 8 }, ALL);
  expect(data).toHaveLength(64);
  for (const alpha of data) expect(Math.abs(alpha - 127.5)).toBeLessThan(20);
});

test.each([
  { value: 0.049, alpha: 0 },
  { value: 0.05, alpha: 0 },
  { value: 0.275, alpha: 64 },
  { value: 0.5, alpha: 128 },
  { value: 0.95, alpha: 255 },
  { value: 0.99, alpha: 255 },
])('with levels of 0.05 and 0.95, $value is alpha $alpha', ({ value, alpha }) => {
  const [first] = toMatte(
    drawMap(8, () => value),
    { width: 20, height: 20 },
    [0.05, 0.95],
  ).data;
  expect(Math.abs(first! - alpha)).toBeLessThanOrEqual(1);
});

test('the matte of a region is placed there, and there is no subject outside it', () => {
  const region = { left: 7, top: 20, width: 50, height: 30 };
  const inside = toMatte(drawMap(32, rightHalf), region, ALL).data;
  const { data, width, height } = toMatte(drawMap(32, rightHalf), HUNDRED, ALL, region);
  expect([width, height]).toEqual([100, 100]);
  const indexOf = (x: number, y: number) => (y + region.top) * width + x + region.left;
  for (let y = 0; y < region.height; y++)
    for (let x = 0; x < region.width; x++)
      expect(data[indexOf(x, y)]).toBe(inside[y * region.width + x]);
  const sum = (bytes: Uint8Array) => bytes.reduce((all, byte) => all + byte, 0);
  expect(sum(data)).toBe(sum(inside));
});

test('nothing becomes more opaque than the image was', () => {
  const matte = { data: Uint8Array.from([255, 255, 128, 0]), width: 4, height: 1 };
  expect([...withOpacity(matte, Uint8Array.from([255, 7, 128, 255])).data]).toEqual([
    255, 7, 64, 0,
  ]);
});

test('a hardened matte is soft on its outline alone', () => {
  // biome-ignore format: pixels read best row by row
  const data = Uint8Array.of(
    0, 60, 200, 250, 180,
    0, 40, 140, 160, 200,
    90, 100, 190, 255, 10,
  );
  const { data: hard } = hardenMatte({ data, width: 5, height: 3 });
  // biome-ignore format: pixels read best row by row
  expect([...hard]).toEqual([
    0, 60, 200, 255, 255,
    0, 40, 140, 255, 200,
    0, 100, 190, 255, 10,
  ]);
});
