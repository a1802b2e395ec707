import type { FastifyRequest } from 'fastify';
import { Problem, unavailable } from '../platform/problem.ts';
import { type FilePart, readFileParts } from './file-parts.ts';
import { mediaTypeOf } from './media-type.ts';
import { CLIENT_DISCONNECTED } from './problem-response.ts';
import { tooSlow } from './slow-body.ts';

/**
 * A body of any length, read as it arrives, once. Iterating throws a Problem if no byte arrives for
 * too long, the key is revoked, the server shuts down or the client disconnects.
 */
export type BodyStream =
  | {
      kind: 'bytes';
      /** Lower-case, without parameters but the charset. */
      contentType: string;
      stream: AsyncIterable<Uint8Array>;
      /** Takes memory for bytes that were read and are still needed. @throws Problem */
      hold(bytes: number): void;
    }
  | { kind: 'files'; mediaType: 'multipart/form-data'; files: AsyncIterable<FilePart> };

interface BodyStreamLimits {
  idleMillis: number;
  /** Per file of a form. */
  maxFileBytes: number;
  closing: AbortSignal;
  /** Throws if the caller is no longer admitted. */
  checkAccess(): Promise<void>;
  /** Takes memory for bytes that were read and are still needed. @throws Problem */
  hold(bytes: number): void;
}

const shuttingDown = (): Problem => {
  const { type, detail, headers } = unavailable(
    'This server is shutting down; continue with another',
    1,
  );
  return new Problem(type, detail, { headers: { ...headers, connection: 'close' } });
};

/** Resolves as `next` does, unless it takes too long or the server shuts down. */
async function withIdleLimit<T>(
  next: Promise<T>,
  { idleMillis, closing }: BodyStreamLimits,
): Promise<T> {
  let onClosing = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    onClosing = () => reject(shuttingDown());
    timer = setTimeout(
      () => reject(tooSlow(`No byte arrived for ${idleMillis / 1000} s`)),
      idleMillis,
    );
  });
  closing.addEventListener('abort', onClosing);
  try {
    return await Promise.race([next, timeout]);
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', onClosing);
  }
}

/** Yields the body's bytes. Only time spent waiting for bytes counts as idle, not the reader's own. */
async function* readBytes(
  { raw }: FastifyRequest,
  limits: BodyStreamLimits,
): AsyncGenerator<Uint8Array> {
  // Not destroyed at the end: a handler that rejects half a body still has a response to send.
  const iterator = raw.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      if (limits.closing.aborted) throw shuttingDown();
      const next = iterator.next().catch((error) => {
        throw error.code === 'ECONNRESET' ? CLIENT_DISCONNECTED : error;
      });
      const { done, value } = await withIdleLimit(next, limits);
      if (done) return;
      await limits.checkAccess();
      yield value;
    }
  } finally {
    // Not awaited: it resolves after bytes that may never arrive.
    iterator.return?.().catch(() => {});
  }
}

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/** Returns the body of a request as a stream, by its media type. @throws Problem unsupported-media-type */
export function readBodyStream(request: FastifyRequest, limits: BodyStreamLimits): BodyStream {
  const sent = request.headers['content-type'];
  if (!sent) {
    throw new Problem('unsupported-media-type', 'Declare the body in Content-Type; see /docs');
  }
  const mediaType = mediaTypeOf(sent);
  const stream = readBytes(request, limits);
  if (mediaType === 'multipart/form-data') {
    const { maxFileBytes, hold } = limits;
    const files = readFileParts(stream, request.headers, { maxFileBytes, onFileBytes: hold });
    return { kind: 'files', mediaType, files };
  }
  const charset = CHARSET.exec(sent)?.[1];
  const contentType = charset ? `${mediaType}; charset=${charset}` : mediaType;
  return { kind: 'bytes', contentType, stream, hold: limits.hold };
}

/**
 * Returns all bytes of a streamed body that must be small, such as the JSON of a route that also takes files.
 * @throws Problem payload-too-large
 */
export async function collectBody(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new Problem('payload-too-large', `The body is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
