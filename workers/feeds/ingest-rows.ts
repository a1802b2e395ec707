import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { passing } from '../../src/feed-formats/expand.ts';
import type { RowError } from '../../src/feed-formats/feed-error.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import type { FeedRow } from '../../src/feed-formats/row.ts';
import {
  batchKeys,
  countReason,
  isRejected,
  putLines,
  type RowLine,
  reasonCode,
} from '../../src/intake/batches/batch-files.ts';
import { type BatchRecord, PROGRESS } from '../../src/intake/batches/batch-record.ts';
import { readRowOutcomes } from '../../src/intake/batches/row-reader.ts';
import { feedKeys, type SourceMetadata } from '../../src/intake/feeds/feed-keys.ts';
import { type FeedRecord, toParseOptions } from '../../src/intake/feeds/feeds.ts';
import { KeptRow, readLines } from '../../src/intake/feeds/kept-rows.ts';
import type { FeedLoss, FeedPlan } from '../../src/intake/feeds/plan.ts';
import type { Services } from '../../src/services.ts';
import type { Region } from '../../src/taxonomy/dictionary/schema.ts';
import { shopPath } from '../../src/taxonomy/shop-path.ts';
import { PreviousImages } from './previous-images.ts';

/** A chunk ends at the first of these limits; the results of the previous run do not count. */
const MAX_CHUNK_ROWS = 500;
const MAX_CHUNK_CHARS = 1024 * 1024;
/** Of a title that is stored with each image of its product. */
const MAX_TITLE_CHARS = 150;

type Ingest = Pick<Services, 'batches' | 'blobs'>;

/** Cuts a title, not within a pair of surrogates. */
const shorten = (title: string): string =>
  title.slice(0, MAX_TITLE_CHARS).replace(/[\uD800-\uDBFF]$/, '');

