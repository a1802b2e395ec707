import type { Random } from '../../test/faults/random.ts';

/** Returns a random gap between independent arrivals: exponentially distributed. */
export const nextGap = (mean: number, random: Random): number =>
  -Math.log(1 - random.next()) * mean;

/** Returns when requests are due, ms from the start: a Poisson process, fixed before the first is sent. */
export function arrivals(perSecond: number, seconds: number, random: Random): number[] {
  const meanMillis = 1000 / perSecond;
  const times: number[] = [];
  let at = nextGap(meanMillis, random);
  for (; at < 1000 * seconds; at += nextGap(meanMillis, random)) times.push(at);
  return times;
}
