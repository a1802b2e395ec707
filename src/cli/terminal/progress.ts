import { MultiBar } from 'cli-progress';
import type { ProgressUpdate } from '../../../packages/client/src/client.ts';
import type { Output } from './output.ts';

/** Shows the progress of many items. */
interface Progress {
  /** Counts one more item, or sets the count. */
  step(count?: number): void;
  /** Prints a line that stays, above the bar if there is one. */
  note(line: string): void;
  stop(): void;
}

/** What stands beside the bar, at most, characters; counts come first, where a narrow terminal shows them. */
const TEXT_CHARS = 40;
const MAX_BAR_CHARS = 40;

const bar = (total: number, unit: string): Progress => {
  const { columns = 80 } = process.stderr;
  const bars = new MultiBar({
    format: `{value}/{total} ${unit}  {eta_formatted} left  {bar}  {duration_formatted}`,
    barsize: Math.max(0, Math.min(MAX_BAR_CHARS, columns - TEXT_CHARS)),
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

/** Shows a bar on a terminal; elsewhere, and for a single item, only the lines that stay. */
export function showProgress(total: number, unit: string, { quiet }: Output): Progress {
  if (process.stderr.isTTY && !quiet && total > 1) return bar(total, unit);
  return { step() {}, note: (line) => console.error(line), stop() {} };
}

/** Follows a batch or a run to its end, or until it is held, with a bar. Returns the last update. */
export async function follow(
  events: AsyncGenerator<ProgressUpdate>,
  output: Output,
): Promise<ProgressUpdate | undefined> {
  let progress: ReturnType<typeof showProgress> | undefined;
  let last: ProgressUpdate | undefined;
  try {
    for await (const update of events) {
      last = update;
      const { accepted, succeeded, failed } = update.counts;
      progress ??= showProgress(accepted, 'images', output);
      progress.step(succeeded + failed);
      if (update.status === 'held') break;
    }
  } finally {
    progress?.stop();
  }
  return last;
}
