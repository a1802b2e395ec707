import { describe, expect, test } from 'vitest';
import { nearestPath } from '../../src/http/nearest-path.ts';

const nearest = nearestPath([
  '/bg/v1/background-removals',
  '/intake/v1/jobs',
  '/intake/v1/jobs/:id/result',
  '/compat/removebg/v1.0/removebg',
  '/look/v1/:name',
]);

describe('the address that was meant', () => {
  test.each([
    ['/bg/v2/background-removals', '/bg/v1/background-removals'],
    ['/bg/background-removals', '/bg/v1/background-removals'],
    ['/BG/v1/Background-Removals', '/bg/v1/background-removals'],
    ['//bg//v1/background-removals/', '/bg/v1/background-removals'],
    ['/background-removals', '/bg/v1/background-removals'],
    ['/intake/jobs/job_1/result', '/intake/v1/jobs/{id}/result'],
    ['/v1.0/removebg', '/compat/removebg/v1.0/removebg'],
  ])('%s: %s', (sought, meant) => {
    expect(nearest(sought)).toBe(meant);
  });

  test.each(['/', '/v1', '/nothing', '/jobs/job_1', `/${'a/'.repeat(5000)}`, '/look/<script>'])(
    '%s: none',
    (sought) => {
      expect(nearest(sought)).toBeUndefined();
    },
  );
});
