/**
 * Works on values, some at a time, until one fails for all; resolves or throws when nothing is under way
 * any more.
 * @param values taken one by one, by whoever is free
 * @param signal ends what is under way
 * @throws what the first failing piece threw; the signal's reason
 */
export async function inParallel<T>(
  values: (Iterator<T> & Iterable<T>) | AsyncGenerator<T>,
  atOnce: number,
  signal: AbortSignal,
  work: (value: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  async function lane(): Promise<void> {
    for await (const value of values) {
      either.throwIfAborted();
      await work(value, either);
    }
  }
  const lanes = Array.from({ length: atOnce }, () => lane().catch((error) => failed.abort(error)));
  await Promise.all(lanes);
  either.throwIfAborted();
}
