import { MultiBar } from 'cli-progress';
import type { Output } from './output.ts';

/** How far work of many pieces is, for who watches. */
export interface Progress {
  /** One more piece is done, or `count` in all. */
  step(count?: number): void;
  /** A line that stays, above the bar where there is one. */
  note(line: string): void;
  stop(): void;
}

const bar = (total: number, unit: string): Progress => {
  const bars = new MultiBar({
    format: `{bar} {value}/{total} ${unit}  {duration_formatted}`,
    stream: process.stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    gracefulExit: false,
  });
  const one = bars.create(total, 0);
  return {
    step: (count) => (count === undefined ? one.increment() : one.update(count)),
    note: (line) => bars.log(`${line}\n`),
    stop: () => bars.stop(),
  };
};

/** A bar on a terminal; elsewhere, and for one piece, only the lines that stay. */
export function watch(total: number, unit: string, { quiet }: Output): Progress {
  if (process.stderr.isTTY && !quiet && total > 1) return bar(total, unit);
  return { step() {}, note: (line) => console.error(line), stop() {} };
}
