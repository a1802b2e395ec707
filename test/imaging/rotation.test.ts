import { expect, test } from 'vitest';
import { turnPixels, turnPlanes, undo } from '../../src/imaging/turn.ts';

/** Two rows of three. */
const SIZE = { width: 3, height: 2 };
const PLANES = Float32Array.of(1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60);

test.each([
  [0, PLANES],
  [1, Float32Array.of(4, 1, 5, 2, 6, 3, 40, 10, 50, 20, 60, 30)],
  [3, Float32Array.of(3, 6, 2, 5, 1, 4, 30, 60, 20, 50, 10, 40)],
] as const)('planes after %d quarter turns to the right', (turn, turned) => {
  expect(turnPlanes(PLANES, SIZE, turn)).toEqual(turned);
});

test.each([0, 1, 3] as const)('a turn by %d is undone', (turn) => {
  const data = Uint8Array.from({ length: 18 }, (_, i) => i);
  const turned = turnPixels({ data, ...SIZE }, turn);
  expect(turned).toMatchObject(turn === 0 ? SIZE : { width: 2, height: 3 });
  expect(turnPixels(turned, undo(turn))).toEqual({ data, ...SIZE });
});
