/** Mean ranks of values, so that equal ones have equal ranks. */
const ranks = (values: readonly number[]): number[] =>
  values.map(
    (value) =>
      values.filter((other) => other < value).length +
      (values.filter((other) => other === value).length - 1) / 2,
  );

/** Spearman's: 1 if both have the same order, -1 if one has the reverse. */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const mean = (a.length - 1) / 2;
  const [x, y] = [a, b].map((values) => ranks(values).map((rank) => rank - mean)) as [
    number[],
    number[],
  ];
  const dot = (p: readonly number[], q: readonly number[]) =>
    p.reduce((sum, one, at) => sum + one * q[at]!, 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}
