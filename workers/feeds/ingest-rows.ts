import { createHash, type Hash } from 'node:crypto';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import type { FeedRow } from '../../src/feed-formats/row.ts';
import type { RowError } from '../../src/feed-formats/row-error.ts';
import { batchFiles, batchKeys, putLines } from '../../src/intake/batches/batch-files.ts';
import type { Batches, BatchRecord } from '../../src/intake/batches/batches.ts';
import { batchRows } from '../../src/intake/batches/row-reader.ts';
import type { RowLine } from '../../src/intake/batches/rows.ts';
import { feedKeys } from '../../src/intake/feeds/feed-keys.ts';
import type { SourceFacts } from '../../src/intake/feeds/feed-source.ts';
import { type FeedRecord, readingOf } from '../../src/intake/feeds/feeds.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { layOutEarlier, NO_PREVIOUS_IMAGES, type PreviousImages } from './previous-images.ts';

/** A chunk is as long as the first of these is reached, without what was seen of its images before. */
const CHUNK_ROWS = 500;
const CHUNK_CHARS = 1024 * 1024;

export interface TakeRowsDeps {
  batches: Batches;
  blobs: Blobs;
}

/** The lines of one row of a feed, numbered from `first`: one for each image, or one for its fault. */
function linesOf(item: FeedRow | RowError, first: number): RowLine[] {
  const { line, id: customId } = item;
  if (item.kind === 'fault') {
    const { type, detail } = item;
    return [{ row: first, line, ...(customId && { customId }), problem: { type, detail } }];
  }
  const urls = [item.imageLink, ...item.additionalImageLinks];
  return urls.map((url, image) => ({
    ...{ row: first + image, line, customId: item.id, source: { url }, image },
  }));
}

interface Chunk {
  chunk: number;
  /** Number of its first row. */
  first: number;
  lines: RowLine[];
  /** Rows of the feed up to its end, and the line the last of them is on. */
  rows: number;
  line: number;
}

async function* hashing(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}

/** A feed's rows in chunks, the same ones whenever the same document is read. */
async function* chunksOf(items: AsyncIterable<FeedRow | RowError>): AsyncGenerator<Chunk> {
  let open: Chunk = { chunk: 0, first: 0, lines: [], rows: 0, line: 0 };
  let chars = 0;
  for await (const item of items) {
    const lines = linesOf(item, open.first + open.lines.length);
    const more = JSON.stringify(lines).length;
    const { chunk, first, rows } = open;
    const isFull = open.lines.length + lines.length > CHUNK_ROWS || chars + more > CHUNK_CHARS;
    if (isFull && open.lines.length > 0) {
      yield open;
      const next = { chunk: chunk + 1, first: first + open.lines.length };
      open = { ...next, lines: [], rows, line: item.line };
      chars = 0;
    }
    open.lines.push(...lines);
    open.rows += 1;
    open.line = item.line;
    chars += more;
  }
  if (open.lines.length > 0) yield open;
}

/** What the last completed run of the feed came to, ready to be looked up. */
async function earlierOf(
  { batches, blobs }: TakeRowsDeps,
  { client, lastCompletedRunId }: FeedRecord,
  signal: AbortSignal,
): Promise<PreviousImages> {
  const run = lastCompletedRunId && (await batches.get(lastCompletedRunId));
  if (!run) return NO_PREVIOUS_IMAGES;
  const outcomes = batchRows(batches, batchFiles(blobs, client, run.id), run);
  return layOutEarlier(outcomes, signal);
}

const withEarlier = (lines: readonly RowLine[], earlier: PreviousImages): Promise<RowLine[]> =>
  Promise.all(
    lines.map(async (line) => {
      if (!('source' in line) || !('url' in line.source)) return line;
      const found = await earlier.find(line.customId, line.source.url);
      return found ? { ...line, earlier: found } : line;
    }),
  );

/** Takes one chunk in; false where the run takes no more rows. */
async function takeChunk(
  { batches, blobs }: TakeRowsDeps,
  run: BatchRecord,
  { chunk, first, lines, rows, line }: Chunk,
  earlier: PreviousImages,
  signal: AbortSignal,
): Promise<boolean> {
  const key = batchKeys(run.client, run.id).rows(chunk);
  await putLines(blobs, key, await withEarlier(lines, earlier), signal);
  const accepted = lines.filter((each) => 'source' in each).length;
  const rejected = lines.length - accepted;
  const upload = { format: 'files' as const, offset: 0, line, rows };
  const taken = { chunk, first, accepted, rejected, upload };
  if ((await batches.append(run.id, taken, undefined)) === 'taken') return true;
  const now = await batches.get(run.id);
  // A try that was thought dead may be ahead, with the same rows.
  if (now?.status === 'open' && now.chunks > chunk) return true;
  if (!now || now.status === 'expired') await blobs.delete(key);
  return false;
}

/**
 * Takes the rows of a run's document in, those that were not taken before.
 * @returns the document's sha256, hex, or nothing where the run was called off meanwhile
 * @throws FeedError
 */
export async function takeRows(
  deps: TakeRowsDeps,
  feed: FeedRecord,
  run: BatchRecord,
  facts: SourceFacts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const earlier = await earlierOf(deps, feed, signal);
  try {
    const bytes = await deps.blobs.open(feedKeys(feed.client, feed.id).source(run.id), signal);
    const hash = createHash('sha256');
    const items = parseFeed(hashing(bytes, hash), readingOf(feed, facts));
    for await (const chunk of chunksOf(items)) {
      if (chunk.chunk < run.chunks) continue;
      if (!(await takeChunk(deps, run, chunk, earlier, signal))) return undefined;
    }
    return hash.digest('hex');
  } finally {
    await earlier.close();
  }
}
