import { describe, expect, test } from 'vitest';
import { fringeShare, trimFringe } from '../../../src/imaging/compliance/fringe.ts';
import type { MattedImage } from '../../../src/imaging/picture.ts';
import { recoverForeground } from '../../../src/imaging/soft-pixels.ts';
import { drawPicture, eachIn } from './drawn.ts';

const WHITE = { r: 255, g: 255, b: 255 };

describe('a fringe', () => {
  const GREEN = [40, 140, 60] as const;
  const SKIN = [225, 180, 150] as const;

  /** A photo on green whose matte is so many pixels too wide. */
  function photo(wider: number) {
    const { pixels, subject } = drawPicture(300, GREEN);
    eachIn(subject, [75 - wider, 75 - wider, 225 + wider, 225 + wider], (i) => {
      subject.data[i] = 255;
    });
    return { pixels, matte: subject };
  }

  /**
   * A photo on green of a subject whose edge is blended over four pixels, with a matte that is so many pixels too wide;
   * cut out, as a worker does.
   * @param shade how bright the subject is so many pixels from its edge, 0..1
   */
  function softPhoto({ side = 0, wider = 0, shade = (_: number) => 1 }): MattedImage {
    const pixels = { data: new Uint8Array(3 * side * side), width: side, height: side };
    const matte = { data: new Uint8Array(side * side), width: side, height: side };
    const coverage = (distance: number) => Math.min(1, Math.max(0, distance / 4 + 0.5));
    eachIn(matte, [0, 0, side, side], (i) => {
      const depth =
        side / 4 - Math.max(Math.abs((i % side) - side / 2), Math.abs(i / side - side / 2));
      const part = coverage(depth);
      const light = part * shade(Math.max(0, depth));
      for (let c = 0; c < 3; c++)
        pixels.data[3 * i + c] = light * SKIN[c]! + (1 - part) * GREEN[c]!;
      matte.data[i] = 255 * coverage(depth + wider);
    });
    const scene = { pixels, matte, opacity: undefined };
    recoverForeground(scene);
    return { pixels, matte };
  }

  test('is found if the matte is too wide', () => {
    expect(fringeShare(photo(0), WHITE)).toBe(0);
    expect(fringeShare(photo(3), WHITE)).toBe(1);
    expect(fringeShare(photo(3), undefined)).toBe(1);
  });

  test('is not seen where the new ground has the colour of the old one', () => {
    expect(fringeShare(photo(3), { r: 50, g: 150, b: 70 })).toBe(0);
  });

  test('is not told where the subject has the colour of the old ground', () => {
    const { subject, pixels } = drawPicture(300, GREEN, [45, 130, 70]);
    expect(fringeShare({ pixels, matte: subject }, WHITE)).toBe(0);
  });

  test('is taken off, and no more', () => {
    const image = photo(3);
    trimFringe(image, WHITE, 0.1);
    expect(fringeShare(image, WHITE)).toBeLessThanOrEqual(0.1);
    const right = photo(0).matte.data;
    let lost = 0;
    for (let i = 0; i < right.length; i++) if (image.matte.data[i]! < right[i]!) lost++;
    expect(lost).toBeLessThan(0.01 * 150 * 150);
  });

  test('stays if there is none', () => {
    const image = photo(0);
    trimFringe(image, WHITE, 0.1);
    expect(Buffer.compare(image.matte.data, photo(0).matte.data)).toBe(0);
  });

  test('is found where the photo and its matte are soft', () => {
    expect(fringeShare(softPhoto({ side: 1900, wider: 2 }), WHITE)).toBeGreaterThan(0.95);
    expect(fringeShare(softPhoto({ side: 1900, wider: 0 }), WHITE)).toBeLessThan(0.05);
  });

  test('is no shade of the subject itself towards its edge', () => {
    const shade = (distance: number) => Math.min(1, 0.85 + distance / 30);
    expect(fringeShare(softPhoto({ side: 900, wider: 0, shade }), WHITE)).toBeLessThan(0.05);
    expect(fringeShare(softPhoto({ side: 900, wider: 3, shade }), WHITE)).toBeGreaterThan(0.95);
  });

  test('is not told by the few places that differ from the old ground', () => {
    const { subject, pixels } = drawPicture(300, GREEN, [45, 130, 70]);
    const wide = photo(3).matte;
    // A blue stripe at one of the four sides, half as long.
    eachIn(subject, [75, 75, 150, 95], (i) => pixels.data.set([20, 40, 160], 3 * i));
    expect(fringeShare({ pixels, matte: wide }, WHITE)).toBe(0);
  });
});
