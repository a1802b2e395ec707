import { batchKeys, putLines, type ResultLine } from '../../src/intake/batches/batch-files.ts';
import type { BatchRecord } from '../../src/intake/batches/batch-record.ts';
import type { Batches } from '../../src/intake/batches/batches.ts';
import { joinResults } from '../../src/intake/batches/row-reader.ts';
import type { ReviewDecisions } from '../../src/intake/review/decisions.ts';
import { putReview, putReviewChunk } from '../../src/intake/review/review-files.ts';
import type { Blobs } from '../../src/storage/blobs.ts';

const CHUNK_ROWS = 500;

interface EndedBatchDeps {
  batches: Batches;
  reviews: Pick<ReviewDecisions, 'begin'>;
  blobs: Blobs;
}

/** A batch to plant. */
interface EndedBatch {
  id: string;
  client: string;
  rows: number;
  at: string;
  expiresAt: string;
  /** The blob of every cut-out, with its length and SHA-256. */
  cutout: { key: string; bytes: number; sha256: string };
}

type Cutout = NonNullable<Extract<ResultLine, { status: 'succeeded' }>['results']['cutout']>;

/** The result of a row whose image was cut out. */
export const cutOutLine = (row: number, cutout: Partial<Cutout>): ResultLine => ({
  row,
  status: 'succeeded',
  unchanged: false,
  input: { sha256: 'a'.repeat(64), bytes: 1, width: 1, height: 1 },
  results: {
    cutout: {
      key: 'out/a',
      width: 1,
      height: 1,
      bytes: 1,
      mediaType: 'image/png',
      sha256: 'a',
      model: 'm@1',
      confidence: 1,
      ...cutout,
    },
  },
});

/** All need a review; the first rows are the most doubtful, and odd ones are blurred. */
const resultOf = (row: number, { rows, cutout }: EndedBatch): ResultLine =>
  cutOutLine(row, {
    ...cutout,
    confidence: row / rows,
    review: { needed: true, reasons: row % 2 ? ['blurred'] : ['gap-unsure'] },
  });

/** Writes a batch with its review, as the worker does at its end, without processing any image. */
export async function plantEndedBatch(
  { batches, reviews, blobs }: EndedBatchDeps,
  planted: EndedBatch,
): Promise<BatchRecord> {
  const { id, client, rows, at, expiresAt } = planted;
  const batch = {
    id,
    kind: 'batch' as const,
    client,
    requestId: 'r',
    operations: ['remove-background' as const],
    outputSeconds: 3600,
    createdAt: at,
    expiresAt,
  };
  await batches.create(batch);
  const keys = batchKeys({ client, id });
  for (let first = 0, chunk = 0; first < rows; first += CHUNK_ROWS, chunk++) {
    const numbers = Array.from({ length: Math.min(CHUNK_ROWS, rows - first) }, (_, i) => first + i);
    const lines = numbers.map((row) => ({
      row,
      line: row + 1,
      customId: `sku-${row}`,
      source: { url: 'http://shop.example/a.jpg' },
    }));
    const results = numbers.map((row) => resultOf(row, planted));
    await putLines(blobs, keys.rows(chunk), lines);
    await putLines(blobs, keys.results(chunk), results);
    await putReviewChunk(blobs, batch, chunk, joinResults(lines, results));
    const upload = { format: 'ndjson' as const, offset: 0, line: 0, rows: 0 };
    const appended = { chunk, first, accepted: lines.length, rejected: 0, upload };
    await batches.append(id, appended, undefined);
  }
  const start = await putReview(blobs, batch, async () => new Map());
  await reviews.begin(id, start, at);
  const record = await batches.get(id);
  if (!record) throw new Error('the batch was not created');
  return record;
}
