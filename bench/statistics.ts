/** Returns the value that a share `q` of all values are below; NaN if there are none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** Returns the median, the upper one of an even number of values; NaN if there are none. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
