import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { Problem } from '../platform/problem.ts';

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
