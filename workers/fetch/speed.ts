import { FetchError } from '../../src/platform/links/fetch-error.ts';

/** A least speed of a body, by windows of time. */
export interface SpeedLimit {
  minBytesPerSecond: number;
  windowMillis: number;
  /** Added to the first window. */
  graceMillis: number;
}

/**
 * Passes a body on. Only time spent waiting for the sender counts, so a slow reader does no harm. The speed is
 * checked when a chunk arrives: a sender that stops altogether is for the idle limit.
 * @throws FetchError `too-slow`
 */
export async function* withMinSpeed(
  chunks: AsyncIterable<Uint8Array>,
  { minBytesPerSecond, windowMillis, graceMillis }: SpeedLimit,
): AsyncGenerator<Uint8Array> {
  const minBytes = (minBytesPerSecond * windowMillis) / 1000;
  let window = { bytes: 0, waitedMillis: -graceMillis };
  let waitingSince = performance.now();
  for await (const chunk of chunks) {
    window.bytes += chunk.length;
    window.waitedMillis += performance.now() - waitingSince;
    if (window.waitedMillis >= windowMillis) {
      if (window.bytes < minBytes) throw new FetchError('too-slow');
      window = { bytes: 0, waitedMillis: 0 };
    }
    yield chunk;
    waitingSince = performance.now();
  }
}
