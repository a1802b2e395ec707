import { z } from 'zod';
import { type BatchRef, batchPrefix, chunkFile } from '../batches/batch-files.ts';
import type { RowOutcome } from '../batches/row-reader.ts';

/** Keys of what object storage holds of a batch's review; deleted with the batch. */
export const reviewKeys = (batch: BatchRef) => {
  const prefix = `${batchPrefix(batch)}review/`;
  return {
    prefix,
    /** Rows of one chunk that need a review, in upload order; chunks without such rows have none. */
    chunks: `${prefix}chunks/`,
    chunk: (chunk: number): string => `${prefix}chunks/${chunkFile(chunk)}`,
    /** The same rows of all chunks, the most doubtful first, in parts. */
    index: (part: number): string => `${prefix}index/${chunkFile(part)}`,
    /** Decisions of the run before about pictures that this run may have too. */
    carried: `${prefix}carried.ndjson`,
    /** Exists once all of the above are written. */
    summary: `${prefix}summary.json`,
    /** The latest decisions about each row. */
    decisions: `${prefix}decisions/`,
    decision: (row: number, revision: number): string =>
      `${prefix}decisions/${row}-${revision}.json`,
    rules: `${prefix}rules/`,
    /** One for each confidence, thousandths: the latest approval from there on. */
    rule: (min: number): string => `${prefix}rules/${min}.json`,
  };
};

/** A row with a cut-out, as a person reviews it. */
export const ReviewRow = z.object({
  row: z.number(),
  customId: z.string().meta({ description: 'In feeds, the id of the product' }),
  title: z.string().optional().meta({ description: 'In feeds, of the product' }),
  shopPath: z.string().optional().meta({
    description: "In feeds: the product's category in its shop, normalised",
  }),
  image: z.number().optional().meta({ description: 'In feeds: of its product, 0 is the main one' }),
  imageUrl: z.string().optional(),
  /** 0..1 */
  confidence: z.number(),
  needed: z.boolean(),
  reasons: z.array(z.string()),
  /** Blob key of the cut-out. */
  key: z.string(),
  /** Of the cut-out's file, hex: the picture that is decided about, in this run of a feed and in the next. */
  sha256: z.string(),
  /** Of the file of the image, hex. */
  inputSha256: z.string(),
});
export type ReviewRow = z.infer<typeof ReviewRow>;

/** Returns a row as it is reviewed; undefined if it has no cut-out. */
export function toReviewRow({ row, result }: RowOutcome): ReviewRow | undefined {
  if (result?.status !== 'succeeded' || !('source' in row)) return undefined;
  const { cutout } = result.results;
  if (!cutout) return undefined;
  const { needed = false, reasons = [] } = cutout.review ?? {};
  return {
    row: row.row,
    customId: row.customId,
    ...(row.title !== undefined && { title: row.title }),
    ...(row.shopPath !== undefined && { shopPath: row.shopPath }),
    ...(row.image !== undefined && { image: row.image }),
    ...('url' in row.source && { imageUrl: row.source.url }),
    confidence: cutout.confidence,
    needed,
    reasons,
    key: cutout.key,
    sha256: cutout.sha256,
    inputSha256: result.input.sha256,
  };
}

/** Confidences are compared in thousandths, so that rows can be counted by them. */
export const thousandths = (confidence: number): number => Math.round(confidence * 1000);
