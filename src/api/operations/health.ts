import { json, type Route, route } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';

/** Dependencies by name. Each check rejects if its dependency does not respond. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

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
    summary: 'Liveness: the process is running',
    responses: { 200: { description: 'Live' } },
    handle: () => json({ live: true }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    scope: 'keyless',
    summary: 'Readiness: Redis, object storage and a worker respond',
    responses: { 200: { description: 'Ready' } },
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
