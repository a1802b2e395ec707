import { expect, test } from 'vitest';
import { breachesIn, runKills } from './kills.ts';

test('all jobs of npm start succeed while its worker is killed, and the gateway answers', async () => {
  const outcome = await runKills({
    jobs: 6,
    everyMillis: 10_000,
    minutes: 2,
    seed: 1,
    victims: 'any',
  });
  expect(outcome).toMatchObject({ succeeded: 6, breaches: [] });
  expect(outcome.kills.worker + outcome.kills.child).toBeGreaterThan(0);
  expect(outcome.calls).toBeGreaterThan(0);
});

test('a job that failed, a call without an answer and a start by hand are breaches', () => {
  const good = { counts: { succeeded: 3 }, missed: [], isSameGateway: true, isRunning: true };
  expect(breachesIn(good)).toEqual([]);
  expect(breachesIn({ ...good, counts: { succeeded: 2, failed: 1, unfinished: 4 } })).toEqual([
    '1 jobs are failed',
    '4 jobs are unfinished',
  ]);
  expect(breachesIn({ ...good, missed: ['status 503 after 4 s'] })).toEqual([
    'the gateway did not answer /livez: status 503 after 4 s',
  ]);
  expect(breachesIn({ ...good, isSameGateway: false, isRunning: false })).toHaveLength(2);
});
