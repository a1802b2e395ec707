import { z } from 'zod';
import { DuplicateCounts } from '../../../intake/batches/batch-record.ts';
import { DuplicateOf } from '../../../intake/batches/row-reader.ts';
import { DuplicateGroup } from '../../../intake/duplicates.ts';
import { PageLinks } from '../page.ts';

export const DuplicateOfField = DuplicateOf.meta({ id: 'DuplicateOf' })
  .optional()
  .meta({ description: 'The first row with the same picture, since the end of the processing' });

export const DuplicateCountsField = DuplicateCounts.meta({ id: 'DuplicateCounts' });

export const DuplicatesQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.coerce.number().int().min(0).default(0).meta({ description: 'As in `links.next`' }),
});
export type DuplicatesQuery = z.infer<typeof DuplicatesQuery>;

export const DuplicatesPage = z
  .object({
    duplicates: DuplicateCountsField,
    groups: z.array(DuplicateGroup.meta({ id: 'DuplicateGroup' })),
    links: PageLinks,
  })
  .meta({ id: 'DuplicatesPage' });
