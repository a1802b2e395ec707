import { setTimeout as pause } from 'node:timers/promises';
import { breachesOf, type Outcome } from './campaign.ts';
import { doDeeds, readDeeds } from './deeds.ts';
import { inRedis } from './fault.ts';
import type { Installation } from './installation.ts';
import { INVARIANTS } from './invariants.ts';
import type { Ledger } from './ledger.ts';
import { countByWay, sendAll } from './load.ts';
import { createRandom } from './random.ts';
import { inspect, onStage, type Stage, type StageSettings } from './stage.ts';

/** The invariant that does not hold: quota is counted in Redis alone. */
export const QUOTA = 'quota is what succeeded';

/** What `appendfsync everysec`, and a replica, may lose. */
export const LOST_MILLIS = 1000;
/** Units under way: with more, what is measured is how long work waits for its turn. */
const MAX_PENDING = 12;

const POLL_MILLIS = 50;
/** Longer than any wait that is promised; what has not ended then breaks its promise at the end. */
const MAX_WAIT_MILLIS = 120_000;

/** Keys of the records of jobs, batches and runs that were accepted and whose end nobody has seen. */
const unendedIn = ({ entries }: Ledger): string[] => {
  const ids = [...entries.values()].flatMap(({ id, ends }) =>
    ends.length === 0 ? (/(job|batch|run)_[A-Za-z0-9]+/.exec(id) ?? []).slice(0, 2).join(' ') : [],
  );
  return [...new Set(ids)].flatMap((text) => {
    const [id, kind] = text.split(' ');
    return kind === undefined ? [] : `{selvage}:${kind === 'job' ? 'job' : 'batch'}:${id}`;
  });
};

const ENDED = ['succeeded', 'completed', 'expired'];

/** From now on what is written may be lost; returns what loses it. */
export type Loss = (installation: Installation) => Promise<() => Promise<void>>;

/** Cuts the append-only file, as a power cut does. */
export const powerCut: Loss = async ({ redis }) => {
  const mark = await redis.mark();
  return () => redis.powerCut(mark);
};

/** Loses the last second. Returns after how many seconds all that was accepted before had ended. */
async function loseSecond(
  { installation, ledger, world }: Stage,
  { cut, loss }: { cut: number; loss: Loss },
  tell: StageSettings['tell'],
) {
  const lose = await loss(installation);
  const customer = world.customers[cut % world.customers.length]!;
  ledger.deeds.push(...(await doDeeds(customer, `lost-${cut}`)));
  await pause(LOST_MILLIS);
  const accepted = unendedIn(ledger);
  await lose();
  const startedAt = performance.now();
  const secondsNow = () => (performance.now() - startedAt) / 1000;
  let pending = accepted;
  let knownAfterSeconds: number | undefined;
  await inRedis(installation, async (redis) => {
    while (pending.length > 0 && performance.now() - startedAt < MAX_WAIT_MILLIS) {
      const statuses = await Promise.all(pending.map((key) => redis.hget(key, 'status')));
      if (statuses.every((status) => status !== null)) knownAfterSeconds ??= secondsNow();
      pending = pending.filter((_, i) => !ENDED.includes(statuses[i] ?? ''));
      await pause(POLL_MILLIS);
    }
  });
  const seconds = secondsNow();
  const missing = pending.length > 0 ? `, but for ${pending.join(' ')}` : '';
  tell?.(
    `the last second is lost with ${accepted.length} under way: all known after ${knownAfterSeconds?.toFixed(1)} s, ended after ${seconds.toFixed(1)} s${missing}`,
  );
  return seconds;
}

/** Sends work of every way, loses the last second of Redis's data meanwhile, and checks the invariants. */
export async function runLastSecond(
  settings: StageSettings & { seed: number; units: number; cuts: number; atOnce?: number },
  loss: Loss = powerCut,
): Promise<Outcome & { endedAfterSeconds: number[] }> {
  const startedAt = performance.now();
  const { seed, cuts, tell } = settings;
  return onStage(settings, async (stage) => {
    const { world, ledger } = stage;
    let isOver = false;
    const load = { maxPending: MAX_PENDING, ...settings };
    const sending = sendAll(world, createRandom(seed), load, () => isOver);
    const endedAfterSeconds: number[] = [];
    for (let cut = 0; cut < cuts; cut++) {
      await pause(2 * LOST_MILLIS);
      endedAfterSeconds.push(await loseSecond(stage, { cut, loss }, tell));
    }
    isOver = true;
    const { sent, rejected } = await sending;
    await readDeeds(ledger.deeds);
    const found = await inspect(stage, sent, settings);
    const promised = INVARIANTS.filter(({ promise }) => promise !== QUOTA);
    return {
      seed,
      rejected,
      endedAfterSeconds,
      acceptedByWay: countByWay(ledger),
      played: { 'the last second is gone': cuts },
      breaches: breachesOf(promised, ledger, found),
      seconds: (performance.now() - startedAt) / 1000,
    };
  });
}
