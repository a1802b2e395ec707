import type { Random } from '../../test/faults/random.ts';

/** The gap to the next of arrivals that know nothing of each other. */
export const nextGap = (mean: number, random: Random): number =>
  -Math.log(1 - random.next()) * mean;

/** When requests are to be sent, ms from the start: a Poisson process, fixed before the first is sent. */
export function arrivals(perSecond: number, seconds: number, random: Random): number[] {
  const meanMillis = 1000 / perSecond;
  const times: number[] = [];
  let at = nextGap(meanMillis, random);
  for (; at < 1000 * seconds; at += nextGap(meanMillis, random)) times.push(at);
  return times;
}
