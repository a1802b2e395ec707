import type { ProgressUpdate } from '../../../packages/client/src/client.ts';
import type { Output } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';

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
