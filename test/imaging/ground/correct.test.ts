import { describe, expect, test } from 'vitest';
import { raiseConfidence } from '../../../src/imaging/evidence.ts';
import { correctByGround } from '../../../src/imaging/ground/correct.ts';
import { createRandom } from '../../faults/random.ts';

/** A dark square on a plain ground, with patches of other colours in it, as a sure network sees it. */

const SIZE = 400;
/** The square's left and top side, and how long its sides are. */
const [FROM, SIDE] = [80, 240];

type Box = readonly [left: number, top: number, width: number, height: number];
interface Patch {
  at: Box;
  colour: readonly [number, number, number];
  /** The network's, 0..255. */
  alpha: number;
}

function draw(ground: readonly [number, number, number], noise: number, patches: readonly Patch[]) {
  const random = createRandom(7);
  const pixels = { data: new Uint8Array(3 * SIZE * SIZE), width: SIZE, height: SIZE };
  const matte = { data: new Uint8Array(SIZE * SIZE), width: SIZE, height: SIZE };
  const paint = ([left, top, width, height]: Box, colour: readonly number[], alpha: number) => {
    for (let y = top; y < top + height; y++)
      for (let x = left; x < left + width; x++) {
        const shift = Math.round(noise * (2 * random.next() - 1));
        for (let c = 0; c < 3; c++)
          pixels.data[3 * (y * SIZE + x) + c] = Math.min(255, Math.max(0, colour[c]! + shift));
        matte.data[y * SIZE + x] = alpha;
      }
  };
  paint([0, 0, SIZE, SIZE], ground, 0);
  paint([FROM, FROM, SIDE, SIDE], [60, 40, 30], 255);
  for (const { at, colour, alpha } of patches) paint(at, colour, alpha);
  return { pixels, matte };
}

/** Returns the mean alpha in the middle of a patch, and what is said of it. */
function correct(ground: readonly [number, number, number], noise: number, patch: Patch) {
  const image = draw(ground, noise, [patch]);
  const correction = correctByGround(image);
  const [left, top, width, height] = patch.at;
  const middle = image.matte.data[(top + (height >> 1)) * SIZE + left + (width >> 1)];
  return { middle, doubts: correction?.measure(image.matte), correction, matte: image.matte };
}

const WHITE = [255, 255, 255] as const;
const CREAM = [246, 240, 232] as const;
/** As wide as a thumb's gap. */
const NEAR: Box = [FROM + 6, 180, 4, 20];
const DEEP: Box = [200, 180, 4, 20];

describe('a thin piece of the ground’s colour of which the network is sure', () => {
  test.each([
    ['white, near the outline', WHITE, NEAR],
    ['cream, near the outline', CREAM, NEAR],
    ['cream, deep within: no light and no print has that colour', CREAM, DEEP],
  ] as const)('%s, becomes clear, and nobody is asked', (_, ground, at) => {
    const { middle, doubts } = correct(ground, 1, { at, colour: ground, alpha: 255 });
    expect({ middle, doubts }).toEqual({ middle: 0, doubts: { groundShare: 0, holeShare: 0 } });
  });

  test('white, deep within, may be a light or a print: it stays, and a person is asked', () => {
    const { middle, doubts } = correct(WHITE, 0, { at: DEEP, colour: WHITE, alpha: 255 });
    expect(middle).toBe(255);
    expect(doubts?.groundShare).toBeCloseTo(80 / SIDE ** 2, 5);
  });

  test('is no doubt any more once the final matte is clear there', () => {
    const { correction, matte } = correct(WHITE, 0, { at: DEEP, colour: WHITE, alpha: 255 });
    const final = { ...matte, data: new Uint8Array(matte.data.length) };
    expect(correction?.measure(final).groundShare).toBe(0);
  });
});

describe('the very colour of the ground beside the subject, open to the ground outside', () => {
  const beside = (alpha: number, { ground = WHITE as Patch['colour'], noise = 0 } = {}) => {
    const [r, g, b] = ground.map((level) => level - 12 - 2 * noise);
    const shading: Patch = { at: [320, 180, 8, 40], colour: [r!, g!, b!], alpha: 255 };
    const sleeve: Patch = { at: [328, 180, 40, 40], colour: ground, alpha };
    const image = draw(ground, noise, [shading, sleeve]);
    correctByGround(image);
    return image.matte.data[200 * SIZE + 348];
  };

  test('becomes clear', () => {
    expect(beside(190)).toBe(0);
    expect(beside(190, { ground: CREAM, noise: 1 })).toBe(0);
  });

  test('stays on a ground with noise, which has no such colour: a white sleeve is as near', () => {
    expect(beside(190, { ground: CREAM, noise: 6 })).toBe(190);
  });

  test('stays if the network is sure: goods may have it as well', () => {
    expect(beside(255)).toBe(255);
  });
});

