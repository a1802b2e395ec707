import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { json, jsonDoc, type Route, route } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';
import { isRedisFull } from '../../platform/redis.ts';

/** Dependencies by name. Each check rejects if its dependency does not respond. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

const Live = z.object({ live: z.literal(true) });
/** Present while records that Redis may have lost are looked for. The service is ready meanwhile. */
const Recovery = z.object({
  phase: z.enum(['recent', 'whole']),
  restored: z.number().int(),
  unreadable: z.number().int(),
});
type Recovery = z.infer<typeof Recovery>;
const Ready = z.object({
  ready: z.literal(true),
  checks: z.record(z.string(), z.literal('ok')),
  recovery: Recovery.optional(),
});

const CHECK_TIMEOUT_MILLIS = 2000;

/** What the failure of a check means, for the detail of the response. */
const FAILURES: Readonly<Record<string, string>> = {
  redis: 'Redis does not respond',
  store: 'object storage does not respond',
  worker: 'no worker is alive',
};

/** Replies of a Redis that responds but takes no writes, as a replica or one that cannot save. */
const WRITES_REJECTED = /^(MISCONF|READONLY|NOREPLICAS)\b/;

function reasonOf(name: string, error: unknown): string {
  if (isRedisFull(error)) return 'Redis takes no writes: it is full';
  if (error instanceof Error && WRITES_REJECTED.test(error.message)) return 'Redis takes no writes';
  return FAILURES[name] ?? `${name} does not respond`;
}

/** Returns why it failed; undefined if it did not. */
function runCheck(name: string, check: () => Promise<void>): Promise<string | undefined> {
  const timeout = sleep(CHECK_TIMEOUT_MILLIS, undefined, { ref: false });
  const late = timeout.then(() => Promise.reject(new Error('timeout')));
  return Promise.race([check(), late]).then(
    () => undefined,
    (error) => reasonOf(name, error),
  );
}

/** Runs all checks concurrently, each for two seconds at most. */
async function runChecks(checks: Checks) {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({
      name,
      reason: await runCheck(name, check),
    })),
  );
  const failed = outcomes.filter(({ reason }) => reason !== undefined);
  // Workers are known by what they write to Redis. While that fails, nothing can be said about them.
  const isRedisDown = failed.some(({ name }) => name === 'redis');
  const reasons = failed
    .filter(({ name }) => !(isRedisDown && name === 'worker'))
    .map(({ reason }) => reason);
  return {
    reasons,
    result: {
      ready: failed.length === 0,
      checks: Object.fromEntries(
        outcomes.map(({ name, reason }) => [name, reason === undefined ? 'ok' : 'failed']),
      ),
    },
  };
}

export const healthRoutes = (
  checks: Checks,
  readRecovery: () => Promise<Recovery | undefined>,
): Route[] => [
  route('getLiveness', 'GET /livez', {
    scope: 'keyless',
    responses: { 200: jsonDoc('Live', Live) },
    handle: () => json({ live: true }),
  }),
  route('getReadiness', 'GET /readyz', {
    scope: 'keyless',
    responses: { 200: jsonDoc('Ready', Ready) },
    handle: async () => {
      const { result, reasons } = await runChecks(checks);
      if (result.ready) {
        const recovery = await readRecovery().catch(() => undefined);
        return json({ ...result, ...(recovery && { recovery }) });
      }
      throw new Problem('upstream-unavailable', `Not ready: ${reasons.join('; ')}`, {
        headers: { 'retry-after': '2' },
        members: result,
      });
    },
  }),
];
