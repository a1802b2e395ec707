import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Random } from '../../test/faults/random.ts';
import { type Answer, openLoop, Sent } from './open-loop.ts';
import { arrivals } from './schedule.ts';
import type { Target } from './target.ts';

/** Requests one after the other: the latency of each, ms. */
export async function oneByOne(target: Target, count: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let n = 0; n < count; n++) latencies.push((await timed(target, n)).latency);
  return latencies;
}

async function timed(target: Target, n: number): Promise<Answer & { latency: number }> {
  const startedAt = performance.now();
  const answer = await target.send(n);
  return { ...answer, latency: performance.now() - startedAt };
}

/** Removals that so many lanes get done, a second; each lane waits for its answer before it asks again. */
export async function closedLoop(target: Target, lanes: number, seconds: number): Promise<number> {
  const startedAt = performance.now();
  let asked = 0;
  let done = 0;
  const isOver = () => performance.now() - startedAt > 1000 * seconds;
  const lane = async () => {
    while (!isOver()) {
      const { status } = await target.send(asked++);
      if (status === 200) done++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (1000 * done) / (performance.now() - startedAt);
}

/** One who was sent away and came back exactly when they were told. */
export const Probe = z.object({ toldSeconds: z.number(), status: z.number() });
export type Probe = z.infer<typeof Probe>;

export const Flood = z.object({
  sent: z.array(Sent),
  probes: z.array(Probe),
  /** From the end of the load until three answers in a row came as fast as before it. */
  recoverySeconds: z.number().optional(),
});
export type Flood = z.infer<typeof Flood>;

export interface FloodWish {
  perSecond: number;
  seconds: number;
  /** Of those who are sent away, how many come back. */
  probeShare: number;
  /** What one removal takes when nothing else is done, ms. */
  idleMillis: number;
}

const AS_BEFORE = 1.5;
const IN_A_ROW = 3;
const GIVE_UP_MILLIS = 60_000;
const NEXT_TRY_MILLIS = 50;

/** Asks one after the other until it is as fast as before; seconds since it was called, nothing where it never is. */
async function recovery(target: Target, idleMillis: number): Promise<number | undefined> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  let good = 0;
  for (let n = 0; elapsed() < GIVE_UP_MILLIS; n++) {
    const { status, latency } = await timed(target, n);
    good = status === 200 && latency <= AS_BEFORE * idleMillis ? good + 1 : 0;
    if (good === IN_A_ROW) return elapsed() / 1000;
    if (status !== 200) await pause(NEXT_TRY_MILLIS);
  }
  return undefined;
}

/** An open loop, some of those who are sent away coming back when told, and what comes after its end. */
export async function flood(target: Target, wish: FloodWish, random: Random): Promise<Flood> {
  const { perSecond, seconds, probeShare, idleMillis } = wish;
  const times = arrivals(perSecond, seconds, random);
  const probes: Promise<Probe>[] = [];
  const comeBack = async (toldSeconds: number): Promise<Probe> => {
    await pause(1000 * toldSeconds);
    const { status } = await target.send(probes.length);
    return { toldSeconds, status };
  };
  const { answered } = await openLoop(times, target.send, ({ status, retryAfter }) => {
    if (status === 503 && random.next() < probeShare) probes.push(comeBack(Number(retryAfter)));
  });
  const recoverySeconds = await recovery(target, idleMillis);
  const sent = await answered;
  return { sent, probes: await Promise.all(probes), recoverySeconds };
}
