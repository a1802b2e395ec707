import type { FastifyRequest } from 'fastify';
import { Problem, unavailable } from '../platform/problem.ts';
import { type FilePart, fileParts } from './file-parts.ts';
import { CLIENT_DISCONNECTED } from './request-context.ts';
import { tooSlow } from './slow-body.ts';

/**
 * A body that is read as it comes, however long it is. To be read once. It ends with a Problem where
 * no byte comes for too long, the server shuts down or the client goes.
 */
export type BodyStream =
  | {
      kind: 'bytes';
      /** Lower-case, without parameters. */
      mediaType: string;
      charset: string | undefined;
      stream: AsyncIterable<Uint8Array>;
    }
  | { kind: 'files'; mediaType: 'multipart/form-data'; files: AsyncIterable<FilePart> };

export interface BodyStreamLimits {
  idleMillis: number;
  /** Of one file of a form. */
  maxFileBytes: number;
  closing: AbortSignal;
}

const closed = (): Problem => {
  const { type, detail, headers } = unavailable('This server is shutting down; go on elsewhere', 1);
  return new Problem(type, detail, { headers: { ...headers, connection: 'close' } });
};

/** What comes next, unless it takes too long. */
async function soon<T>(next: Promise<T>, { idleMillis, closing }: BodyStreamLimits): Promise<T> {
  let giveUp = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    giveUp = () => reject(closed());
    timer = setTimeout(
      () => reject(tooSlow(`No byte came for ${idleMillis / 1000} s`)),
      idleMillis,
    );
  });
  closing.addEventListener('abort', giveUp);
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', giveUp);
  }
}

/** The same, but for waiting: only time in which bytes are asked for counts. */
async function* unhurried(
  { raw }: FastifyRequest,
  limits: BodyStreamLimits,
): AsyncGenerator<Uint8Array> {
  // Left alone in the end: whoever refuses half of a body still has an answer to send.
  const iterator = raw.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      if (limits.closing.aborted) throw closed();
      const next = iterator.next().catch((error) => {
        throw error.code === 'ECONNRESET' ? CLIENT_DISCONNECTED : error;
      });
      const { done, value } = await soon(next, limits);
      if (done) return;
      yield value;
    }
  } finally {
    // Not waited for: it comes after bytes that may never come.
    iterator.return?.().catch(() => {});
  }
}

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/**
 * The body of a request as a stream, by its media type.
 * @throws Problem unsupported-media-type
 */
export function readBodyStream(request: FastifyRequest, limits: BodyStreamLimits): BodyStream {
  const contentType = request.headers['content-type'];
  if (!contentType) {
    throw new Problem('unsupported-media-type', 'Say in Content-Type what the body is; see /docs');
  }
  const mediaType = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const stream = unhurried(request, limits);
  if (mediaType === 'multipart/form-data') {
    const files = fileParts(stream, request.headers, limits.maxFileBytes);
    return { kind: 'files', mediaType, files };
  }
  return { kind: 'bytes', mediaType, charset: CHARSET.exec(contentType)?.[1], stream };
}

/**
 * All bytes of a body that has to be small after all, such as the JSON of a route that takes more.
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
