import { describe, expect, test } from 'vitest';
import { correctAlpha } from '../../src/imaging/alpha-by-colour.ts';
import { estimateSurroundings } from '../../src/imaging/surroundings.ts';

type Colour = readonly [number, number, number];
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
  correctAlpha(scene, estimateSurroundings(scene));
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
