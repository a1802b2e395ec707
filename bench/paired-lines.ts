const NUMBER = /-?\d+(?:\.\d+)?/g;

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The lines of one output by their words, each with its numbers. */
function linesOf(output: string): Map<string, number[]> {
  const lines = new Map<string, number[]>();
  for (const line of output.split('\n')) {
    const words = line.replace(NUMBER, '#');
    // Blocks that repeat have lines of the same words.
    let key = words;
    for (let n = 2; lines.has(key); n++) key = `${words}\u0000${n}`;
    lines.set(key, (line.match(NUMBER) ?? []).map(Number));
  }
  return lines;
}

/** Of one line in several outputs, each of its numbers. */
const summed = (
  outputs: readonly Map<string, number[]>[],
  key: string,
  summary: (values: readonly number[]) => number,
): number[] | undefined => {
  const found = outputs.flatMap((lines) => (lines.has(key) ? [lines.get(key) ?? []] : []));
  return found[0]?.map((_, i) => summary(found.flatMap((numbers) => numbers[i] ?? [])));
};

function beside(old: number | undefined, now: number): string {
  if (old === undefined || old === now) return String(now);
  return `${old} → ${now} (${(now / old).toFixed(2)} ×)`;
}

/**
 * The lines of two series of outputs as one: where their words are the same, each number that differs is shown as it was,
 * as it is, and as a ratio.
 */
export function pairedLines(
  before: readonly string[],
  after: readonly string[],
  summary: (values: readonly number[]) => number,
): string[] {
  const [old, now] = [before.map(linesOf), after.map(linesOf)];
  return [...(now[0]?.keys() ?? [])].map((key) => {
    const was = summed(old, key, summary);
    const is = summed(now, key, summary) ?? [];
    let n = 0;
    return (key.split('\u0000')[0] ?? '').replace(/#/g, () => {
      const i = n++;
      return beside(was?.[i], is[i] ?? Number.NaN);
    });
  });
}
