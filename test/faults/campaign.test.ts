import { expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';
import { FAULTS } from './faults.ts';

/** Of all that is played by `npm run faults`, those that are over soon. */
const PLAYED = [
  'an inference child is killed',
  'a worker is killed at any moment',
  'a worker is told to end, as at a new release',
  'a gateway is killed',
  'Redis is killed and comes back',
  'every connection to Redis breaks',
  'Redis answers nothing for two seconds',
  'Redis cannot be reached for two seconds',
  'Redis has no memory left for two seconds',
  'Redis ends every client',
];

test('every promise holds while each of ten faults is played', { timeout: 300_000 }, async () => {
  const kinds = FAULTS.filter(({ name }) => PLAYED.includes(name));
  const outcome = await runCampaign({ seed: 11, units: 60, faults: PLAYED.length, kinds });
  expect(outcome.breaches.filter(({ found }) => found.length > 0)).toEqual([]);
  expect(outcome.played).toEqual(Object.fromEntries(PLAYED.map((name) => [name, 1])));
  for (const count of Object.values(outcome.acceptedByWay)) expect(count).toBeGreaterThan(0);
});
