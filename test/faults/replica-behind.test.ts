import { expect, test } from 'vitest';
import { runLastSecond } from './last-second.ts';
import { replicaBehind } from './redis-faults.ts';

test('every invariant but that of quota holds when a replica that is a second behind is promoted', {
  timeout: 300_000,
}, async () => {
  const plan = { seed: 5, units: 18, cuts: 1, atOnce: 2 };
  const { breaches, acceptedByWay } = await runLastSecond(plan, replicaBehind);
  expect(breaches.filter(({ found }) => found.length > 0)).toEqual([]);
  expect(Object.values(acceptedByWay).reduce((sum, count) => sum + count)).toBeGreaterThan(0);
});
