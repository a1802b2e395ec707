import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Random } from '../../test/faults/random.ts';
import { openLoop, Sent, type TargetResponse } from './open-loop.ts';
import { arrivals } from './schedule.ts';
import type { Target } from './target.ts';

/** Sends requests one after the other; returns the latency of each, ms. */
export async function oneByOne(target: Target, count: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let n = 0; n < count; n++) latencies.push((await timed(target, n)).latency);
  return latencies;
}

async function timed(target: Target, n: number): Promise<TargetResponse & { latency: number }> {
  const startedAt = performance.now();
  const response = await target.send(n);
  return { ...response, latency: performance.now() - startedAt };
}

/** Returns the removals per second of so many lanes; each waits for a response before its next request. */
export async function closedLoop(target: Target, lanes: number, seconds: number): Promise<number> {
  const startedAt = performance.now();
  let sent = 0;
  let done = 0;
  const isOver = () => performance.now() - startedAt > 1000 * seconds;
  const lane = async () => {
    while (!isOver()) {
      const { status } = await target.send(sent++);
      if (status === 200) done++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (1000 * done) / (performance.now() - startedAt);
}

/** A rejected client that returned exactly when `Retry-After` said. */
export const Probe = z.object({ retryAfterSeconds: z.number(), status: z.number() });
export type Probe = z.infer<typeof Probe>;

export const Flood = z.object({
  sent: z.array(Sent),
  probes: z.array(Probe),
  /** From the end of the load until three responses in a row were as fast as before it. */
  recoverySeconds: z.number().optional(),
});
export type Flood = z.infer<typeof Flood>;

export interface FloodOptions {
  perSecond: number;
  seconds: number;
  /** Share of the rejected clients that return. */
  probeShare: number;
  /** Latency of one removal on an idle system, ms. */
  idleMillis: number;
}

const RECOVERED_FACTOR = 1.5;
const RECOVERED_IN_A_ROW = 3;
const RECOVERY_TIMEOUT_MILLIS = 60_000;
const RECOVERY_RETRY_MILLIS = 50;

/** Sends requests one by one until they are as fast as before; seconds since the call, undefined on timeout. */
async function recovery(target: Target, idleMillis: number): Promise<number | undefined> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  let fast = 0;
  for (let n = 0; elapsed() < RECOVERY_TIMEOUT_MILLIS; n++) {
    const { status, latency } = await timed(target, n);
    fast = status === 200 && latency <= RECOVERED_FACTOR * idleMillis ? fast + 1 : 0;
    if (fast === RECOVERED_IN_A_ROW) return elapsed() / 1000;
    if (status !== 200) await pause(RECOVERY_RETRY_MILLIS);
  }
  return undefined;
}

/** Runs an open loop in which some rejected clients return as `Retry-After` says, then measures the recovery. */
export async function flood(target: Target, options: FloodOptions, random: Random): Promise<Flood> {
  const { perSecond, seconds, probeShare, idleMillis } = options;
  const times = arrivals(perSecond, seconds, random);
  const probes: Promise<Probe>[] = [];
  const probe = async (retryAfterSeconds: number): Promise<Probe> => {
    await pause(1000 * retryAfterSeconds);
    const { status } = await target.send(probes.length);
    return { retryAfterSeconds, status };
  };
  const { responses } = await openLoop(times, target.send, ({ status, retryAfter }) => {
    if (status === 503 && random.next() < probeShare) probes.push(probe(Number(retryAfter)));
  });
  const recoverySeconds = await recovery(target, idleMillis);
  const sent = await responses;
  return { sent, probes: await Promise.all(probes), recoverySeconds };
}
