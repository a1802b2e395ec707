import { z } from 'zod';
import type { Fingerprint, JobResults } from '../../queue/job-data.ts';
import { batchPrefix, chunkFile } from '../batches/batch-files.ts';
import { DuplicateOf, RowName, type RowOutcome } from '../batches/row-reader.ts';

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

export const FingerprintRow = RowName.extend({ fingerprint: z.string() });
export type FingerprintRow = z.infer<typeof FingerprintRow>;

/** A group of rows with the same picture, by its first row. */
export const DuplicateGroup = RowName.extend({
  rows: z.number().meta({ description: 'Rows of the group, this first one included' }),
  duplicates: z
    .array(DuplicateOf.meta({ id: 'DuplicateRow' }))
    .meta({ description: 'The next 19 rows at most, in upload order' }),
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
