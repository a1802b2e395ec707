import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { FetchError, toFetchError } from './fetch-error.ts';

/** The supported compressions, by their name in the Content-Encoding header. */
const DECODERS: Readonly<Record<string, () => Transform | undefined>> = {
  identity: () => undefined,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export const ACCEPT_ENCODING = 'gzip, deflate, br';

async function* limitBytes(
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

/** Whether a Content-Encoding is supported; a combination of several is not. */
export const canDecode = (contentEncoding: string | undefined): boolean =>
  Object.hasOwn(DECODERS, encodingName(contentEncoding));

/**
 * Decompresses a body. The limit applies to the received and to the decompressed bytes, which bounds
 * memory and time for decompression bombs and for endless archives of nothing. Reading may throw
 * FetchError `too-large`, `truncated`, `encoding`, `timeout` or `aborted`.
 * @param contentEncoding one that `canDecode` knows
 */
export async function* decodedBody(
  wire: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const decoder = DECODERS[encodingName(contentEncoding)]?.();
  try {
    if (!decoder) return yield* limitBytes(wire, maxBytes);
    // If any stage fails, the decoder is destroyed with the error, and its reader gets it.
    pipeline(
      wire,
      (chunks: AsyncIterable<Uint8Array>) => limitBytes(chunks, maxBytes),
      decoder,
      () => {},
    );
    yield* limitBytes(decoder, maxBytes);
  } catch (error) {
    throw toFetchError(error, 'truncated');
  }
}

/** Reads a whole body. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
