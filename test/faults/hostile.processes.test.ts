import { afterAll, expect, test } from 'vitest';
import { createArena, isBroken } from './hostile/arena.ts';
import { ATTACKS } from './hostile/attacks.ts';

const stopping = new AbortController();
const arena = createArena({ isShort: true, signal: stopping.signal });
afterAll(async () => {
  stopping.abort();
  await arena.close();
});

/** A broken promise shows after its time limit, not after Vitest's. */
const MAX_MILLIS = 180_000;

test.each(ATTACKS)(
  '$name takes nothing from an honest client: $does',
  async (attack) => {
    const { figures } = await arena.play(attack);
    expect(figures.length).toBeGreaterThan(1);
    expect(figures.filter(isBroken)).toEqual([]);
  },
  MAX_MILLIS,
);
