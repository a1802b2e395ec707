import { z } from 'zod';
import type { Blobs } from '../../storage/blobs.ts';
import {
  type BatchRef,
  batchKeys,
  getJson,
  getRows,
  putChunk,
  putJson,
  putLines,
  ResultLine,
} from '../batches/batch-files.ts';
import type { BatchRecord } from '../batches/batch-record.ts';
import type { RowOutcome } from '../batches/row-reader.ts';
import { DECISIONS, type Decided, decisionInEffect, type ReviewDecisions } from './decisions.ts';
import { Refined } from './refined.ts';
import { ReviewRow, reviewKeys, thousandths, toReviewRow } from './review-rows.ts';

/** Rows in one part of the index. */
export const INDEX_PART_ROWS = 500;
/** The index holds the most doubtful rows: more than people look at, and little enough to sort in memory. */
const MAX_INDEXED = { rows: 50_000, chars: 32 * 1024 * 1024 };

/** A decision of an earlier run about a picture. */
const Carried = z.object({
  /** Of the cut-out, hex. */
  sha256: z.string(),
  decision: z.enum(DECISIONS),
  /** Who decided, when, and in which run. */
  keyId: z.string(),
  at: z.iso.datetime(),
  runId: z.string(),
  /** Whether it was about this very picture; false if a bulk approval included it. */
  isOwn: z.boolean(),
  /** If it is mended: its newest version, and the cut-out that was made first. */
  refined: Refined.optional(),
});
type Carried = z.infer<typeof Carried>;

/** Decisions of earlier runs, by the cut-out's sha256. */
export type CarriedDecisions = ReadonlyMap<string, Carried>;

const Summary = z.object({
  needed: z.number(),
  approved: z.number(),
  rejected: z.number(),
  pending: z.record(z.string(), z.number()),
  /** Rows with each reason. Reviews that began under an older release lack it. */
  reasons: z.record(z.string(), z.number()).optional(),
  /** Rows in the index. */
  indexed: z.number(),
});
/** What a review began with. */
export type ReviewSummary = z.infer<typeof Summary>;

/** Stores the rows of a chunk that need a review. Idempotent. */
export const putReviewChunk = (
  blobs: Blobs,
  batch: BatchRef,
  chunk: number,
  outcomes: Iterable<RowOutcome>,
): Promise<void> =>
  putChunk(blobs, reviewKeys(batch).chunk(chunk), outcomes, (outcome) => {
    const row = toReviewRow(outcome);
    return row?.needed ? row : undefined;
  });

/** Yields all rows of a batch that need a review, chunk by chunk. */
async function* neededRows(blobs: Blobs, batch: BatchRef): AsyncGenerator<ReviewRow> {
  for await (const { key } of blobs.list(reviewKeys(batch).chunks))
    yield* await getRows(blobs, key, ReviewRow);
}

interface IndexLine {
  confidence: number;
  row: number;
  json: string;
}

const byDoubt = (a: IndexLine, b: IndexLine): number =>
  a.confidence - b.confidence || a.row - b.row;

