import { z } from 'zod';
import type { BatchRecord } from '../../intake/batches/batch-record.ts';
import { BATCH_TERMINAL_STATUSES, DuplicateCounts } from '../../intake/batches/batch-record.ts';
import { DuplicateOf } from '../../intake/batches/row-reader.ts';
import { DuplicateGroup, readGroups } from '../../intake/duplicates.ts';
import { Problem } from '../../platform/problem.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { named } from '../schema.ts';
import { RETRY_SOON } from './job-response.ts';
import { PageLinks } from './page.ts';

export const DuplicateOfField = DuplicateOf.meta({ id: 'DuplicateOf' })
  .optional()
  .meta({ description: 'The first row with the same picture, since the end of the processing' });

export const DuplicateCountsField = DuplicateCounts.meta({ id: 'DuplicateCounts' });

export const DuplicatesQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.coerce.number().int().min(0).default(0).meta({ description: 'As in `links.next`' }),
});
export type DuplicatesQuery = z.infer<typeof DuplicatesQuery>;

export const DuplicatesPage = named('DuplicatesPage', {
  duplicates: DuplicateCountsField,
  groups: z.array(DuplicateGroup.meta({ id: 'DuplicateGroup' })),
  links: PageLinks,
});

/** @throws Problem conflict if the rows of the batch or run were not compared */
function requireDuplicates({ status, duplicates }: BatchRecord) {
  if (duplicates) return duplicates;
  if (BATCH_TERMINAL_STATUSES.includes(status)) {
    const detail =
      'Nothing was compared: no row was processed, or by a release without fingerprints';
    throw new Problem('conflict', detail);
  }
  const detail = 'Pictures are compared when all rows are processed';
  throw new Problem('conflict', detail, { headers: RETRY_SOON });
}

export async function readDuplicates(
  blobs: Blobs,
  batch: BatchRecord,
  path: string,
  query: DuplicatesQuery,
): Promise<object> {
  const duplicates = requireDuplicates(batch);
  const { groups, next } = await readGroups(blobs, batch, query);
  const links = { next: `${path}?limit=${query.limit}&cursor=${next}` };
  return { duplicates, groups, ...(next !== undefined && { links }) };
}