describe('a small hole darker than the ground', () => {
  const hole = (ground: readonly [number, number, number]): Patch => {
    const [r, g, b] = ground.map((value) => Math.round(0.83 * value));
    return { at: [200, 180, 12, 20], colour: [r!, g!, b!], alpha: 0 };
  };

  test('on a ground without shadows belongs to the subject', () => {
    expect(correct(WHITE, 0, hole(WHITE))).toMatchObject({
      middle: 255,
      doubts: { holeShare: 0 },
    });
  });

  test('may be a shadow on others: it stays, and nobody is asked', () => {
    expect(correct(CREAM, 4, hole(CREAM))).toMatchObject({ middle: 0, doubts: { holeShare: 0 } });
  });

  test('on others a person is asked if parts of it are no shadow', () => {
    const { at } = hole(CREAM);
    const half: Box = [at[0], at[1], at[2], at[3] / 2];
    const image = draw(CREAM, 4, [hole(CREAM), { at: half, colour: [90, 130, 190], alpha: 0 }]);
    const share = correctByGround(image)?.measure(image.matte).holeShare;
    expect(share).toBeGreaterThan(0.002);
  });
});

describe('a network’s output', () => {
  test('becomes certain where the ground decided, and the confidence rises', () => {
    const image = draw(WHITE, 0, [{ at: [180, 180, 40, 40], colour: WHITE, alpha: 140 }]);
    const correction = correctByGround(image);
    const cells = 100;
    const data = new Float32Array(cells ** 2).map((_, cell) => {
      const [x, y] = [4 * (cell % cells) + 2, 4 * Math.floor(cell / cells) + 2];
      if (x >= 180 && x < 220 && y >= 180 && y < 220) return 0.55;
      return x >= FROM && x < FROM + SIDE && y >= FROM && y < FROM + SIDE ? 0.93 : 0;
    });
    const before = { data, width: cells, height: cells };
    const region = { left: 0, top: 0, width: SIZE, height: SIZE };
    const after = correction!.correct(before, region, image.matte);
    expect(after.data[50 * cells + 50]).toBe(0);
    expect(after.data[30 * cells + 30]).toBeCloseTo(0.93);
    expect(raiseConfidence(0.8, before, after)).toBeGreaterThan(0.85);
    expect(raiseConfidence(0.8, after, before)).toBeCloseTo(0.8);
    expect(raiseConfidence(1, before, after)).toBe(1);
  });

  /** @param at the part of the subject of which the network is unsure, beside its outline */
  function confirm(at: Box) {
    const image = draw(WHITE, 0, []);
    const cells = 100;
    const data = new Float32Array(cells ** 2).map((_, cell) => {
      const [x, y] = [4 * (cell % cells) + 2, 4 * Math.floor(cell / cells) + 2];
      if (x >= at[0] && x < at[0] + at[2] && y >= at[1] && y < at[1] + at[3]) return 0.6;
      const inward = Math.min(x - FROM, y - FROM, FROM + SIDE - x, FROM + SIDE - y);
      return Math.min(1, Math.max(0, 0.5 + inward / 16));
    });
    const region = { left: 0, top: 0, width: SIZE, height: SIZE };
    const map = { data, width: cells, height: cells };
    const { data: after } = correctByGround(image)!.correct(map, region, image.matte);
    return { outside: after[50 * cells + 19], inside: after[50 * cells + 20] };
  }

  test('is certain along an outline that the colours confirm', () => {
    expect(confirm([0, 0, 0, 0])).toEqual({ outside: 0, inside: 1 });
  });

  test('stays soft if much else is unsure: colours do not show what is missing', () => {
    expect(confirm([200, 160, 60, 60])).toEqual({ outside: 0.375, inside: 0.625 });
  });
});

describe('a ground that light does not reach evenly', () => {
  const SHADES = 14;
  const hole: Patch = { at: [200, 180, 12, 20], colour: [40, 90, 190], alpha: 0 };

  test('shows that a hole of quite another colour belongs to the subject', () => {
    const { middle, doubts } = correct(CREAM, SHADES, hole);
    expect({ middle, doubts }).toEqual({ middle: 255, doubts: { groundShare: 0, holeShare: 0 } });
  });

  test('does not tell gaps, nor holes that a shadow explains', () => {
    expect(correct(CREAM, SHADES, { at: NEAR, colour: CREAM, alpha: 140 }).middle).toBe(140);
    expect(correct(CREAM, SHADES, { ...hole, colour: [170, 165, 160] }).middle).toBe(0);
  });

  test('shows nothing if it is no backdrop', () => {
    expect(correct(CREAM, 2 * SHADES, hole).middle).toBe(0);
  });
});

