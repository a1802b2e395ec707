import { describe, expect, test } from 'vitest';
import {
  clearHaze,
  clearLoosePieces,
  drawnShare,
  findGround,
  framedSides,
  largestCutShare,
  loosePieceShare,
  offColourShare,
} from '../../../src/imaging/compliance/ground.ts';
import { fullBox } from '../../../src/imaging/picture.ts';
import { drawPicture, eachIn, fill } from './drawn.ts';

const WHITE = { r: 255, g: 255, b: 255 };

describe('the ground', () => {
  test('is what lies a cell and more from the subject', () => {
    const { subject } = drawPicture();
    const { columns, cells } = findGround(subject);
    expect(columns).toBe(25);
    // The subject covers cells 6 to 18; with a cell around it, 5 to 19.
    expect(cells.reduce((sum, cell) => sum + cell, 0)).toBe(25 * 25 - 15 * 15);
  });

  test.each([
    ['white', [255, 255, 255], 0],
    ['a little off, within the tolerance', [253, 254, 255], 0],
    ['off-white', [250, 250, 250], 1],
    ['tinted in one channel', [255, 255, 250], 1],
  ] as const)('that is %s', (_, colour, share) => {
    const picture = drawPicture(200, colour);
    expect(offColourShare(picture, findGround(picture.subject), WHITE, 2)).toBe(share);
  });

  test('is off where it is transparent', () => {
    const picture = drawPicture();
    picture.matte.data.fill(0);
    expect(offColourShare(picture, findGround(picture.subject), WHITE, 2)).toBe(1);
  });

  test('is nowhere if the subject fills the picture', () => {
    const picture = drawPicture();
    picture.subject.data.fill(255);
    const ground = findGround(picture.subject);
    expect(offColourShare(picture, ground, WHITE, 0)).toBe(0);
    expect(drawnShare(picture, ground)).toBe(0);
  });

  test('loses haze, while the soft edge of the subject stays', () => {
    const { subject } = drawPicture();
    subject.data[5 * 200 + 5] = 20;
    subject.data[100 * 200 + 49] = 20;
    clearHaze(subject);
    expect(subject.data[5 * 200 + 5]).toBe(0);
    expect(subject.data[100 * 200 + 49]).toBe(20);
  });
});

describe('something drawn', () => {
  test('is found on a plain ground', () => {
    const picture = drawPicture();
    fill(picture, [10, 10, 30, 14], [225, 225, 225]);
    expect(drawnShare(picture, findGround(picture.subject))).toBeGreaterThan(0.0003);
  });

  test('is no soft shadow, and no plain ground of another colour', () => {
    const picture = drawPicture(200, [240, 235, 230]);
    expect(drawnShare(picture, findGround(picture.subject))).toBe(0);
    // Sixty levels down and up again within forty pixels, as a small shadow has them.
    for (let y = 0; y < 40; y++) {
      const dark = 30 * (1 - Math.cos((Math.PI * y) / 20));
      fill(picture, [0, 155 + y, 200, 156 + y], [240 - dark, 235 - dark, 230 - dark]);
    }
    expect(drawnShare(picture, findGround(picture.subject))).toBe(0);
  });

  test('cannot be told on a ground that is not plain', () => {
    const picture = drawPicture();
    for (let y = 0; y < 200; y++) fill(picture, [0, y, 200, y + 1], [y, 255 - y, 128]);
    expect(drawnShare(picture, findGround(picture.subject))).toBeUndefined();
  });

  test('that was taken for pieces of the subject is found and cleared', () => {
    const { subject } = drawPicture();
    for (let n = 0; n < 8; n++)
      eachIn(subject, [10 + 12 * n, 10, 16 + 12 * n, 20], (i) => {
        subject.data[i] = 255;
      });
    expect(loosePieceShare(subject)).toBeCloseTo((8 * 60) / 40_000, 3);
    clearLoosePieces(subject);
    expect(loosePieceShare(subject)).toBe(0);
    expect(Buffer.compare(subject.data, drawPicture().subject.data)).toBe(0);
  });

  test('is not a second subject of some size', () => {
    const { subject } = drawPicture();
    eachIn(subject, [5, 5, 40, 40], (i) => {
      subject.data[i] = 255;
    });
    expect(loosePieceShare(subject)).toBe(0);
  });
});

describe('a frame', () => {
  test.each([
    [4, 'at the sides', 0, 4],
    [4, 'a little inside', 5, 2],
  ])('is found on %i sides, %s', (sides, _, inset, thick) => {
    const picture = drawPicture();
    fill(picture, [inset, inset, 200 - inset, 200 - inset], [0, 0, 0]);
    const inner = inset + thick;
    fill(picture, [inner, inner, 200 - inner, 200 - inner], [255, 255, 255]);
    fill(picture, [50, 50, 150, 150], [20, 40, 160]);
    expect(framedSides(picture.pixels, picture.subject)).toBe(sides);
  });

  test('is found on one side', () => {
    const picture = drawPicture();
    fill(picture, [0, 190, 200, 200], [200, 0, 0]);
    expect(framedSides(picture.pixels, picture.subject)).toBe(1);
  });

  test('is no subject that reaches to the side, and no even ground', () => {
    const picture = drawPicture();
    fill(picture, [0, 150, 200, 200], [20, 40, 160]);
    eachIn(picture.pixels, [0, 150, 200, 200], (i) => {
      picture.subject.data[i] = 255;
    });
    expect(framedSides(picture.pixels, picture.subject)).toBe(0);
    expect(framedSides(drawPicture().pixels, drawPicture().subject)).toBe(0);
  });
});

test('the side that cuts most of the subject counts, within the region', () => {
  const { subject } = drawPicture();
  expect(largestCutShare(subject, fullBox(subject))).toBe(0);
  expect(largestCutShare(subject, { left: 0, top: 0, width: 200, height: 100 })).toBe(0.5);
  expect(largestCutShare(subject, { left: 50, top: 75, width: 50, height: 50 })).toBe(1);
});
