import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type ExpansionLimit, passing } from '../../src/feed-formats/expand.ts';
import { FetchError, toFetchError } from '../../src/platform/links/fetch-error.ts';

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
async function* withMinSpeed(
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

/** The supported compressions, by their name in the Content-Encoding header. */
const DECODERS: Readonly<Record<string, () => Transform | undefined>> = {
  identity: () => undefined,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export const ACCEPT_ENCODING = 'gzip, deflate, br';

interface BodyLimits {
  /** Of the received and of the decompressed bytes. */
  maxBytes: number;
  expansion: ExpansionLimit;
  /** Each applies. */
  speeds: readonly SpeedLimit[];
}

const encodingName = (contentEncoding = ''): string =>
  contentEncoding.trim().toLowerCase() || 'identity';

/** Whether a Content-Encoding is supported; a combination of several is not. */
export const canDecode = (contentEncoding: string | undefined): boolean =>
  Object.hasOwn(DECODERS, encodingName(contentEncoding));

/**
 * Decompresses a body within limits, which bound memory, storage and time for decompression bombs, endless archives of
 * nothing and dripping servers. Reading may throw FetchError `too-large`, `expansion`, `too-slow`, `truncated`,
 * `encoding`, `timeout` or `aborted`.
 * @param contentEncoding one that `canDecode` knows
 */
export async function* decodedBody(
  wire: Readable,
  contentEncoding: string | undefined,
  { maxBytes, expansion, speeds }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let decoded = 0;
  const receive = (chunks: AsyncIterable<Uint8Array>) =>
    passing(speeds.reduce<AsyncIterable<Uint8Array>>(withMinSpeed, chunks), ({ length }) => {
      received += length;
      if (received > maxBytes) throw new FetchError('too-large');
    });
  const decoder = DECODERS[encodingName(contentEncoding)]?.();
  try {
    if (!decoder) return yield* receive(wire);
    // If any stage fails, the decoder is destroyed with the error, and its reader gets it.
    pipeline(wire, receive, decoder, () => {});
    yield* passing(decoder, ({ length }) => {
      decoded += length;
      if (decoded > maxBytes) throw new FetchError('too-large');
      if (decoded > expansion.freeBytes + expansion.ratio * received)
        throw new FetchError('expansion');
    });
  } catch (error) {
    throw toFetchError(error, 'truncated');
  }
}
