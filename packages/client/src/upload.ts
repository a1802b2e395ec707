import type { Batch, BatchRow, UploadResult } from './contract.ts';
import { clientError } from './error.ts';
import { idempotencyKey } from './idempotency-key.ts';
import type { AnyIterable, NamedFile, UploadOptions } from './interface.ts';
import { toBlob } from './payload.ts';
import { readJson } from './response.ts';
import type { HttpRequest, Payload, Transport } from './transport.ts';

/** How items of one kind are sent, and how the service counts them. */
interface UploadKind<Item> {
  bytes(item: Item): number;
  /** What an item adds to the offset. */
  step(item: Item): number;
  payload(items: readonly Item[]): Payload;
}

const sumOf = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((total, item) => total + value(item), 0);

type Line = Uint8Array<ArrayBuffer>;
const lengthOf = ({ byteLength }: Line): number => byteLength;

/** Rows as lines of JSON; the offset counts bytes. */
export const ROWS: UploadKind<Line> = {
  bytes: lengthOf,
  step: lengthOf,
  payload: (lines) => ({
    content: new Blob([...lines]),
    bytes: sumOf(lines, lengthOf),
    mediaType: 'application/x-ndjson',
  }),
};

const sizeOf = ({ image }: NamedFile): number =>
  image instanceof Blob ? image.size : image.byteLength;

/** Files of a form; the offset counts files. */
export const FILES: UploadKind<NamedFile> = {
  bytes: sizeOf,
  step: () => 1,
  payload(files) {
    const form = new FormData();
    for (const { name, image } of files) form.append('file', toBlob(image), name);
    return { content: form, bytes: sumOf(files, sizeOf) };
  },
};

const encoder = new TextEncoder();
export async function* toLines(rows: AnyIterable<BatchRow>): AsyncGenerator<Line> {
  for await (const row of rows) yield encoder.encode(`${JSON.stringify(row)}\n`);
}

/** Upper bounds of a chunk, which is held in memory until the service has it. */
const CHUNK = { bytes: 8 * 2 ** 20, items: 20_000 } as const;

async function* toChunks<Item>(
  items: AnyIterable<Item>,
  kind: UploadKind<Item>,
  maxBytes: number,
): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const itemBytes = kind.bytes(item);
    if (chunk.length > 0 && (bytes + itemBytes > maxBytes || chunk.length === CHUNK.items)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += itemBytes;
  }
  if (chunk.length > 0) yield chunk;
}

const itemsDiffer = () =>
  clientError('conflict', 'These are not the rows or files that the upload began with');

/**
 * Returns a filter for the items after an offset; call it with every item in order.
 * @throws SelvageError `conflict` if the offset is inside an item
 */
function createOffsetFilter<Item>(offset: number, { step }: UploadKind<Item>) {
  let position = 0;
  return (item: Item): boolean => {
    const start = position;
    position += step(item);
    if (start < offset && position > offset) throw itemsDiffer();
    return start >= offset;
  };
}

async function* skipUploaded<Item>(
  items: AnyIterable<Item>,
  offset: number,
  kind: UploadKind<Item>,
): AsyncGenerator<Item> {
  const isLeft = createOffsetFilter(offset, kind);
  for await (const item of items) if (isLeft(item)) yield item;
}

/** Uploads items in chunks; if a chunk breaks off, sends the items that have not arrived. */
export async function upload<Item>(
  { request, attemptOnce, withRetries, maxBodyBytes }: Transport,
  path: string,
  items: AnyIterable<Item>,
  kind: UploadKind<Item>,
  { resume = false, ...options }: UploadOptions = {},
): Promise<UploadResult> {
  const total: UploadResult = { accepted: 0, rejected: 0, offset: 0, errors: [], warnings: [] };
  const batchRequest: HttpRequest = { method: 'GET', path };
  const before = await request(batchRequest, readJson<Batch>, options);
  let offset = resume ? before.upload?.offset : undefined;

  function addToTotal({ errors, warnings, ...counts }: UploadResult): void {
    total.accepted += counts.accepted;
    total.rejected += counts.rejected;
    total.offset = offset = counts.offset;
    total.errors = [...total.errors, ...errors].slice(0, 10);
    total.warnings = [...new Set([...total.warnings, ...warnings])];
  }

  /** Returns the items of a chunk that have not arrived, after an attempt without a response. */
  async function findMissing(
    chunk: readonly Item[],
    signal: AbortSignal,
  ): Promise<readonly Item[]> {
    const { counts, upload: latest } = await attemptOnce(batchRequest, readJson<Batch>, signal);
    const accepted = counts.accepted - before.counts.accepted - total.accepted;
    const rejected = counts.rejected - before.counts.rejected - total.rejected;
    if (!latest || accepted + rejected === 0) return chunk;
    const arrived = latest.offset - (offset ?? 0);
    addToTotal({ accepted, rejected, offset: latest.offset, errors: [], warnings: [] });
    return chunk.filter(createOffsetFilter(arrived, kind));
  }

  async function sendChunk(chunk: readonly Item[]): Promise<void> {
    let unsent = chunk;
    let headers = idempotencyKey();
    await withRetries(options, async (attempt, signal) => {
      const left = attempt === 1 ? unsent : await findMissing(unsent, signal);
      if (left !== unsent) headers = idempotencyKey();
      unsent = left;
      if (unsent.length === 0) return;
      const body = kind.payload(unsent);
      const postRequest: HttpRequest = {
        method: 'POST',
        path: `${path}/items`,
        query: { offset },
        headers,
        body,
      };
      addToTotal(await attemptOnce(postRequest, readJson<UploadResult>, signal));
    });
  }

  const maxBytes = Math.min(CHUNK.bytes, maxBodyBytes);
  for await (const chunk of toChunks(skipUploaded(items, offset ?? 0, kind), kind, maxBytes)) {
    await sendChunk(chunk);
  }
  return total;
}
