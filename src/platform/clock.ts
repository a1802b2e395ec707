import type { Redis } from 'ioredis';
import type { Logger } from './log.ts';

const SAMPLE_MILLIS = 1000;
/** An answer that was under way for longer says too little about when it was given. */
const SLOW_ANSWER_MILLIS = 500;
/** From this difference on an operator is told. */
const WARN_MILLIS = 5000;

/** Asks Redis for its time; goes on by a clock that does not jump. */
async function sample(redis: Redis) {
  const askedAt = performance.now();
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
  const roundTripMillis = performance.now() - askedAt;
  const millis = seconds * 1000 + micros / 1000;
  return { roundTripMillis, offsetMillis: millis - (askedAt + roundTripMillis / 2) };
}

/**
 * Follows Redis's time, which all hosts have in common: their own may differ, and jump.
 * @returns tells it, epoch milliseconds
 * @throws where it cannot be had at first
 */
export async function followClock(redis: Redis, log: Logger): Promise<() => number> {
  let { offsetMillis } = await sample(redis);
  let isFar = false;
  const now = () => Math.floor(offsetMillis + performance.now());

  function warn(): void {
    const aheadMillis = Date.now() - now();
    const wasFar = isFar;
    isFar = Math.abs(aheadMillis) > WARN_MILLIS;
    if (isFar && !wasFar) log.warn({ aheadMillis }, "this host's clock is not that of Redis");
  }
  async function follow(): Promise<void> {
    const latest = await sample(redis);
    if (latest.roundTripMillis <= SLOW_ANSWER_MILLIS) offsetMillis = latest.offsetMillis;
    warn();
  }
  warn();
  // While Redis is away time goes on as it did.
  setInterval(() => void follow().catch(() => {}), SAMPLE_MILLIS).unref();
  return now;
}
