import { createHash } from 'node:crypto';
import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { Problem } from '../platform/problem.ts';
import { type Blobs, StorageError } from '../storage/blobs.ts';
import { openBlob } from './common-problems.ts';

interface RecordedBlob {
  key: string;
  bytes: number;
  /** Hex. */
  sha256: string;
}

/** Returns why a blob may be missing, such as that its job has just expired; nothing if it may not. */
type Missing = () => Promise<Problem | undefined>;

/** Longer files are checked while they are sent: those of all downloads together must fit into memory. */
const HELD_BYTES = 256 * 1024;

/** For stored bytes that are not those that were written. @param reason for the log, which names the key */
export const damagedBlob = (key: string, reason: string): Problem =>
  new Problem(
    'damaged',
    'The stored file is not the one that was made; send the image again to have it made again',
    { cause: new Error(`the blob ${key} is damaged: ${reason}`) },
  );

/** Passes a blob on, except the end of one that is not what its record says: then it fails instead. */
class Verifier extends Transform {
  readonly #blob: RecordedBlob;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  /** The newest bytes. Their reader would take the whole for sound. */
  #held: Buffer | undefined;

  constructor(blob: RecordedBlob) {
    super();
    this.#blob = blob;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const { key, bytes } = this.#blob;
    this.#bytes += chunk.length;
    if (this.#bytes > bytes) {
      done(damagedBlob(key, `it has more than ${bytes} bytes`));
      return;
    }
    this.#hash.update(chunk);
    const earlier = this.#held;
    this.#held = chunk;
    done(null, earlier);
  }

  override _flush(done: TransformCallback): void {
    const { key, bytes, sha256 } = this.#blob;
    const digest = this.#hash.digest('hex');
    if (this.#bytes === bytes && digest === sha256) done(null, this.#held);
    else
      done(damagedBlob(key, `${this.#bytes} bytes of ${bytes}, sha256 ${digest}, not ${sha256}`));
  }
}

/** Opens a blob through a `Verifier`. Throws as `openVerified`. */
async function openThrough(
  blobs: Pick<Blobs, 'open'>,
  blob: RecordedBlob,
  signal: AbortSignal,
  missing: Missing,
): Promise<Readable> {
  const absent = damagedBlob(blob.key, 'it is missing');
  const source = await openBlob(blobs, blob.key, signal, () => absent).catch(async (error) => {
    throw error === absent ? ((await missing()) ?? absent) : error;
  });
  return verify(source, blob);
}

const verify = (source: Readable, blob: RecordedBlob): Readable =>
  pipeline(source, new Verifier(blob), () => {});

/** A small file is checked now. @throws Problem damaged, upstream-unavailable */
const checkSmall = async (stream: Readable, { bytes }: RecordedBlob): Promise<Readable> =>
  bytes > HELD_BYTES ? stream : Readable.from([await readAll(stream)], { objectMode: false });

/** Returns a stream of the same bytes that fails before its end if they are not those that were recorded. */
export const verified = (source: Readable, blob: RecordedBlob): Promise<Readable> =>
  checkSmall(verify(source, blob), blob);

/** Reads a stream to its end. @throws Problem of the stream; upstream-unavailable if it fails otherwise */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks = await stream.toArray().catch((error) => {
    throw error instanceof Problem ? error : new StorageError('read', error);
  });
  return Buffer.concat(chunks);
}

/**
 * Opens a blob as a stream that fails before its end if it is not what its record says; a small one is checked now.
 * @throws Problem as `missing` returns or `openBlob` throws; damaged
 */
export async function openVerified(...call: Parameters<typeof openThrough>): Promise<Readable> {
  const [, blob] = call;
  return checkSmall(await openThrough(...call), blob);
}

/**
 * Checks what storage knows of a blob without reading it.
 * @throws Problem as `missing` returns; damaged, upstream-unavailable
 */
export async function checkHead(
  blobs: Pick<Blobs, 'head'>,
  { key, bytes, sha256 }: RecordedBlob,
  signal: AbortSignal,
  missing: Missing,
): Promise<void> {
  const head = await blobs.head(key, signal);
  if (!head) throw (await missing()) ?? damagedBlob(key, 'it is missing');
  const written = head.meta.sha256 ?? sha256;
  if (head.bytes === bytes && written === sha256) return;
  throw damagedBlob(key, `${head.bytes} bytes of ${bytes}, written as ${written} for ${sha256}`);
}