/** Converts one row of a feed to lines numbered from `first`: one for each image, or one for its error. */
function toLines(item: FeedRow | RowError, first: number, region: Region | undefined): RowLine[] {
  const { line, id: customId } = item;
  if (item.kind === 'error') {
    const [reason] = item.reasons;
    const problem = {
      type: 'invalid-row',
      detail: item.detail,
      ...(reason && { code: reason.code }),
    };
    return [{ row: first, line, ...(customId && { customId }), problem }];
  }
  const urls = [item.imageLink, ...item.additionalImageLinks];
  const title = shorten(item.title?.trim() ?? '');
  const path = shopPath(item.productType);
  return urls.map((url, image) => ({
    row: first + image,
    line,
    customId: item.id,
    ...(title && { title }),
    ...(path && { shopPath: path }),
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

async function* noOutcomes(): AsyncGenerator<never> {}

/** Opens the results of the feed's last completed run, and those of rows that have left it. */
async function openPreviousImages(
  { batches, blobs }: Ingest,
  { client, id, lastCompletedRunId }: FeedRecord,
  signal: AbortSignal,
): Promise<PreviousImages> {
  const run = lastCompletedRunId === undefined ? undefined : await batches.get(lastCompletedRunId);
  const outcomes =
    run && run.status !== 'expired' ? readRowOutcomes({ batches, blobs }, run) : noOutcomes();
  const kept = readLines(blobs, feedKeys(client, id).kept, KeptRow);
  return PreviousImages.index(kept, outcomes, signal);
}

/** Rows are numbered below 2^24: a feed has a million rows of at most eleven images. */
const MAX_ROWS = 2 ** 24;

/** The first row with each link, in about 80 bytes each. */
class Links {
  readonly #first = new Map<string, number>();

  /** Names the first row with the same link, and where the garment is the same one. */
  withFirst(line: RowLine, chunk: number): RowLine {
    if (isRejected(line) || !('url' in line.source)) return line;
    const { row, region = '', source } = line;
    const hash = createHash('sha256').update(`${region}\n${source.url}`).digest();
    const link = hash.toString('latin1', 0, 12);
    const first = this.#first.get(link);
    if (first === undefined) {
      this.#first.set(link, chunk * MAX_ROWS + row);
      return line;
    }
    return { ...line, sameAs: { chunk: Math.floor(first / MAX_ROWS), row: first % MAX_ROWS } };
  }
}

const withPreviousImages = (
  lines: readonly RowLine[],
  previous: PreviousImages,
): Promise<RowLine[]> =>
  Promise.all(
    lines.map(async (line) => {
      const found = isRejected(line) ? undefined : await previous.find(line);
      if (!found) return line;
      const { photo: earlier, isOtherLink } = found;
      return { ...line, earlier, ...(isOtherLink && { isOtherLink }) };
    }),
  );

/** Appends one chunk to the run; returns false if the run is not open any more. */
async function appendChunk(
  { batches, blobs }: Ingest,
  run: BatchRecord,
  { chunk, first, lines, rows, line }: Chunk,
  signal: AbortSignal,
): Promise<boolean> {
  const key = batchKeys(run).rows(chunk);
  await putLines(blobs, key, lines, signal);
  const errors = lines.filter(isRejected);
  const reasons: Record<string, number> = {};
  for (const each of errors) countReason(reasons, reasonCode(each));
  const [accepted, rejected] = [lines.length - errors.length, errors.length];
  const upload = PROGRESS[run.kind](rows, line);
  const appended = { chunk, first, accepted, rejected, reasons, upload };
  if ((await batches.append(run.id, appended, undefined)) === 'appended') return true;
  const current = await batches.get(run.id);
  // An attempt that was presumed dead may be ahead, with the same rows.
  if (current?.status === 'open' && current.chunks > chunk) return true;
  if (!current || current.status === 'expired') await blobs.delete(key);
  return false;
}

/** Reads the feed of a dry run, and counts. @throws FeedError */
export async function planRun(
  services: Ingest,
  feed: FeedRecord,
  run: BatchRecord,
  metadata: SourceMetadata,
  signal: AbortSignal,
): Promise<FeedPlan> {
  const previous = await openPreviousImages(services, feed, signal);
  const links = new Links();
  const counts = { products: 0, links: 0, photos: 0, unreadable: 0 };
  try {
    const bytes = await services.blobs.open(feedKeys(feed.client, feed.id).source(run.id), signal);
    for await (const item of parseFeed(bytes, toParseOptions(run.reading ?? feed, metadata))) {
      if (item.kind === 'error') counts.unreadable++;
      else counts.products++;
      for (const line of toLines(item, 0, undefined)) {
        if (isRejected(line)) continue;
        counts.links++;
        await previous.find(line);
        const counted = links.withFirst(line, 0);
        if (!('sameAs' in counted)) counts.photos++;
      }
    }
    return { ...counts, units: counts.photos, loss: await previous.loss() };
  } finally {
    await previous.close();
  }
}

/**
 * Appends the rows of a run's document, except the chunks that an earlier attempt appended.
 * @returns the hash of the document, hex, and what the last completed run has and this one has not; undefined if the
 *   run was canceled meanwhile
 * @throws FeedError
 */
export async function ingestRows(
  services: Ingest,
  feed: FeedRecord,
  run: BatchRecord,
  metadata: SourceMetadata,
  signal: AbortSignal,
): Promise<{ sha256: string; loss: FeedLoss } | undefined> {
  const previous = await openPreviousImages(services, feed, signal);
  try {
    const bytes = await services.blobs.open(feedKeys(feed.client, feed.id).source(run.id), signal);
    const hash = createHash('sha256');
    const hashed = passing(bytes, (chunk) => hash.update(chunk));
    const items = parseFeed(hashed, toParseOptions(run.reading ?? feed, metadata));
    const links = new Links();
    for await (const chunk of toChunks(items, regionReader(run))) {
      const linked = chunk.lines.map((line) => links.withFirst(line, chunk.chunk));
      const lines = await withPreviousImages(linked, previous);
      if (chunk.chunk < run.chunks) continue;
      if (!(await appendChunk(services, run, { ...chunk, lines }, signal))) return undefined;
    }
    return { sha256: hash.digest('hex'), loss: await previous.loss() };
  } finally {
    await previous.close();
  }
}