/** Returns the first of the sorted lines, as many as the index may hold. */
function withinLimits(lines: IndexLine[]): IndexLine[] {
  let chars = 0;
  const end = lines.findIndex(({ json }, i) => {
    chars += json.length;
    return i >= MAX_INDEXED.rows || chars > MAX_INDEXED.chars;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

/** Collects the most doubtful rows, with a bounded number of them in memory. */
function createIndexCollector() {
  let lines: IndexLine[] = [];
  let chars = 0;
  const sorted = (): IndexLine[] => withinLimits(lines.sort(byDoubt));
  return {
    add(row: ReviewRow): void {
      const json = JSON.stringify(row);
      lines.push({ confidence: row.confidence, row: row.row, json });
      chars += json.length;
      if (lines.length < 2 * MAX_INDEXED.rows && chars < 2 * MAX_INDEXED.chars) return;
      lines = sorted();
      chars = lines.reduce((sum, line) => sum + line.json.length, 0);
    },
    sorted,
  };
}

async function putIndex(blobs: Blobs, batch: BatchRef, lines: readonly IndexLine[]): Promise<void> {
  const keys = reviewKeys(batch);
  for (let first = 0; first < lines.length; first += INDEX_PART_ROWS) {
    const part = lines.slice(first, first + INDEX_PART_ROWS).map(({ json }) => `${json}\n`);
    const mediaType = 'application/x-ndjson';
    const key = keys.index(first / INDEX_PART_ROWS);
    await blobs.put(key, Buffer.from(part.join('')), { mediaType });
  }
}

/** Returns the sha256 of all cut-outs of a batch whose results are written. */
async function readCutOutHashes(blobs: Blobs, batch: BatchRef): Promise<Set<string>> {
  const hashes = new Set<string>();
  for await (const { key } of blobs.list(batchKeys(batch).allResults)) {
    for (const result of await getRows(blobs, key, ResultLine)) {
      const cutout = result.status === 'succeeded' && result.results.cutout;
      if (cutout) hashes.add(cutout.sha256);
    }
  }
  return hashes;
}

/** Leaves out mended cut-outs whose files are deleted: of pictures that the feed has not had for a while. */
async function withoutUnusedRefinements(
  blobs: Blobs,
  batch: BatchRef,
  carried: CarriedDecisions,
): Promise<CarriedDecisions> {
  if (carriedRefined(carried).size === 0) return carried;
  const hashes = await readCutOutHashes(blobs, batch);
  const left = new Map<string, Carried>();
  for (const [sha256, each] of carried) {
    const { refined } = each;
    const newest = refined?.versions.at(-1);
    const isUsed = !refined || hashes.has(refined.original);
    if (isUsed || (newest && (await blobs.head(newest.key)))) left.set(sha256, each);
  }
  return left;
}

/**
 * Writes the review of a batch whose chunks are written: the index, the decisions of the run before, and last the
 * summary. Repeated, it returns what it wrote first.
 */
export async function putReview(
  blobs: Blobs,
  batch: BatchRef,
  readCarried: () => Promise<CarriedDecisions>,
): Promise<ReviewSummary> {
  const known = await getSummary(blobs, batch);
  if (known) return known;
  const keys = reviewKeys(batch);
  const carried = await withoutUnusedRefinements(blobs, batch, await readCarried());
  const mended = carriedRefined(carried);
  const start = { needed: 0, approved: 0, rejected: 0, pending: {} as Record<string, number> };
  const reasons: Record<string, number> = {};
  const collector = createIndexCollector();
  const used = new Set<string>();
  for await (const row of neededRows(blobs, batch)) {
    collector.add(row);
    start.needed++;
    for (const reason of row.reasons) reasons[reason] = (reasons[reason] ?? 0) + 1;
    const sha256 = mended.get(row.sha256)?.versions.at(-1)?.sha256 ?? row.sha256;
    const decision = carried.get(sha256)?.decision ?? 'pending';
    const at = thousandths(row.confidence);
    if (decision === 'pending') start.pending[at] = (start.pending[at] ?? 0) + 1;
    else {
      start[decision]++;
      used.add(sha256);
    }
  }
  const lines = collector.sorted();
  await putIndex(blobs, batch, lines);
  // Pictures that need no review are not known here, so decisions about them are carried on.
  const carriedOn = [...carried.values()].filter(({ sha256, isOwn }) => isOwn || used.has(sha256));
  if (carriedOn.length > 0) await putLines(blobs, keys.carried, carriedOn);
  const summary = { ...start, reasons, indexed: lines.length };
  await putJson(blobs, keys.summary, summary);
  return summary;
}

/** Returns what the review of a batch began with; undefined if it has none. */
export const getSummary = async (
  blobs: Blobs,
  batch: BatchRef,
): Promise<ReviewSummary | undefined> =>
  Summary.safeParse(await getJson(blobs, reviewKeys(batch).summary)).data;

export async function getCarried(blobs: Blobs, batch: BatchRef): Promise<CarriedDecisions> {
  const carried = await getRows(blobs, reviewKeys(batch).carried, Carried);
  return new Map(carried.map((each) => [each.sha256, each]));
}

/** Returns the mended cut-outs of the run before, by the cut-out that was made first. */
export const carriedRefined = (carried: CarriedDecisions): Map<string, Refined> =>
  new Map(
    [...carried.values()].flatMap(({ refined }) => (refined ? [[refined.original, refined]] : [])),
  );

/** Reads one part of the index, the most doubtful rows first. */
export const getIndexPart = (blobs: Blobs, batch: BatchRef, part: number): Promise<ReviewRow[]> =>
  getRows(blobs, reviewKeys(batch).index(part), ReviewRow);

/** Decisions about single pictures that one run hands to the next: the latest ones. */
const MAX_CARRIED = 50_000;

const NONE: CarriedDecisions = new Map();

interface Reviewed {
  blobs: Blobs;
  reviews: Pick<ReviewDecisions, 'readAll'>;
}

/** Applies the decisions about single rows, in the order in which they were made. */
function applyDecisions(carried: Map<string, Carried>, { decisions }: Decided, runId: string) {
  const inOrder = [...decisions.values()].sort((a, b) => a.sequence - b.sequence);
  for (const { decision, keyId, at, version } of inOrder) {
    const sha256 = version.cutout;
    const { refined } = carried.get(sha256) ?? {};
    carried.delete(sha256); // the latest decisions are the last
    if (decision === 'pending' && !refined) continue;
    const line = { sha256, decision, keyId, at, runId, isOwn: true };
    carried.set(sha256, { ...line, ...(refined && { refined }) });
  }
}

/**
 * Adds the newest version of each mended cut-out, with its decision: also while nobody has approved it, or somebody
 * would have to mend it again.
 */
function applyRefinements(carried: Map<string, Carried>, decided: Decided, runId: string) {
  const newestOf = new Map(
    [...carriedRefined(carried)].map(([original, { versions }]) => [original, versions.at(-1)]),
  );
  const inOrder = [...decided.refined]
    .map(([row, refined]) => ({ refined, own: decided.decisions.get(row) }))
    .sort((a, b) => (a.own?.sequence ?? 0) - (b.own?.sequence ?? 0));
  for (const { refined, own } of inOrder) {
    const { original, versions } = refined;
    const before = newestOf.get(original);
    if (before) carried.delete(before.sha256);
    const newest = versions.at(-1);
    newestOf.set(original, newest);
    if (!newest || !own) continue;
    const { sha256 } = newest;
    const decision = decisionInEffect(decided, own, undefined, refined.thousandths);
    const { keyId, at } = own;
    carried.delete(sha256); // the latest are the last
    const onlyNewest = { ...refined, versions: [newest] };
    const line = { sha256, decision, keyId, at, runId, isOwn: true, refined: onlyNewest };
    carried.set(sha256, line);
  }
}

/** Adds the pictures that bulk approvals have approved. @param mended in earlier runs, by the first cut-out */
async function applyRules(
  { blobs }: Reviewed,
  carried: Map<string, Carried>,
  mended: ReadonlyMap<string, Refined>,
  decided: Decided,
  run: BatchRecord,
): Promise<void> {
  const rule = decided.rules.at(-1);
  if (!rule) return;
  const { keyId, at } = rule;
  for await (const made of neededRows(blobs, run)) {
    if (decided.refined.has(made.row)) continue;
    const sha256 = mended.get(made.sha256)?.versions.at(-1)?.sha256 ?? made.sha256;
    const known = carried.get(sha256);
    if (known && known.decision !== 'pending') continue;
    const own = decided.decisions.get(made.row);
    const decision = decisionInEffect(decided, own, undefined, thousandths(made.confidence));
    if (decision === 'pending') continue;
    const by = { decision, keyId, at, runId: run.id };
    carried.set(sha256, { sha256, isOwn: false, ...known, ...by });
  }
}

/**
 * Returns the decisions in effect in a completed run, and its mended cut-outs, for the run that follows it: the same
 * cut-out needs no second look.
 */
export async function carriedFrom(
  deps: Reviewed,
  run: BatchRecord | undefined,
): Promise<CarriedDecisions> {
  if (!run?.review || run.status === 'expired') return NONE;
  const decided = await deps.reviews.readAll(run.id);
  const carried = new Map(await getCarried(deps.blobs, run));
  const mended = carriedRefined(carried);
  applyDecisions(carried, decided, run.id);
  applyRefinements(carried, decided, run.id);
  await applyRules(deps, carried, mended, decided, run);
  const own = [...carried.values()].filter(({ isOwn }) => isOwn);
  for (const { sha256 } of own.slice(0, Math.max(0, own.length - MAX_CARRIED)))
    carried.delete(sha256);
  return carried;
}
