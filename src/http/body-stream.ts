import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { Problem, unavailable } from '../platform/problem.ts';
import { asLast, tooSlow } from './capacity.ts';
import { CLIENT_DISCONNECTED } from './problem-response.ts';
import { mediaTypeOf } from './request-head.ts';

/** One file of a form. Its stream must be read to the end before the next file is requested. */
export interface FilePart {
  /** The client's name for it, without folders; empty if the part has none. */
  name: string;
  stream: AsyncIterable<Uint8Array>;
  /** Whether the file exceeds the limit; known at the end of the stream. */
  isTruncated(): boolean;
}

const NO_BOUNDARY =
  'The Content-Type of the form has no boundary; leave the header out, so that your HTTP client sets it with one';

const MALFORMED =
  'The multipart body is malformed or ends early: its parts must begin with the boundary of the Content-Type, and the last must end with it; leave the header out, so that your HTTP client sets it, and let the client write the body';

export const malformedForm = (cause: unknown): Problem => {
  const hasNone = cause instanceof Error && /boundary not found/i.test(cause.message);
  const detail = hasNone ? NO_BOUNDARY : MALFORMED;
  return new Problem('invalid-request', detail, { cause });
};

const isForm = (headers: IncomingHttpHeaders): headers is BusboyHeaders =>
  headers['content-type'] !== undefined;

function openForm(headers: IncomingHttpHeaders, maxFileBytes: number): BusboyInstance {
  if (!isForm(headers)) throw malformedForm(undefined);
  try {
    return new Busboy({ headers, limits: { fileSize: maxFileBytes }, isPartAFile: () => true });
  } catch (cause) {
    throw malformedForm(cause);
  }
}

interface FilePartLimits {
  /** Larger files are truncated. */
  maxFileBytes: number;
  /** Called as the bytes of one file arrive, with their number so far; an error fails the reader. */
  onFileBytes(bytes: number): void;
}

/**
 * Yields the parts of a multipart body as they arrive, each as a file: nothing that was sent is skipped. Reads the
 * body only as fast as the files are consumed, however small they are.
 * @throws Problem invalid-request; any error of the source
 */
export async function* readFileParts(
  source: AsyncIterable<Uint8Array>,
  headers: IncomingHttpHeaders,
  { maxFileBytes, onFileBytes }: FilePartLimits,
): AsyncGenerator<FilePart> {
  const form = openForm(headers, maxFileBytes);
  const parts = new PassThrough({ objectMode: true, highWaterMark: 1 });
  let latest: Readable | undefined;
  let reason: Error | undefined;
  const fail = (error: Error) => {
    reason ??= error;
    latest?.destroy(reason);
    parts.destroy(reason);
  };
  const readFile = async function* (file: Readable): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of file) {
        bytes += chunk.length;
        onFileBytes(bytes);
        yield chunk;
      }
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw reason ?? malformedForm(error);
    }
  };
  form.on('file', (_field, file, name) => {
    latest = file;
    file.on('error', (error) => fail(malformedForm(error)));
    const stream = readFile(file);
    parts.write({ name: name ?? '', stream, isTruncated: () => file.truncated } satisfies FilePart);
  });
  form.on('finish', () => parts.end());
  form.on('error', (error) => fail(malformedForm(error)));

  async function pump(): Promise<void> {
    for await (const bytes of source) {
      await new Promise((written) => form.write(bytes, written));
      if (parts.writableNeedDrain) await once(parts, 'drain');
    }
    form.end();
  }
  pump().catch(fail);
  yield* parts;
}

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

const shuttingDown = (): Problem =>
  asLast(unavailable('This server is shutting down; continue with another', 1));

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
