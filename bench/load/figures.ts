import { waitThresholds } from '../../src/queue/load-shedding.ts';
import { quantile } from '../statistics.ts';
import type { Growth } from './memory.ts';
import type { Sent } from './open-loop.ts';
import type { Flood, Probe } from './workloads.ts';

/** Figures of an open loop. Times in ms. */
export interface LoadFigures {
  sent: number;
  /** Responses by status; 0 if there was none. */
  statuses: Record<string, number>;
  p50: number;
  p95: number;
  p99: number;
  /** The slowest admitted request. */
  max: number;
  /** Rejections with a Retry-After of whole seconds, at least 1. */
  properRejections: number;
  /** p99 of the latency of rejections. */
  rejectedIn: number;
  /** p99 of the generator's delay. */
  lag: number;
}

const WHOLE_SECONDS = /^[1-9]\d*$/;

export function loadFigures(sent: readonly Sent[]): LoadFigures {
  const withStatus = (status: number) => sent.filter((one) => one.status === status);
  const admitted = withStatus(200).map(({ latency }) => latency);
  const rejected = withStatus(503);
  const statuses: Record<string, number> = {};
  for (const { status } of sent) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    sent: sent.length,
    statuses,
    p50: quantile(admitted, 0.5),
    p95: quantile(admitted, 0.95),
    p99: quantile(admitted, 0.99),
    max: quantile(admitted, 1),
    properRejections: rejected.filter(({ retryAfter }) => WHOLE_SECONDS.test(retryAfter ?? ''))
      .length,
    rejectedIn: quantile(
      rejected.map(({ latency }) => latency),
      0.99,
    ),
    lag: quantile(
      sent.map(({ lag }) => lag),
      0.99,
    ),
  };
}

/** Returns the share of returning clients that were then served; undefined if none returned. */
export const retryAfterAccuracy = (probes: readonly Probe[]): number | undefined =>
  probes.length === 0
    ? undefined
    : probes.filter(({ status }) => status === 200).length / probes.length;

/**
 * Returns how long an admitted request may take under overload, ms: the wait at which load shedding starts.
 * @param capacity removals per second
 */
export function allowedWaitMillis(capacity: number, slots: number, deadlineMillis: number): number {
  const serviceMillis = (1000 * slots) / capacity;
  return waitThresholds({ serviceMillis, slots }, deadlineMillis).high;
}

/** The results of one run. */
export interface Run {
  slots: number;
  deadlineMillis: number;
  /** Latency of a single removal, ms. */
  idleMillis: number;
  /** Removals per second. */
  capacity: number;
  lanes: number;
  closedSeconds: number;
  /** At a share of the capacity that can be served, and at the requested one. */
  base: { share: number; seconds: number; flood: Flood };
  load: { share: number; seconds: number; flood: Flood };
  memory: Record<string, Growth>;
}

export interface Verdict {
  criterion: string;
  target: string;
  measured: string;
  isMet: boolean;
}

const P99_FACTOR = 1.5;
const MAX_LAG_MILLIS = 50;
const MIN_ACCURACY = 0.9;
const MAX_RECOVERY_SECONDS = 5;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Checks each criterion. */
export function verdicts(run: Run): Verdict[] {
  const { slots, capacity, deadlineMillis, base, load, memory } = run;
  const [calm, overloaded] = [loadFigures(base.flood.sent), loadFigures(load.flood.sent)];
  const allowed = allowedWaitMillis(capacity, slots, deadlineMillis);
  const accuracy = retryAfterAccuracy(load.flood.probes);
  const rejected = overloaded.statuses[503] ?? 0;
  const others = overloaded.sent - rejected - (overloaded.statuses[200] ?? 0);
  const { recoverySeconds } = load.flood;
  const ms = (millis: number) => `${millis.toFixed(0)} ms`;
  return [
    {
      criterion: `admitted requests at ${percent(load.share)}: p99`,
      target: `≤ ${P99_FACTOR} × ${ms(allowed)}, the wait allowed`,
      measured: `${ms(overloaded.p99)}, ${(overloaded.p99 / calm.p99).toFixed(2)} × that at ${percent(base.share)}`,
      isMet: overloaded.p99 <= P99_FACTOR * allowed,
    },
    {
      criterion: 'the slowest of them',
      target: `≤ ${ms(deadlineMillis)}, the deadline`,
      measured: ms(overloaded.max),
      isMet: overloaded.max <= deadlineMillis,
    },
    {
      criterion: 'all others: 503 with Retry-After',
      target: 'all',
      measured: `${overloaded.properRejections} of ${rejected + others} (${percent(rejected / overloaded.sent)} of all sent)`,
      isMet: others === 0 && overloaded.properRejections === rejected,
    },
    {
      criterion: 'Retry-After was accurate',
      target: '≥ 90 %',
      measured:
        accuracy === undefined
          ? 'no client returned'
          : `${percent(accuracy)} of ${load.flood.probes.length}`,
      isMet: accuracy !== undefined && accuracy >= MIN_ACCURACY,
    },
    ...Object.entries(memory).map(([name, { earlyBytes, lateBytes }]) => ({
      criterion: `memory growth, last fifth to second: ${name}`,
      target: '≤ + 2 %',
      measured: `${(earlyBytes / 2 ** 20).toFixed(1)} → ${(lateBytes / 2 ** 20).toFixed(1)} MiB (${percent(lateBytes / earlyBytes - 1)})`,
      isMet: lateBytes <= 1.02 * earlyBytes,
    })),
    {
      criterion: 'time until as fast as before the load',
      target: `≤ ${MAX_RECOVERY_SECONDS} s`,
      measured:
        recoverySeconds === undefined ? 'not within 60 s' : `${recoverySeconds.toFixed(2)} s`,
      isMet: recoverySeconds !== undefined && recoverySeconds <= MAX_RECOVERY_SECONDS,
    },
    {
      criterion: 'delay of the generator itself: p99',
      target: `≤ ${ms(MAX_LAG_MILLIS)}, or the run is invalid`,
      measured: ms(overloaded.lag),
      isMet: overloaded.lag <= MAX_LAG_MILLIS,
    },
  ];
}
