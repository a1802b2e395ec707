/**
 * Processes values, some at a time, until `work` throws. Settles when nothing is running any more.
 * @param values taken one by one
 * @param signal aborts what is running
 * @throws the first error that `work` threw; the signal's reason
 */
export async function forEachParallel<T>(
  values: (Iterator<T> & Iterable<T>) | AsyncGenerator<T>,
  concurrency: number,
  signal: AbortSignal,
  work: (value: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  async function runLane(): Promise<void> {
    for await (const value of values) {
      either.throwIfAborted();
      await work(value, either);
    }
  }
  const lanes = Array.from({ length: concurrency }, () =>
    runLane().catch((error) => failed.abort(error)),
  );
  await Promise.all(lanes);
  either.throwIfAborted();
}
