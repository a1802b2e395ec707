import { expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';
import { FAULTS } from './faults.ts';

/** The faults of `npm run faults` that end soon. */
const PLAYED = [
  'an inference child is killed',
  'a worker is killed at any moment',
  'a worker is stopped, as at a new release',
  'a gateway is killed',
  'Redis is killed and comes back',
  'every connection to Redis breaks',
  'Redis answers nothing for two seconds',
  'Redis cannot be reached for two seconds',
  'Redis has no memory left for two seconds',
  'Redis ends every client',
];

test('every invariant holds while each of ten faults is injected', {
  timeout: 300_000,
}, async () => {
  const kinds = FAULTS.filter(({ name }) => PLAYED.includes(name));
  const outcome = await runCampaign({
    seed: 11,
    units: 60,
    atOnce: 2,
    faults: PLAYED.length,
    kinds,
  });
  expect(outcome.breaches.filter(({ found }) => found.length > 0)).toEqual([]);
  expect(outcome.played).toEqual(Object.fromEntries(PLAYED.map((name) => [name, 1])));
  for (const count of Object.values(outcome.acceptedByWay)) expect(count).toBeGreaterThan(0);
});
