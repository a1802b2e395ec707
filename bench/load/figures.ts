import { pressedWaits } from '../../src/queue/load-shedding.ts';
import type { Flood, Probe } from './deeds.ts';
import type { Growth } from './memory.ts';
import type { Sent } from './open-loop.ts';
import { quantile } from './quantile.ts';

/** What came of an open loop. Times in ms. */
export interface LoadFigures {
  sent: number;
  /** Answers by status; 0 where there was none. */
  statuses: Record<string, number>;
  p50: number;
  p95: number;
  p99: number;
  /** The slowest of those that were admitted. */
  slowest: number;
  /** Refusals with a Retry-After of whole seconds, at least 1. */
  properRefusals: number;
  /** p99 of how long a refusal took. */
  refusedIn: number;
  /** p99 of how late the generator sent. */
  lag: number;
}

const WHOLE_SECONDS = /^[1-9]\d*$/;

export function loadFigures(sent: readonly Sent[]): LoadFigures {
  const of = (status: number) => sent.filter((one) => one.status === status);
  const admitted = of(200).map(({ latency }) => latency);
  const refused = of(503);
  const statuses: Record<string, number> = {};
  for (const { status } of sent) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    sent: sent.length,
    statuses,
    p50: quantile(admitted, 0.5),
    p95: quantile(admitted, 0.95),
    p99: quantile(admitted, 0.99),
    slowest: quantile(admitted, 1),
    properRefusals: refused.filter(({ retryAfter }) => WHOLE_SECONDS.test(retryAfter ?? '')).length,
    refusedIn: quantile(
      refused.map(({ latency }) => latency),
      0.99,
    ),
    lag: quantile(
      sent.map(({ lag }) => lag),
      0.99,
    ),
  };
}

/** Of those who came back when they were told, how many were then served; nothing where nobody did. */
export const truthOf = (probes: readonly Probe[]): number | undefined =>
  probes.length === 0
    ? undefined
    : probes.filter(({ status }) => status === 200).length / probes.length;

/**
 * How long an admitted request may take under overload, ms: the longest wait with which the door still lets in.
 * @param capacity removals a second
 */
export function promisedMillis(capacity: number, slots: number, deadlineMillis: number): number {
  const serviceMillis = (1000 * slots) / capacity;
  return pressedWaits({ serviceMillis, slots }, deadlineMillis).high;
}

/** All that one run has seen. */
export interface Run {
  slots: number;
  deadlineMillis: number;
  /** One removal after the other, ms. */
  idleMillis: number;
  /** Removals a second. */
  capacity: number;
  lanes: number;
  closedSeconds: number;
  /** At a share of the capacity that can be served, and at the one asked for. */
  base: { share: number; seconds: number; flood: Flood };
  load: { share: number; seconds: number; flood: Flood };
  memory: Record<string, Growth>;
}

export interface Verdict {
  line: string;
  wanted: string;
  seen: string;
  kept: boolean;
}

const P99_FACTOR = 1.5;
const MOST_LAG_MILLIS = 50;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Each promise, and whether it was kept. */
export function verdicts(run: Run): Verdict[] {
  const { slots, capacity, deadlineMillis, base, load, memory } = run;
  const [calm, pressed] = [loadFigures(base.flood.sent), loadFigures(load.flood.sent)];
  const promised = promisedMillis(capacity, slots, deadlineMillis);
  const truth = truthOf(load.flood.probes);
  const refused = pressed.statuses[503] ?? 0;
  const others = pressed.sent - refused - (pressed.statuses[200] ?? 0);
  const { recoverySeconds } = load.flood;
  const ms = (millis: number) => `${millis.toFixed(0)} ms`;
  return [
    {
      line: `admitted requests at ${percent(load.share)}: p99`,
      wanted: `≤ ${P99_FACTOR} × ${ms(promised)}, what the door lets wait`,
      seen: `${ms(pressed.p99)}, ${(pressed.p99 / calm.p99).toFixed(2)} × that at ${percent(base.share)}`,
      kept: pressed.p99 <= P99_FACTOR * promised,
    },
    {
      line: 'the slowest of them',
      wanted: `≤ ${ms(deadlineMillis)}, the deadline`,
      seen: ms(pressed.slowest),
      kept: pressed.slowest <= deadlineMillis,
    },
    {
      line: 'all others: 503 with Retry-After',
      wanted: 'all',
      seen: `${pressed.properRefusals} of ${refused + others} (${percent(refused / pressed.sent)} of all sent)`,
      kept: others === 0 && pressed.properRefusals === refused,
    },
    {
      line: 'Retry-After was true',
      wanted: '≥ 90 %',
      seen:
        truth === undefined
          ? 'nobody came back'
          : `${percent(truth)} of ${load.flood.probes.length}`,
      kept: truth !== undefined && truth >= 0.9,
    },
    ...Object.entries(memory).map(([name, { earlyBytes, lateBytes }]) => ({
      line: `memory of ${name}, last fifth to second`,
      wanted: '≤ + 2 %',
      seen: `${(earlyBytes / 2 ** 20).toFixed(1)} → ${(lateBytes / 2 ** 20).toFixed(1)} MiB (${percent(lateBytes / earlyBytes - 1)})`,
      kept: lateBytes <= 1.02 * earlyBytes,
    })),
    {
      line: 'as fast as before the load, after its end',
      wanted: '≤ 5 s',
      seen: recoverySeconds === undefined ? 'not within 60 s' : `${recoverySeconds.toFixed(2)} s`,
      kept: recoverySeconds !== undefined && recoverySeconds <= 5,
    },
    {
      line: 'the generator itself sent late: p99',
      wanted: `≤ ${ms(MOST_LAG_MILLIS)}, or the run does not count`,
      seen: ms(pressed.lag),
      kept: pressed.lag <= MOST_LAG_MILLIS,
    },
  ];
}