describe('a part at the outline that was left out', () => {
  const heel = (colour: Patch['colour'], noise: number, width = 40) => {
    const at: Box = [FROM, 140, width, 120];
    return correct(WHITE, noise, { at, colour, alpha: 0 }).middle;
  };

  test('belongs to the subject if it is no shadow and its edge is crisp', () => {
    expect(heel([40, 40, 44], 0)).toBe(255);
  });

  test('stays out if a shadow may be so dark', () => {
    expect(heel([210, 210, 210], 0)).toBe(0);
  });

  test('stays out on a ground with noise, and if it is as thin as an outline', () => {
    expect(heel([40, 40, 44], 9)).toBe(0);
    expect(heel([40, 40, 44], 0, 2)).toBe(0);
  });

  test('stays out if its edge is soft', () => {
    const image = draw(WHITE, 0, []);
    for (let y = 140; y < 200; y++)
      for (let x = FROM - 17; x < FROM + 80; x++) {
        const level = x < FROM ? 255 - Math.round(3.5 * (x - FROM + 17)) : 40;
        image.pixels.data.fill(level, 3 * (y * SIZE + x), 3 * (y * SIZE + x) + 3);
        image.matte.data[y * SIZE + x] = 0;
      }
    correctByGround(image);
    expect(image.matte.data[170 * SIZE + FROM + 40]).toBe(0);
  });
});

describe('goods of the ground’s colour', () => {
  test('of which the network is sure stay whole within their outline, and a person is asked', () => {
    const at: Box = [FROM + 4, FROM + 4, SIDE - 8, SIDE - 8];
    const { middle, doubts } = correct(WHITE, 0, { at, colour: WHITE, alpha: 255 });
    expect(middle).toBe(255);
    expect(doubts?.groundShare).toBeGreaterThan(0.9);
  });
});

describe('the soft outline of pale goods', () => {
  /** A square whose left side is a sleeve of a colour, in a soft alpha that reaches over its edge. */
  const drawn = (colour: Patch['colour'], noise: number, alpha: number) => {
    const [sleeve, halo]: Box[] = [
      [FROM - 12, 140, 12, 120],
      [FROM - 18, 140, 6, 120],
    ];
    const image = draw(WHITE, noise, [
      { at: sleeve!, colour, alpha },
      { at: halo!, colour: WHITE, alpha: 40 },
    ]);
    correctByGround(image)?.drawPaleOutline(image);
    const at = (x: number) => image.matte.data[200 * SIZE + FROM + x];
    return { sleeve: at(-8), halo: at(-16) };
  };

  test('is drawn where an exact ground shows it', () => {
    expect(drawn([246, 246, 246], 0, 120)).toEqual({ sleeve: 255, halo: 0 });
  });

  test('stays where the ground has noise', () => {
    expect(drawn([236, 236, 236], 0, 120).sleeve).toBe(255);
    expect(drawn([236, 236, 236], 4, 120).sleeve).toBe(120);
  });

  test('stays where goods are not pale, and where the alpha says ground', () => {
    expect(drawn([180, 180, 180], 0, 120).sleeve).toBe(120);
    expect(drawn([246, 246, 246], 0, 20).sleeve).toBe(20);
  });
});

describe('a soft shadow apart from the subject', () => {
  /** @param depth levels that the ground's light lacks, by the shares of the shadow's width and height */
  const shadow = (depth: (x: number, y: number) => number): Patch[] =>
    Array.from({ length: 24 * 40 }, (_, n) => {
      const [column, row] = [n % 40, Math.floor(n / 40)];
      const value = Math.round(255 - depth(column / 39, row / 23));
      return { at: [120 + 4 * column, 340 + row, 4, 1], colour: [value, value, value], alpha: 200 };
    });
  const soft = (x: number, y: number) => 24 * Math.sin(Math.PI * x) * Math.sin(Math.PI * y);
  const alphaAt = (patches: Patch[]) => {
    const image = draw(WHITE, 0, patches);
    correctByGround(image);
    return image.matte.data[352 * SIZE + 200];
  };

  test('is cleared', () => {
    expect(alphaAt(shadow(soft))).toBe(0);
  });

  test('stays if it has edges, as goods nearly of the ground’s colour have', () => {
    expect(alphaAt(shadow((x) => (Math.floor(10 * x) % 2) * 15 + 15))).toBe(200);
  });

  test('stays if it has a colour', () => {
    const tinted = shadow(soft).map(({ at, colour, alpha }) => ({
      at,
      colour: [colour[0], colour[1] - 12, colour[2] - 24] as const,
      alpha,
    }));
    expect(alphaAt(tinted)).toBe(200);
  });
});
