import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { run } from '../support/processes.ts';
import { makeSecrets } from './audit.ts';
import { breachesOf, type Outcome } from './campaign.ts';
import { inRedis } from './fault.ts';
import type { Installation } from './installation.ts';
import { INVARIANTS } from './invariants.ts';
import { countByWay, sendAll } from './load.ts';
import { createRandom } from './random.ts';
import { inspect, onStage, type Stage, type StageSettings } from './stage.ts';
import { FLEETING_JOBS } from './ways.ts';

/** API keys, which an operator restores from a backup of Redis. */
const KEYS = '{selvage}:keys';
/** The time until the operator notices. */
const SEEN_AFTER_MILLIS = 2000;

/**
 * What a Redis that lost its data cannot keep, and why: it was in Redis alone. All other promises hold as ever.
 */
export const NOT_PROMISED: Readonly<Record<string, string>> = {
  'quota is what succeeded': 'what was counted is forgotten',
  'one webhook id a job':
    'an unreported end is lost with its secret; a job that ended before its input was deleted ends again',
  'no record without its blob': 'results of jobs that had ended are forgotten with their records',
};

/** Rebuilds what can be rebuilt from storage, as in the runbook; resolves with the output. */
export async function recover({ home, redis, store }: Installation): Promise<string> {
  const settings = { SELVAGE_HOME: home, REDIS_URL: redis.url, ...store.settings };
  const recovering = run(
    process.execPath,
    ['--import', 'tsx', 'workers/recover/main.ts', '--json'],
    settings,
  );
  if ((await recovering.exited) !== 0) throw new Error(recovering.output());
  return recovering.output();
}

/** Restores API keys after an action that loses them. */
export async function restoringKeys(redis: Redis, loss: () => Promise<unknown>): Promise<void> {
  const backup = await redis.hgetall(KEYS);
  await loss();
  await redis.hset(KEYS, backup);
}

/** Empties Redis while work is running, and recovers as an operator does. */
async function flushAndRecover({ installation, world }: Stage, tell: StageSettings['tell']) {
  await inRedis(installation, (redis) =>
    restoringKeys(redis, async () => {
      await redis.flushall();
      tell?.('Redis was emptied');
      await pause(SEEN_AFTER_MILLIS);
    }),
  );
  await makeSecrets(world);
  tell?.(`recovered: ${await recover(installation)}`);
}

/** Ids of the jobs with an input or a cut-out in storage. */
async function jobsInStore({ store }: Installation): Promise<Map<string, string>> {
  const jobs = new Map<string, string>();
  for (const prefix of ['out/', 'in/']) {
    for await (const { key } of store.blobs.list(prefix)) {
      const [id] = /job_[A-Za-z0-9]+/.exec(key) ?? [];
      if (id) jobs.set(id, prefix);
    }
  }
  return jobs;
}

/**
 * Takes those jobs out of the ledger whose records nobody has any more and whose cut-outs lie in the store: they had
 * ended. Answers how many. Those of which nothing is left stay, without an end, and break their promise.
 */
async function dropEnded({ installation, ledger }: Stage): Promise<number> {
  const inStore = await jobsInStore(installation);
  const ended = [...ledger.entries].filter(
    ([, { way, id, ends }]) => way === 'job' && ends.length === 0 && inStore.get(id) === 'out/',
  );
  for (const [key] of ended) ledger.entries.delete(key);
  return ended.length;
}

/** Sends work of every way, empties Redis in the middle, and checks the invariants that still hold. */
export async function runFlushall(
  settings: StageSettings & { seed: number; units: number },
): Promise<Outcome> {
  const startedAt = performance.now();
  const { seed, units, tell } = settings;
  return onStage(settings, async (stage) => {
    const { world, ledger } = stage;
    // A result that is retained for a minute may expire before its client's key is restored.
    for (let i = 0; i < FLEETING_JOBS; i++) ledger.fleeting.add(`none ${i}`);
    let isOver = false;
    const sending = sendAll(world, createRandom(seed), { units }, () => isOver);
    while (ledger.entries.size < units / 2) await pause(100);
    await flushAndRecover(stage, tell).finally(() => {
      isOver = true;
    });
    const { sent, rejected } = await sending;
    let ended = 0;
    const found = await inspect(stage, sent, settings, async () => {
      ended = await dropEnded(stage);
    });
    tell?.(`${ended} jobs had ended before; their records are forgotten, as is promised`);
    const promised = INVARIANTS.filter(({ promise }) => !(promise in NOT_PROMISED));
    return {
      seed,
      rejected,
      acceptedByWay: countByWay(ledger),
      played: { 'Redis is emptied': 1 },
      breaches: breachesOf(promised, ledger, found),
      seconds: (performance.now() - startedAt) / 1000,
    };
  });
}
