import type { Registry } from 'prom-client';
import { json, type Route, route } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';

/** Named things a process needs; each check throws where the thing does not answer. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

const CHECK_MILLIS = 2000;

async function outcome(check: () => Promise<void>): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'failed'>((resolve) => {
    timer = setTimeout(() => resolve('failed'), CHECK_MILLIS);
  });
  try {
    return await Promise.race([check().then(() => 'ok' as const), late]);
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}

/** Runs every check, at the same time, for at most two seconds each. */
export async function runChecks(checks: Checks) {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
  );
  return {
    ready: outcomes.every(([, result]) => result === 'ok'),
    checks: Object.fromEntries(outcomes),
  };
}

/** Liveness, readiness and metrics. */
export const healthRoutes = (checks: Checks, metrics: Registry): Route[] => [
  route({
    method: 'GET',
    path: '/livez',
    scope: 'keyless',
    summary: 'Whether the process runs',
    answers: { 200: { description: 'It does' } },
    handle: () => json({ live: true }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    scope: 'keyless',
    summary: 'Whether requests can be served: Redis, store and a worker',
    answers: { 200: { description: 'Ready' } },
    problems: ['upstream-unavailable'],
    handle: async () => {
      const found = await runChecks(checks);
      if (found.ready) return json(found);
      throw new Problem('upstream-unavailable', 'Not everything this service needs answers', {
        headers: { 'retry-after': '2' },
        members: found,
      });
    },
  }),
  route({
    method: 'GET',
    path: '/metrics',
    scope: 'keyless',
    summary: 'Prometheus metrics',
    answers: { 200: { description: 'Text exposition format' } },
    handle: async () => ({
      headers: { 'content-type': metrics.contentType },
      body: await metrics.metrics(),
    }),
  }),
];
