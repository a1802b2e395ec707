import type { Progress as Told } from '../../client/client.ts';
import type { Output } from '../terminal/output.ts';
import { watch } from '../terminal/progress.ts';

/** Follows a batch or a run to its end, with a bar. Returns what was told last. */
export async function follow(
  events: AsyncGenerator<Told>,
  output: Output,
): Promise<Told | undefined> {
  let progress: ReturnType<typeof watch> | undefined;
  let last: Told | undefined;
  try {
    for await (const told of events) {
      last = told;
      const { accepted, succeeded, failed } = told.counts;
      progress ??= watch(accepted, 'images', output);
      progress.step(succeeded + failed);
    }
  } finally {
    progress?.stop();
  }
  return last;
}
