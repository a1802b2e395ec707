import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowOutcome } from '../../src/intake/batches/row-reader.ts';
import { PreviousImage } from '../../src/queue/job-data.ts';

/** What was seen of a feed's images before. */
export interface PreviousImages {
  find(customId: string, url: string): Promise<PreviousImage | undefined>;
  close(): Promise<void>;
}

export const NO_PREVIOUS_IMAGES: PreviousImages = {
  find: async () => undefined,
  close: async () => {},
};

const keyOf = (customId: string, url: string): string => JSON.stringify([customId, url]);

/** 48 bits of the key's hash; who finds another key there has found nothing. */
const hashOf = (key: string): number => createHash('sha256').update(key).digest().readUIntBE(0, 6);

/** A line's place in the file: at most 2^40 bytes of file, 2^13 pages of line, as one number. */
const PAGE_BYTES = 256;
const MAX_PAGES = 2 ** 13;

/** The lines as whole pages, and where each key's is. */
async function* pages(
  outcomes: AsyncIterable<RowOutcome>,
  places: Map<number, number>,
): AsyncGenerator<Buffer> {
  let page = 0;
  for await (const { row, result } of outcomes) {
    if (result?.status !== 'succeeded' || !('source' in row) || !('url' in row.source)) continue;
    const key = keyOf(row.customId, row.source.url);
    const line = Buffer.from(JSON.stringify({ key, earlier: PreviousImage.parse(result) }));
    const count = Math.ceil(line.length / PAGE_BYTES);
    if (count >= MAX_PAGES) continue;
    places.set(hashOf(key), page * MAX_PAGES + count);
    page += count;
    yield Buffer.concat([line, Buffer.alloc(count * PAGE_BYTES - line.length, ' ')]);
  }
}

const BLOCK_BYTES = 1024 * 1024;

async function* blocks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < BLOCK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

/**
 * Lays the images of a completed run ready to be found in any order: in memory some 40 bytes for each,
 * the rest in a file without a name, which is gone with the process.
 */
export async function layOutEarlier(
  outcomes: AsyncIterable<RowOutcome>,
  signal: AbortSignal,
): Promise<PreviousImages> {
  const path = join(tmpdir(), `selvage-earlier-${randomUUID()}`);
  const places = new Map<number, number>();
  const file: FileHandle = await open(path, 'wx+', 0o600);
  await rm(path);
  try {
    for await (const block of blocks(pages(outcomes, places))) {
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
      const place = places.get(hashOf(key));
      if (place === undefined) return undefined;
      const line = Buffer.alloc((place % MAX_PAGES) * PAGE_BYTES);
      await file.read(line, 0, line.length, Math.floor(place / MAX_PAGES) * PAGE_BYTES);
      const found = JSON.parse(line.toString());
      return found.key === key ? PreviousImage.parse(found.earlier) : undefined;
    },
    close: () => file.close(),
  };
}
