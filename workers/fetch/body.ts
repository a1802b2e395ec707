import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { asFetchError, FetchError } from './fetch-error.ts';

/** What a server may compress with; the names are those of the Content-Encoding header. */
const DECODERS: Readonly<Record<string, () => Transform | undefined>> = {
  identity: () => undefined,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export const ACCEPT_ENCODING = 'gzip, deflate, br';

async function* capped(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FetchError('too-large');
    yield chunk;
  }
}

const encodingName = (contentEncoding = ''): string =>
  contentEncoding.trim().toLowerCase() || 'identity';

/** Whether a Content-Encoding is one of those asked for; several on top of each other are not. */
export const canDecode = (contentEncoding: string | undefined): boolean =>
  Object.hasOwn(DECODERS, encodingName(contentEncoding));

/**
 * The body as it was before the server compressed it. The ceiling holds for what comes over the
 * wire and again for what it unfolds to, so that neither a bomb nor an endless archive of nothing
 * takes memory or time. Its reader may get FetchRefused `too-large`, `truncated`, `encoding`,
 * `timeout` or `aborted`.
 * @param contentEncoding one that `canDecode` knows
 */
export async function* decodedBody(
  wire: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const decoder = DECODERS[encodingName(contentEncoding)]?.();
  try {
    if (!decoder) return yield* capped(wire, maxBytes);
    // The decoder is destroyed with the failure of any stage, and is where the reader is told.
    pipeline(
      wire,
      (chunks: AsyncIterable<Uint8Array>) => capped(chunks, maxBytes),
      decoder,
      () => {},
    );
    yield* capped(decoder, maxBytes);
  } catch (error) {
    throw asFetchError(error, 'truncated');
  }
}

/** All of a body in one piece. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
