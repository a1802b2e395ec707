import { createHash, type Hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import type { FeedRow } from '../../src/feed-formats/row.ts';
import type { RowError } from '../../src/feed-formats/row-error.ts';
import { batchFiles, batchKeys, putLines } from '../../src/intake/batches/batch-files.ts';
import type { Batches, BatchRecord } from '../../src/intake/batches/batches.ts';
import { readRowOutcomes } from '../../src/intake/batches/row-reader.ts';
import type { RowLine } from '../../src/intake/batches/rows.ts';
import { feedKeys } from '../../src/intake/feeds/feed-keys.ts';
import type { SourceMetadata } from '../../src/intake/feeds/feed-source.ts';
import { type FeedRecord, toParseOptions } from '../../src/intake/feeds/feeds.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { Region } from '../../src/taxonomy/dictionary/schema.ts';
import { indexPreviousImages, NO_PREVIOUS_IMAGES, type PreviousImages } from './previous-images.ts';

/** A chunk ends at the first of these limits; the results of the previous run do not count. */
const MAX_CHUNK_ROWS = 500;
const MAX_CHUNK_CHARS = 1024 * 1024;
/** Of a title that is stored with each image of its product. */
const MAX_TITLE_CHARS = 150;

interface IngestRowsDeps {
  batches: Batches;
  blobs: Blobs;
}

/** Cuts a title, not within a pair of surrogates. */
const shorten = (title: string): string =>
  title.slice(0, MAX_TITLE_CHARS).replace(/[\uD800-\uDBFF]$/, '');

/** Converts one row of a feed to lines numbered from `first`: one for each image, or one for its error. */
function toLines(item: FeedRow | RowError, first: number, region: Region | undefined): RowLine[] {
  const { line, id: customId } = item;
  if (item.kind === 'error') {
    const problem = { type: 'invalid-row', detail: item.detail };
    return [{ row: first, line, ...(customId && { customId }), problem }];
  }
  const urls = [item.imageLink, ...item.additionalImageLinks];
  const title = shorten(item.title?.trim() ?? '');
  return urls.map((url, image) => ({
    row: first + image,
    line,
    customId: item.id,
    ...(title && { title }),
    source: { url },
    image,
    ...(region && { region }),
  }));
}

interface Chunk {
  chunk: number;
  /** Number of its first row. */
  first: number;
  lines: RowLine[];
  /** Rows of the feed up to the end of the chunk, and the line of the last one. */
  rows: number;
  line: number;
}

/** Passes bytes on and adds them to a hash. */
async function* withHash(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Groups a feed's rows into chunks. The same document always gives the same chunks. */
async function* toChunks(
  items: AsyncIterable<FeedRow | RowError>,
  regionOf: (item: FeedRow | RowError) => Promise<Region | undefined>,
): AsyncGenerator<Chunk> {
  let open: Chunk = { chunk: 0, first: 0, lines: [], rows: 0, line: 0 };
  let chars = 0;
  for await (const item of items) {
    const lines = toLines(item, open.first + open.lines.length, await regionOf(item));
    const more = JSON.stringify(lines).length;
    const { chunk, first, rows } = open;
    const isFull =
      open.lines.length + lines.length > MAX_CHUNK_ROWS || chars + more > MAX_CHUNK_CHARS;
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

/**
 * Returns a function from a row to where the garment that it sells is worn, if pictures of the run show only that.
 * Lets other work pass first: long texts take milliseconds.
 */
const regionReader =
  ({ options }: BatchRecord) =>
  async (item: FeedRow | RowError): Promise<Region | undefined> => {
    if (options?.subject !== 'garment' || item.kind === 'error') return undefined;
    await setImmediate();
    // The dictionary takes most of a second of CPU to load: a worker that starts does without.
    const { soldRegion } = await import('../../src/taxonomy/feed-row.ts');
    return soldRegion(item);
  };

/** Opens the results of the feed's last completed run. */
async function openPreviousImages(
  { batches, blobs }: IngestRowsDeps,
  { client, lastCompletedRunId }: FeedRecord,
  signal: AbortSignal,
): Promise<PreviousImages> {
  const run = lastCompletedRunId && (await batches.get(lastCompletedRunId));
  if (!run) return NO_PREVIOUS_IMAGES;
  const outcomes = readRowOutcomes(batches, batchFiles(blobs, client, run.id), run);
  return indexPreviousImages(outcomes, signal);
}

const withPreviousImages = (
  lines: readonly RowLine[],
  previous: PreviousImages,
): Promise<RowLine[]> =>
  Promise.all(
    lines.map(async (line) => {
      if (!('source' in line) || !('url' in line.source)) return line;
      const earlier = await previous.find(line.customId, line.source.url);
      return earlier ? { ...line, earlier } : line;
    }),
  );

/** Appends one chunk to the run; returns false if the run is not open any more. */
async function appendChunk(
  { batches, blobs }: IngestRowsDeps,
  run: BatchRecord,
  { chunk, first, lines, rows, line }: Chunk,
  previous: PreviousImages,
  signal: AbortSignal,
): Promise<boolean> {
  const key = batchKeys(run.client, run.id).rows(chunk);
  await putLines(blobs, key, await withPreviousImages(lines, previous), signal);
  const accepted = lines.filter((each) => 'source' in each).length;
  const rejected = lines.length - accepted;
  const upload = { format: 'files' as const, offset: 0, line, rows };
  const appended = { chunk, first, accepted, rejected, upload };
  if ((await batches.append(run.id, appended, undefined)) === 'appended') return true;
  const current = await batches.get(run.id);
  // An attempt that was presumed dead may be ahead, with the same rows.
  if (current?.status === 'open' && current.chunks > chunk) return true;
  if (!current || current.status === 'expired') await blobs.delete(key);
  return false;
}

/**
 * Appends the rows of a run's document, except the chunks that an earlier attempt appended.
 * @returns the document's sha256, hex; undefined if the run was canceled meanwhile
 * @throws FeedError
 */
export async function ingestRows(
  deps: IngestRowsDeps,
  feed: FeedRecord,
  run: BatchRecord,
  metadata: SourceMetadata,
  signal: AbortSignal,
): Promise<string | undefined> {
  const previous = await openPreviousImages(deps, feed, signal);
  try {
    const bytes = await deps.blobs.open(feedKeys(feed.client, feed.id).source(run.id), signal);
    const hash = createHash('sha256');
    const items = parseFeed(withHash(bytes, hash), toParseOptions(feed, metadata));
    let usable = 0;
    let rows = 0;
    for await (const chunk of toChunks(items, regionReader(run))) {
      usable += chunk.lines.filter((line) => 'source' in line).length;
      rows = chunk.rows;
      if (chunk.chunk < run.chunks) continue;
      if (!(await appendChunk(deps, run, chunk, previous, signal))) return undefined;
    }
    if (rows > 0 && usable === 0) {
      const detail = `None of its ${rows} rows can be used; the report says why`;
      throw new FeedError('no-usable-row', detail);
    }
    return hash.digest('hex');
  } finally {
    await previous.close();
  }
}
