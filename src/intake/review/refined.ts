import { z } from 'zod';
import { extensionOf, type MediaType } from '../../output/options.ts';
import { CutOut, PreviousImage, type StoredCutOut } from '../../queue/job-data.ts';
import { batchPrefix } from '../batches/batch-files.ts';
import type { BatchRecord } from '../batches/batch-record.ts';
import type { RowOutcome } from '../batches/row-reader.ts';
import { feedKeys } from '../feeds/feed-keys.ts';
import type { ReviewRow } from './review-rows.ts';

/** A mended cut-out of a row: what differs from the one that was made first. */
const RefinedCutOut = CutOut.pick({
  bytes: true,
  mediaType: true,
  width: true,
  height: true,
  foreground: true,
  sha256: true,
  rules: true,
}).extend({
  key: z.string(),
  /** In feeds, as in `PreviousImage`. */
  picture: PreviousImage.shape.picture,
});
export type RefinedCutOut = z.infer<typeof RefinedCutOut>;

/** The mended cut-outs of a row. */
export const Refined = z.object({
  /** Of the file of the cut-out that was made first, hex. */
  original: z.string(),
  /** Of its confidence. */
  thousandths: z.number(),
  /** The oldest first; none if all are undone. The last one takes the place of the first cut-out. */
  versions: z.array(RefinedCutOut),
});
export type Refined = z.infer<typeof Refined>;

export interface MendedRows {
  /** By row. */
  refined: ReadonlyMap<number, Refined>;
  /** Of earlier runs of the feed, by the sha256 of the cut-out that was made first. */
  carriedRefined: ReadonlyMap<string, Refined>;
}

/** Returns the mended cut-outs of a row. @param sha256 of the cut-out that was made first */
export const refinedOf = (
  { refined, carriedRefined }: MendedRows,
  row: number,
  sha256: string,
): Refined | undefined => refined.get(row) ?? carriedRefined.get(sha256);

/** A row whose cut-out is the newest. */
export type MendedRow = ReviewRow & { refinements?: number };

/** Returns a row with its newest cut-out. */
export function withNewest(row: ReviewRow, mended: MendedRows): MendedRow {
  const { versions = [] } = refinedOf(mended, row.row, row.sha256) ?? {};
  const newest = versions.at(-1);
  if (!newest) return row;
  return { ...row, key: newest.key, sha256: newest.sha256, refinements: versions.length };
}

/** Returns a mended cut-out with what it has in common with the one that was made first. */
export function cutOutOf(made: StoredCutOut, { picture: _, ...file }: RefinedCutOut): StoredCutOut {
  const { foreground: __, ...rest } = made;
  return { ...rest, ...file };
}

/** Returns an outcome with its newest cut-out, and the picture made of it. */
export function outcomeWithNewest(outcome: RowOutcome, mended: MendedRows): RowOutcome {
  const { row, result } = outcome;
  if (result?.status !== 'succeeded' || !result.results.cutout) return outcome;
  const { cutout } = result.results;
  const { versions = [] } = refinedOf(mended, row.row, cutout.sha256) ?? {};
  const newest = versions.at(-1);
  if (!newest) return outcome;
  const results = { ...result.results, cutout: cutOutOf(cutout, newest) };
  const { picture } = newest;
  return { row, result: { ...result, results, picture }, refinements: versions.length };
}

/** What the keys of a mended cut-out contain. @param ref unique to the refinement */
export const refinedName = (ref: string): string => `refined-${ref}`;

/**
 * Returns keys for a new mended cut-out and its picture: among the other blobs of its batch, or in a run among the
 * images of its feed, with which they are deleted.
 */
export function refinedKeys(
  batch: Pick<BatchRecord, 'client' | 'id' | 'feedId'>,
  ref: string,
): (name: 'cutout' | 'picture', mediaType: MediaType) => string {
  const { client, feedId } = batch;
  const folder = feedId ? feedKeys(client, feedId).images : `${batchPrefix(batch)}refined/`;
  const unique = refinedName(ref);
  return (name, mediaType) =>
    `${folder}${unique}${name === 'picture' ? '-picture' : ''}.${extensionOf(mediaType)}`;
}
