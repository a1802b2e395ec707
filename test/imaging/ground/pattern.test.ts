import { describe, expect, test } from 'vitest';
import { correctByGround } from '../../../src/imaging/ground/correct.ts';

/** Dark goods on a plain ground, with dots or stripes of the ground's colour. */

const SIZE = 600;
const GOODS = { from: 96, to: 504 };
const DOT = { radius: 7, step: 24 };
const STRIPE = { height: 12, step: 40 };
const CREAM = [244, 243, 241];
const BLACK = [18, 18, 18];
const CLOTH = [60, 40, 130];

interface Goods {
  isLight: (x: number, y: number) => boolean;
  /** The light on the goods, 0..1: less in the shade of a fold. */
  lightAt: (x: number) => number;
  /** The network's alpha of what is light, 0..255. */
  alpha: number;
  ground?: readonly number[];
}

const isDot = (x: number, y: number): boolean => {
  const [dx, dy] = [x, y].map((at) => (at % DOT.step) - DOT.step / 2) as [number, number];
  return dx ** 2 + dy ** 2 <= DOT.radius ** 2;
};
const isStripe = (_x: number, y: number): boolean => y % STRIPE.step < STRIPE.height;
const even = () => 1;
/** Three folds across the goods, as wide as two dots. */
const folds = (x: number): number => (x % 130 < 48 ? 0.9 : 1);

/** Returns how much of what is light stays in the cut-out, and what is said of it. */
function correct({ isLight, lightAt, alpha, ground = CREAM }: Goods) {
  const pixels = { data: new Uint8Array(3 * SIZE * SIZE), width: SIZE, height: SIZE };
  const matte = { data: new Uint8Array(SIZE * SIZE), width: SIZE, height: SIZE };
  const light: number[] = [];
  for (let y = 0, i = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++, i++) {
      const isGoods = Math.min(x, y) >= GOODS.from && Math.max(x, y) < GOODS.to;
      const isPrint = isGoods && isLight(x, y);
      const colour = isPrint || !isGoods ? ground : CLOTH;
      for (let c = 0; c < 3; c++)
        pixels.data[3 * i + c] = Math.round(colour[c]! * (isGoods ? lightAt(x) : 1));
      matte.data[i] = isPrint ? alpha : isGoods ? 255 : 0;
      if (isPrint) light.push(i);
    }
  const doubts = correctByGround({ pixels, matte })?.measure(matte);
  return { kept: light.filter((i) => matte.data[i]! > 0).length / light.length, doubts };
}

const NO_DOUBTS = { groundShare: 0, holeShare: 0 };

describe('dots of the ground’s colour', () => {
  test('are gaps of a mesh where none is in the shade of a fold', () => {
    const { kept, doubts } = correct({ isLight: isDot, lightAt: even, alpha: 255 });
    expect(kept).toBe(0);
    expect(doubts?.holeShare).toBeGreaterThan(0.01);
  });

  test('are a print where folds shade some: they stay, and nobody is asked', () => {
    const found = correct({ isLight: isDot, lightAt: folds, alpha: 255 });
    expect(found).toEqual({ kept: 1, doubts: NO_DOUBTS });
  });

  test('may be gaps if one fold shades few: they stay, and a person is asked', () => {
    const aFold = (x: number): number => (Math.floor(x / DOT.step) === 10 ? 0.9 : 1);
    const { kept, doubts } = correct({ isLight: isDot, lightAt: aFold, alpha: 255 });
    expect(kept).toBe(1);
    expect(doubts?.groundShare).toBeGreaterThan(0.01);
  });

  test('which the network left out of such a print are filled', () => {
    const found = correct({ isLight: isDot, lightAt: folds, alpha: 0 });
    expect(found).toEqual({ kept: 1, doubts: NO_DOUBTS });
  });

  test('which it left out stay clear without any shade', () => {
    const found = correct({ isLight: isDot, lightAt: even, alpha: 0 });
    expect(found).toEqual({ kept: 0, doubts: NO_DOUBTS });
  });

  test('which it left out on a black ground, where no shade is seen, are asked about', () => {
    const goods = { isLight: isDot, lightAt: folds, alpha: 0, ground: BLACK };
    const { kept, doubts } = correct(goods);
    expect(kept).toBe(0);
    expect(doubts?.holeShare).toBeGreaterThan(0.01);
  });
});

describe('stripes of the ground’s colour', () => {
  test('across the goods are a print even without any shade', () => {
    const found = correct({ isLight: isStripe, lightAt: even, alpha: 255 });
    expect(found).toEqual({ kept: 1, doubts: NO_DOUBTS });
  });

  test('that leave the goods in one part are gaps', () => {
    const isSlit = (x: number, y: number) => isStripe(x, y) && x > 140 && x < 460;
    expect(correct({ isLight: isSlit, lightAt: even, alpha: 255 }).kept).toBe(0);
  });

  test('do not close a handle’s gap among them', () => {
    const isWithin = (x: number, y: number, margin: number) =>
      Math.abs(x - SIZE / 2) < 150 + margin && Math.abs(y - SIZE / 2) < 35 + margin;
    const isGap = (x: number, y: number) => isWithin(x, y, 0);
    const isStripeBeside = (x: number, y: number) => isStripe(x, y) && !isWithin(x, y, 10);
    const isLight = (x: number, y: number) => isGap(x, y) || isStripeBeside(x, y);
    const { kept } = correct({ isLight, lightAt: even, alpha: 255 });
    const stripes = correct({ isLight: isStripeBeside, lightAt: even, alpha: 255 });
    expect(stripes.kept).toBe(1);
    expect(kept).toBeGreaterThan(0.4);
    expect(kept).toBeLessThan(0.7);
  });
});
