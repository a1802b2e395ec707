import type { Redis } from 'ioredis';
import type { Logger } from './log.ts';
import { PREFIX } from './redis.ts';

/** Returns the current time, epoch milliseconds. */
export type Clock = () => number;

/**
 * This host's own clock, for times that stay on one machine. Times that are stored or compared between
 * hosts come from `followClock`.
 */
export const hostClock: Clock = () => Date.now();

const SAMPLE_MILLIS = 1000;
/** Slower replies are ignored: the time they were sent is too uncertain. */
const MAX_ROUND_TRIP_MILLIS = 500;
/** The difference from which on the log warns. */
const WARN_MILLIS = 5000;

/** Returns how far Redis's time is ahead of this process's monotonic clock. */
async function sampleOffset(redis: Redis) {
  const sentAt = performance.now();
  // A script, so that in a cluster it is always the server that has the keys.
  const reply = await redis.eval("return redis.call('TIME')", 1, PREFIX);
  const [seconds = 0, micros = 0] = [reply].flat().map(Number);
  const roundTripMillis = performance.now() - sentAt;
  const millis = seconds * 1000 + micros / 1000;
  return { roundTripMillis, offsetMillis: millis - (sentAt + roundTripMillis / 2) };
}

/**
 * Follows Redis's time, which all hosts share; their own clocks may differ and jump. Between samples,
 * and while Redis is unavailable, the clock advances by this process's monotonic clock.
 * Warns when this host's clock is off by more than 5 s. Rejects if the first sample fails.
 */
export async function followClock(redis: Redis, log: Logger): Promise<Clock> {
  let { offsetMillis } = await sampleOffset(redis);
  let isFar = false;
  const now = () => Math.floor(offsetMillis + performance.now());

  function warn(): void {
    const aheadMillis = hostClock() - now();
    const wasFar = isFar;
    isFar = Math.abs(aheadMillis) > WARN_MILLIS;
    if (isFar && !wasFar) log.warn({ aheadMillis }, "this host's clock differs from Redis's");
  }
  async function follow(): Promise<void> {
    const latest = await sampleOffset(redis);
    if (latest.roundTripMillis <= MAX_ROUND_TRIP_MILLIS) offsetMillis = latest.offsetMillis;
    warn();
  }
  warn();
  setInterval(() => void follow().catch(() => {}), SAMPLE_MILLIS).unref();
  return now;
}
