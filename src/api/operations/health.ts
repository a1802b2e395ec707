import { z } from 'zod';
import { json, type Route, route } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';

/** Dependencies by name. Each check rejects if its dependency does not respond. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

const Live = z.object({ live: z.literal(true) });
const Ready = z.object({ ready: z.literal(true), checks: z.record(z.string(), z.literal('ok')) });

const CHECK_TIMEOUT_MILLIS = 2000;

async function runCheck(check: () => Promise<void>): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'failed'>((resolve) => {
    timer = setTimeout(() => resolve('failed'), CHECK_TIMEOUT_MILLIS);
  });
  try {
    return await Promise.race([check().then(() => 'ok' as const), timeout]);
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}

/** Runs all checks concurrently, each for two seconds at most. */
async function runChecks(checks: Checks) {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)] as const),
  );
  return {
    ready: outcomes.every(([, result]) => result === 'ok'),
    checks: Object.fromEntries(outcomes),
  };
}

/** The routes for liveness and readiness. */
export const healthRoutes = (checks: Checks): Route[] => [
  route({
    method: 'GET',
    path: '/livez',
    scope: 'keyless',
    operationId: 'getLiveness',
    summary: 'Liveness: the process is running',
    description: 'For supervisors: restart the process if this does not respond.',
    responses: { 200: { description: 'Live', content: { 'application/json': Live } } },
    handle: () => json({ live: true }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    scope: 'keyless',
    operationId: 'getReadiness',
    summary: 'Readiness: Redis, object storage and a worker respond',
    description: 'For load balancers: 503 names the dependency that does not respond.',
    responses: { 200: { description: 'Ready', content: { 'application/json': Ready } } },
    problems: ['upstream-unavailable'],
    handle: async () => {
      const result = await runChecks(checks);
      if (result.ready) return json(result);
      throw new Problem('upstream-unavailable', 'Not all dependencies of this service respond', {
        headers: { 'retry-after': '2' },
        members: result,
      });
    },
  }),
];
