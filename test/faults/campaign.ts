import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import { hostsLack, startHosts } from './hosts.ts';
import type { Installation } from './installation.ts';
import { type Found, INVARIANTS, type Invariant } from './invariants.ts';
import type { Ledger, Way } from './ledger.ts';
import { countByWay, sendAll } from './load.ts';
import { createRandom, type Random } from './random.ts';
import { mixReleases, type Release, releaseFaults } from './releases.ts';
import { inspect, onStage, type Stage, type StageSettings } from './stage.ts';

export interface Plan extends StageSettings {
  seed: number;
  /** Images and rows to send. */
  units: number;
  /** Units sent at once; by default six, which keep two workers busy throughout. */
  atOnce?: number;
  /** Faults to inject meanwhile. */
  faults: number;
  /** The kinds of faults; those that cannot be injected here are reported. */
  kinds: readonly Fault[];
  /** Only faults whose names contain this. */
  only?: string;
  /** Whether each process has a host of its own, with faults of the network. */
  hosts?: boolean;
  /** An earlier release for one gateway and one worker. */
  release?: Release | undefined;
}

export interface Outcome {
  seed: number;
  /** Accepted units by way of sending. */
  acceptedByWay: Record<Way, number>;
  /** Work the service rejected for good, with a clear response: none of it may be lost or counted. */
  rejected: number;
  /** How often each fault was injected. */
  played: Record<string, number>;
  /** Breaches of each invariant. */
  breaches: { promise: string; found: string[] }[];
  seconds: number;
}

/** Pause after each fault, so that faults stay separate. */
const REST_MILLIS = 1500;

/** Injects faults one after the other; every kind once before any is repeated. */
async function playAll(
  installation: Installation,
  kinds: readonly Fault[],
  random: Random,
  { faults, tell, signal }: Plan,
) {
  const played: Record<string, number> = {};
  const possible = kinds.filter(({ fits }) => fits?.(installation) ?? true);
  for (const { name } of kinds.filter((kind) => !possible.includes(kind)))
    tell?.(`not played, since it cannot be here: ${name}`);
  let round: Fault[] = [];
  for (let i = 0; i < faults && !signal?.aborted; i++) {
    if (round.length === 0) round = random.shuffled(possible);
    const fault = round.pop();
    if (!fault) throw new Error('no fault can be played here');
    tell?.(`fault ${i + 1} of ${faults}: ${fault.name}`);
    // A fault that cannot be injected is reported; the results so far are kept.
    const but = await fault.play(installation, random).then(
      (came) => (came === false ? ': the moment did not come' : ''),
      (error) => `: ${error.message}`,
    );
    const name = fault.name + but;
    played[name] = (played[name] ?? 0) + 1;
    await pause(REST_MILLIS * random.next());
  }
  return played;
}

/** Creates the planned hosts and releases; resolves with their faults. */
async function arrange(
  { installation, world, atEnd }: Stage,
  { hosts, release, tell }: Plan,
): Promise<readonly Fault[]> {
  const lack = hosts ? hostsLack() : undefined;
  if (lack) tell?.(`left out, ${lack}`);
  const made = hosts && !lack ? await startHosts(installation, world) : undefined;
  if (made) atEnd(made.remove);
  if (release) await mixReleases(installation, release);
  return [...(made?.faults ?? []), ...(release ? releaseFaults(release) : [])];
}

/** The breaches of some invariants. */
export const breachesOf = (invariants: readonly Invariant[], ledger: Ledger, found: Found) =>
  invariants.map(({ promise, breaches }) => ({ promise, found: breaches(ledger, found) }));

/** Sends work, injects faults meanwhile, waits for all ends, and checks the invariants. */
export async function runCampaign(plan: Plan): Promise<Outcome> {
  const startedAt = performance.now();
  const random = createRandom(plan.seed);
  return onStage(plan, async (stage) => {
    const { installation, world, ledger } = stage;
    const all = [...plan.kinds, ...(await arrange(stage, plan))];
    const kinds = all.filter(({ name }) => name.includes(plan.only ?? ''));
    let isOver = false;
    const playing = playAll(installation, kinds, random, plan).finally(() => {
      isOver = true;
    });
    const sending = sendAll(world, createRandom(plan.seed + 1), plan, () => isOver);
    const [{ sent, rejected }, played] = await Promise.all([sending, playing]);
    const found = await inspect(stage, sent, plan);
    return {
      seed: plan.seed,
      rejected,
      played,
      acceptedByWay: countByWay(ledger),
      breaches: breachesOf(INVARIANTS, ledger, found),
      seconds: (performance.now() - startedAt) / 1000,
    };
  });
}
