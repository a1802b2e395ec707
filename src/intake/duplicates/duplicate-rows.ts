import { z } from 'zod';
import type { Fingerprint } from '../../queue/garment-view.ts';
import type { JobResults } from '../../queue/job-data.ts';
import { batchPrefix, chunkFile } from '../batches/batch-files.ts';
import type { RowOutcome } from '../batches/row-reader.ts';

/** Keys of what object storage holds of a batch's duplicates; deleted with the batch. */
export const duplicateKeys = (client: string, id: string) => {
  const prefix = `${batchPrefix(client, id)}duplicates/`;
  return {
    /** Rows of one chunk with a fingerprint; chunks without such rows have none. */
    chunk: (chunk: number): string => `${prefix}chunks/${chunkFile(chunk)}`,
    /** Groups of rows with the same picture, in the order of their first rows, in parts. */
    groups: (part: number): string => `${prefix}groups/${chunkFile(part)}`,
    /** Exists once everything is written. */
    summary: `${prefix}summary.json`,
  };
};

/** A row, as its client knows it. */
const RowName = z.object({
  row: z.number(),
  customId: z.string(),
  /** In feeds: which image of its product, 0 for the main one. */
  image: z.number().optional(),
});
export type RowName = z.infer<typeof RowName>;

/** A row that can be compared. */
export const FingerprintRow = RowName.extend({ fingerprint: z.string() });
export type FingerprintRow = z.infer<typeof FingerprintRow>;

/** One row of a group, and how alike its picture is to that of the first, 0..1. */
const DuplicateRow = RowName.extend({ similarity: z.number() });
export type DuplicateRow = z.infer<typeof DuplicateRow>;

/** A group of rows with the same picture, by its first row. */
export const DuplicateGroup = RowName.extend({
  /** Of the group, the first included. */
  rows: z.number(),
  /** The others in upload order, as far as they are listed. */
  duplicates: z.array(DuplicateRow),
});
export type DuplicateGroup = z.infer<typeof DuplicateGroup>;

/** What a row's images were compared by; undefined if nothing was cut out, or by a release without fingerprints. */
const fingerprintOfResults = ({ cutout, view, outfit }: JobResults): z.infer<typeof Fingerprint> =>
  cutout?.fingerprint ?? view?.fingerprint ?? outfit?.fingerprint;

/** Returns a row as it is compared; undefined if it cannot be. */
export function toFingerprintRow({ row, result }: RowOutcome): FingerprintRow | undefined {
  if (result?.status !== 'succeeded' || !('source' in row)) return undefined;
  const fingerprint = fingerprintOfResults(result.results);
  if (fingerprint === undefined) return undefined;
  const { customId, image } = row;
  return { row: row.row, customId, ...(image !== undefined && { image }), fingerprint };
}
