/** Arithmetic helpers of the equations. */

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

/** 0 up to 0, 1 from 1, and a smooth rise between. */
export const smoothstep = (value: number): number => {
  const x = clamp(value, 0, 1);
  return x * x * (3 - 2 * x);
};

export type Ramp = readonly (readonly [at: number, value: number])[];

/** Linear between the points of a ramp (in order of `at`), constant beyond its ends. */
export function interpolate(ramp: Ramp, at: number): number {
  for (let i = 0; i < ramp.length; i++) {
    const [x1, y1] = ramp[i]!;
    if (at > x1) continue;
    if (i === 0) return y1;
    const [x0, y0] = ramp[i - 1]!;
    return y0 + ((y1 - y0) * (at - x0)) / (x1 - x0);
  }
  return ramp.at(-1)?.[1] ?? 0;
}

/** Rounds to so many decimals; never returns −0, which prints differently. */
export const round = (value: number, decimals: number): number => {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale + 0;
};

/** Root of a rising function between `low` and `high`; the nearer end if it has none. 60 steps. */
export function bisect(rising: (x: number) => number, low: number, high: number): number {
  if (rising(low) >= 0) return low;
  if (rising(high) <= 0) return high;
  let [below, above] = [low, high];
  for (let step = 0; step < 60; step++) {
    const middle = (below + above) / 2;
    if (rising(middle) < 0) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}
