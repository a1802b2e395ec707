import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowOutcome } from '../../src/intake/batches/row-reader.ts';
import { PreviousImage } from '../../src/queue/job-data.ts';

/** Looks up the results of a feed's previous run. */
export interface PreviousImages {
  find(customId: string, url: string): Promise<PreviousImage | undefined>;
  close(): Promise<void>;
}

export const NO_PREVIOUS_IMAGES: PreviousImages = {
  find: async () => undefined,
  close: async () => {},
};

const keyOf = (customId: string, url: string): string => JSON.stringify([customId, url]);

/** 48 bits of the key's hash. The full key is compared when an entry is read, so a collision is a miss. */
const hashOf = (key: string): number => createHash('sha256').update(key).digest().readUIntBE(0, 6);

/** A position in the file is one number: up to 2^40 bytes of file, and up to 2^13 pages of entry. */
const PAGE_BYTES = 256;
const MAX_PAGES = 2 ** 13;

/** Yields the entries padded to whole pages, and adds the position of each to the index. */
async function* toPages(
  outcomes: AsyncIterable<RowOutcome>,
  index: Map<number, number>,
): AsyncGenerator<Buffer> {
  let page = 0;
  for await (const { row, result } of outcomes) {
    if (result?.status !== 'succeeded' || !('source' in row) || !('url' in row.source)) continue;
    const key = keyOf(row.customId, row.source.url);
    const entry = Buffer.from(JSON.stringify({ key, image: PreviousImage.parse(result) }));
    const count = Math.ceil(entry.length / PAGE_BYTES);
    if (count >= MAX_PAGES) continue;
    index.set(hashOf(key), page * MAX_PAGES + count);
    page += count;
    yield Buffer.concat([entry, Buffer.alloc(count * PAGE_BYTES - entry.length, ' ')]);
  }
}

const BLOCK_BYTES = 1024 * 1024;

/** Joins small buffers into blocks for writing. */
async function* toBlocks(buffers: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let bytes = 0;
  for await (const buffer of buffers) {
    pending.push(buffer);
    bytes += buffer.length;
    if (bytes < BLOCK_BYTES) continue;
    yield Buffer.concat(pending);
    pending = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pending);
}

/**
 * Indexes the results of a completed run for random access: about 40 bytes of memory for each, the rest in an
 * unlinked temporary file, which disappears with the process.
 */
export async function indexPreviousImages(
  outcomes: AsyncIterable<RowOutcome>,
  signal: AbortSignal,
): Promise<PreviousImages> {
  const path = join(tmpdir(), `selvage-previous-${randomUUID()}`);
  const index = new Map<number, number>();
  const file: FileHandle = await open(path, 'wx+', 0o600);
  await rm(path);
  try {
    for await (const block of toBlocks(toPages(outcomes, index))) {
      signal.throwIfAborted();
      await file.appendFile(block);
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    async find(customId, url) {
      const key = keyOf(customId, url);
      const position = index.get(hashOf(key));
      if (position === undefined) return undefined;
      const buffer = Buffer.alloc((position % MAX_PAGES) * PAGE_BYTES);
      await file.read(buffer, 0, buffer.length, Math.floor(position / MAX_PAGES) * PAGE_BYTES);
      const entry = JSON.parse(buffer.toString());
      return entry.key === key ? PreviousImage.parse(entry.image) : undefined;
    },
    close: () => file.close(),
  };
}
