import { setTimeout as pause } from 'node:timers/promises';
import { breachesOf, type Outcome } from './campaign.ts';
import { INVARIANTS } from './invariants.ts';
import type { Ledger } from './ledger.ts';
import { countByWay, sendAll } from './load.ts';
import { createRandom } from './random.ts';
import { inspect, onStage, type Stage, type StageSettings } from './stage.ts';

/** The invariant that does not hold: quota is counted in Redis alone. */
export const QUOTA = 'quota is what succeeded';

/** What `appendfsync everysec` may lose. */
const LOST_MILLIS = 1000;
const POLL_MILLIS = 50;
/** Longer than any wait that is promised; what has not ended then breaks its promise at the end. */
const MAX_WAIT_MILLIS = 120_000;

const unendedIn = ({ entries }: Ledger): string[] =>
  [...entries].flatMap(([key, { ends }]) => (ends.length === 0 ? [key] : []));

/** Loses the last second. Returns after how many seconds all that was accepted before had ended. */
async function cutPower({ installation, ledger }: Stage, tell: StageSettings['tell']) {
  const mark = await installation.redis.mark();
  await pause(LOST_MILLIS);
  const accepted = unendedIn(ledger);
  await installation.redis.powerCut(mark);
  const startedAt = performance.now();
  const isPending = (key: string) => ledger.entries.get(key)?.ends.length === 0;
  while (accepted.some(isPending) && performance.now() - startedAt < MAX_WAIT_MILLIS) {
    await pause(POLL_MILLIS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  tell?.(`power cut with ${accepted.length} under way: all ended after ${seconds.toFixed(1)} s`);
  return seconds;
}

/** Sends work of every way, loses the last second of Redis's data meanwhile, and checks the invariants. */
export async function runLastSecond(
  settings: StageSettings & { seed: number; units: number; cuts: number; atOnce?: number },
): Promise<Outcome & { endedAfterSeconds: number[] }> {
  const startedAt = performance.now();
  const { seed, cuts, tell } = settings;
  return onStage(settings, async (stage) => {
    const { world, ledger } = stage;
    let isOver = false;
    const sending = sendAll(world, createRandom(seed), settings, () => isOver);
    const endedAfterSeconds: number[] = [];
    for (let cut = 0; cut < cuts; cut++) {
      await pause(2 * LOST_MILLIS);
      endedAfterSeconds.push(await cutPower(stage, tell));
    }
    isOver = true;
    const { sent, rejected } = await sending;
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
