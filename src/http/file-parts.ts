import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { Problem } from '../platform/problem.ts';

/** One file of a form. Its stream is to be read to the end before the next is asked for. */
export interface FilePart {
  /** As the client calls it, without folders. */
  name: string;
  stream: AsyncIterable<Uint8Array>;
  /** Whether the file is larger than the form takes, known at the end of the stream. */
  isTruncated(): boolean;
}

const malformed = (cause: unknown): Problem =>
  new Problem('invalid-request', 'The multipart body is malformed or ends early', { cause });

const isForm = (headers: IncomingHttpHeaders): headers is BusboyHeaders =>
  headers['content-type'] !== undefined;

function openForm(headers: IncomingHttpHeaders, maxFileBytes: number): BusboyInstance {
  if (!isForm(headers)) throw malformed(undefined);
  try {
    return new Busboy({ headers, limits: { fileSize: maxFileBytes, fields: 100 } });
  } catch (cause) {
    throw malformed(cause);
  }
}

/**
 * The files of a multipart body as they come, fields passed over. No more is read of the body than
 * its files are taken away, however small they are.
 * @param maxFileBytes a larger file is cut there
 * @throws Problem invalid-request; what the source throws
 */
export async function* fileParts(
  source: AsyncIterable<Uint8Array>,
  headers: IncomingHttpHeaders,
  maxFileBytes: number,
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
  const bytesOf = async function* (file: Readable): AsyncGenerator<Uint8Array> {
    try {
      yield* file;
    } catch (error) {
      throw reason ?? malformed(error);
    }
  };
  form.on('file', (_field, file, name) => {
    latest = file;
    file.on('error', (error) => fail(malformed(error)));
    const stream = bytesOf(file);
    parts.write({ name, stream, isTruncated: () => file.truncated } satisfies FilePart);
  });
  form.on('finish', () => parts.end());
  form.on('error', (error) => fail(malformed(error)));

  async function feed(): Promise<void> {
    for await (const bytes of source) {
      await new Promise((written) => form.write(bytes, written));
      if (parts.writableNeedDrain) await once(parts, 'drain');
    }
    form.end();
  }
  feed().catch(fail);
  yield* parts;
}
