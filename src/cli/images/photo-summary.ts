import { errorText, toErrorReport } from '../terminal/error-report.ts';
import { EXIT, type Output, print, say } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';
import type { LeftOut, Photo } from './photos.ts';

/** Counts outcomes and reports them: a bar, a line for each failure and for each photo to check, NDJSON with `--json`. */
export class PhotoSummary {
  readonly #photos: number;
  readonly #options: Output;
  readonly #progress: ReturnType<typeof showProgress>;
  readonly #counts = { done: 0, toCheck: 0, skipped: 0, failed: 0, leftOut: 0 };

  constructor(photos: number, leftOut: readonly LeftOut[], options: Output) {
    this.#photos = photos;
    this.#options = options;
    this.#progress = showProgress(photos, 'photos', options);
    for (const each of leftOut) this.#leftOut(each);
  }

  /**
   * @param info for NDJSON
   * @param check why a person should look at the photo, if one should
   */
  succeeded({ input, output }: Photo, info: object, check: string | undefined): void {
    this.#counts.done++;
    this.#progress.step();
    if (check !== undefined) this.#toCheck(input, check);
    this.#printLine({ file: input, status: 'succeeded', output, ...info });
  }

  /** Counts a photo whose cut-out is there from an earlier run. */
  skipped({ input, output }: Photo): void {
    this.#counts.skipped++;
    this.#progress.step();
    this.#printLine({ file: input, status: 'skipped', output });
  }

  failed({ input }: Photo, error: unknown): void {
    this.#counts.failed++;
    this.#progress.step();
    this.#progress.note(`${input}: ${errorText(error)}`);
    const problem = toErrorReport(error) ?? { detail: errorText(error) };
    this.#printLine({ file: input, status: 'failed', problem });
  }

  /**
   * Removes the bar, prints the totals and sets the exit code.
   * @param doneText says what was made, of so many photos
   */
  end(doneText: (photos: number) => string): void {
    this.#progress.stop();
    const { done, toCheck, skipped, failed, leftOut } = this.#counts;
    const left = this.#photos - done - skipped - failed;
    const counted = [
      doneText(done),
      toCheck && `${toCheck} of them to check`,
      skipped && `${skipped} already there (--force makes them anew)`,
      failed && `${failed} failed`,
      left && `${left} not started`,
      leftOut && `${leftOut} left out`,
    ];
    say(this.#options, `${counted.filter(Boolean).join(', ')}.`);
    if (failed > 0) process.exitCode = EXIT.failed;
    else if (leftOut > 0) process.exitCode = EXIT.leftOut;
  }

  #leftOut({ path, what }: LeftOut): void {
    this.#counts.leftOut++;
    this.#progress.note(`${path}: left out: ${what}`);
    this.#printLine({ file: path, status: 'left-out', what });
  }

  #toCheck(input: string, check: string): void {
    this.#counts.toCheck++;
    const { json, quiet } = this.#options;
    if (!json && !quiet) this.#progress.note(`${input}: please check: ${check}.`);
  }

  #printLine(line: object): void {
    if (this.#options.json) print(this.#options, line, '');
  }
}
