import { faultText, reportOf } from '../terminal/error-report.ts';
import { type Output, print, say } from '../terminal/output.ts';
import { watch } from '../terminal/progress.ts';
import type { CutOutFacts } from './cutters.ts';
import type { Photo } from './photos.ts';

/** Counts what becomes of photos, and tells it: a bar, a line for each failure, NDJSON with `--json`. */
export function createTally(photos: number, options: Output) {
  const progress = watch(photos, 'photos', options);
  const counts = { done: 0, failed: 0 };
  const tell = (line: object) => options.json && print(options, line, '');
  return {
    succeeded({ input, output }: Photo, facts: CutOutFacts): void {
      counts.done++;
      progress.step();
      tell({ file: input, status: 'succeeded', output, ...facts });
    },
    failed({ input }: Photo, error: unknown): void {
      counts.failed++;
      progress.step();
      progress.note(`${input}: ${faultText(error)}`);
      tell({
        file: input,
        status: 'failed',
        problem: reportOf(error) ?? { detail: faultText(error) },
      });
    },
    /** Takes the bar away and says how many there were. Returns how many failed. */
    end(): number {
      progress.stop();
      const { done, failed } = counts;
      const left = photos - done - failed;
      const parts = [`${done} cut out`, failed && `${failed} failed`, left && `${left} not begun`];
      say(options, `${parts.filter(Boolean).join(', ')}.`);
      return failed;
    },
  };
}
