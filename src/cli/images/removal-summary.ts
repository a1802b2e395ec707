import { reviewTexts } from '../../output/review.ts';
import { errorText, toErrorReport } from '../terminal/error-report.ts';
import { type Output, print, say } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';
import type { CutOutInfo } from './background-removers.ts';
import type { Photo } from './photos.ts';

/** Counts outcomes and reports them: a bar, a line for each failure and for each photo to check, NDJSON with `--json`. */
export function createRemovalSummary(photos: number, options: Output) {
  const progress = showProgress(photos, 'photos', options);
  const counts = { done: 0, toCheck: 0, failed: 0 };
  const printLine = (line: object) => options.json && print(options, line, '');
  function noteReview(input: string, review: CutOutInfo['review']): void {
    if (!review?.needed) return;
    counts.toCheck++;
    if (options.json || options.quiet) return;
    progress.note(`${input}: please check: ${reviewTexts(review).join('. ')}.`);
  }
  return {
    succeeded({ input, output }: Photo, info: CutOutInfo): void {
      counts.done++;
      progress.step();
      noteReview(input, info.review);
      printLine({ file: input, status: 'succeeded', output, ...info });
    },
    failed({ input }: Photo, error: unknown): void {
      counts.failed++;
      progress.step();
      progress.note(`${input}: ${errorText(error)}`);
      printLine({
        file: input,
        status: 'failed',
        problem: toErrorReport(error) ?? { detail: errorText(error) },
      });
    },
    /** Removes the bar, prints the totals and returns how many failed. */
    end(): number {
      progress.stop();
      const { done, toCheck, failed } = counts;
      const left = photos - done - failed;
      const counted = [
        `${done} cut out`,
        toCheck && `${toCheck} of them to check`,
        failed && `${failed} failed`,
        left && `${left} not started`,
      ];
      say(options, `${counted.filter(Boolean).join(', ')}.`);
      return failed;
    },
  };
}
