import { ROOT } from '../support/root.ts';
import { breachesOf, type Outcome } from './campaign.ts';
import { again } from './fault.ts';
import { INVARIANTS } from './invariants.ts';
import type { Way } from './ledger.ts';
import { countByWay } from './load.ts';
import { createRandom } from './random.ts';
import { compileRelease } from './releases.ts';
import { inspect, onStage, type Stage, type StageSettings } from './stage.ts';
import { FLEETING_JOBS, SEND } from './ways.ts';

/**
 * What decides how a release reads the work of the one before. The last commit that differs in these stays the same
 * until one of them changes again, so a change that breaks upgrades is found by every later run too.
 */
export const SHARED_BY_RELEASES = ['src/lua', 'src/queue', 'src/intake', 'src/auth', 'src/storage'];

/** What an upgrade may change, and why. All other promises hold as ever. */
const NOT_PROMISED = ['the same bytes as without faults']; // a release may cut out better

/** One worker needs some ten seconds for these; jobs are its first choice, so they are sent last. */
const BEFORE: readonly (readonly Way[])[] = [
  ['batch', 'feed', 'batch', 'feed'],
  ['job', 'job', 'job', 'job', 'job', 'job'],
];
/** Requests at the time of the upgrade: they wait, or are sent again. */
const MEANWHILE: readonly Way[] = ['sync', 'sync'];

const sendEach = (ways: readonly Way[], { world }: Stage, seed: number) => {
  const random = createRandom(seed);
  return ways.map(async (way) => ({
    work: await SEND[way](world, random.pick(world.customers), random),
  }));
};

/** Ends the release of before: its gateway as asked, its worker in the middle of a job. This one takes their places. */
async function upgrade({ installation: { gateways, workers } }: Stage): Promise<void> {
  for (const member of [...gateways, ...workers]) member.launch.release = ROOT;
  await Promise.all([
    ...workers.map((worker) => again(worker, 'SIGKILL')),
    ...gateways.map((gateway) => again(gateway, 'SIGTERM')),
  ]);
}

/** A line of a worker about work that was accepted. */
const FINISHED = /"jobId":"(job|batch|run)_.*"outcome":"succeeded"/;

/** An upgrade's outcome. */
export interface Upgraded extends Outcome {
  /** Units that the release of before accepted and this one finished, by the kind of their ids. */
  inFlight: Record<'job' | 'batch' | 'run', number>;
}

/** Counts what the worker of now has finished. */
function finishedBy({ installation: { workers } }: Stage): Upgraded['inFlight'] {
  const lines = workers.flatMap(({ running }) => running.output().split('\n'));
  const kinds = lines.map((line) => FINISHED.exec(line)?.[1]);
  const count = (kind: string) => kinds.filter((each) => each === kind).length;
  return { job: count('job'), batch: count('batch'), run: count('run') };
}

/** Upgrades an installation of an earlier commit, with work of every way in flight, and checks the invariants. */
export async function runUpgrade(
  settings: StageSettings & { seed: number; from: string },
): Promise<Upgraded> {
  const startedAt = performance.now();
  const { seed, from, tell } = settings;
  const release = compileRelease(from);
  const size = { each: 1, release: release.folder };
  return onStage({ ...settings, size, picturesEach: 3 }, async (stage) => {
    const { ledger } = stage;
    // None expires before the end.
    for (let i = 0; i < FLEETING_JOBS; i++) ledger.fleeting.add(`none ${i}`);
    const before = [];
    for (const ways of BEFORE) before.push(...(await Promise.all(sendEach(ways, stage, seed))));
    const meanwhile = Promise.allSettled(sendEach(MEANWHILE, stage, seed + 1));
    tell?.(`${ledger.entries.size} accepted; ${from} ends`);
    await upgrade(stage);
    const answers = await meanwhile;
    const sent = [
      ...before,
      ...answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
    ];
    const found = await inspect(stage, sent, settings);
    const promised = INVARIANTS.filter(({ promise }) => !NOT_PROMISED.includes(promise));
    return {
      seed,
      rejected: before.length + MEANWHILE.length - sent.length,
      played: { [`upgrade from ${from}`]: 1 },
      acceptedByWay: countByWay(ledger),
      inFlight: finishedBy(stage),
      breaches: breachesOf(promised, ledger, found),
      seconds: (performance.now() - startedAt) / 1000,
    };
  }).finally(release.remove);
}
