import { RENAMED_TEXTS } from './labels.ts';

const NUMBER = /-?\d+(?:\.\d+)?/g;

/** A line with `#` in place of its numbers. */
interface Line {
  template: string;
  numbers: number[];
}

const withoutNumbers = (text: string): string => text.replace(NUMBER, '#');

/** Padding and rules of tables: they depend on the width of the numbers. */
const withoutPadding = (text: string): string =>
  text.trim().replace(/\s+/g, ' ').replace(/-{2,}/g, '--').replace(/─+/g, '─');

const RENAMED = RENAMED_TEXTS.map(
  ([was, is]) => [withoutNumbers(was), withoutNumbers(is)] as const,
);

/** Returns a key that is the same for a line of an earlier commit and its counterpart of today. */
const keyOf = (template: string): string =>
  RENAMED.reduce((text, [was, is]) => text.replaceAll(was, is), withoutPadding(template));

/** Parses an output into its lines, by key. */
function parseLines(output: string): Map<string, Line> {
  const lines = new Map<string, Line>();
  for (const text of output.split('\n')) {
    const template = withoutNumbers(text);
    const base = keyOf(template);
    // Blocks that repeat have lines with the same key.
    let key = base;
    for (let n = 2; lines.has(key); n++) key = `${base}\u0000${n}`;
    lines.set(key, { template, numbers: (text.match(NUMBER) ?? []).map(Number) });
  }
  return lines;
}

/** Summarizes each number of one line over several outputs. */
const summarize = (
  outputs: readonly Map<string, Line>[],
  key: string,
  summary: (values: readonly number[]) => number,
): number[] | undefined => {
  const found = outputs.flatMap((lines) => {
    const line = lines.get(key);
    return line ? [line.numbers] : [];
  });
  return found[0]?.map((_, i) => summary(found.flatMap((numbers) => numbers[i] ?? [])));
};

function formatPair(before: number | undefined, now: number): string {
  if (before === undefined || before === now) return String(now);
  return `${before} → ${now} (${(now / before).toFixed(2)} ×)`;
}

/**
 * Merges two series of outputs: lines are paired by their text, and each number that differs is shown as it
 * was, as it is, and as a ratio.
 */
export function pairedLines(
  before: readonly string[],
  after: readonly string[],
  summary: (values: readonly number[]) => number,
): string[] {
  const [old, current] = [before.map(parseLines), after.map(parseLines)];
  return [...(current[0] ?? [])].map(([key, { template }]) => {
    const was = summarize(old, key, summary);
    const is = summarize(current, key, summary) ?? [];
    let n = 0;
    return template.replace(/#/g, () => {
      const i = n++;
      return formatPair(was?.[i], is[i] ?? Number.NaN);
    });
  });
}
