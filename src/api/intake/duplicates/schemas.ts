import { z } from 'zod';
import { PageLinks } from '../page.ts';

const similarity = z.number().min(0).max(1).meta({
  description: 'Of the two pictures, in thousandths: 0.9 and more is the same picture',
});

const rowFields = {
  row: z.number(),
  customId: z.string().meta({ description: 'In feeds, the id of the product' }),
  image: z.number().optional().meta({ description: 'In feeds: of its product, 0 is the main one' }),
};

/** For the OpenAPI document: the first row with the same picture. */
export const DuplicateOfField = z
  .object({ ...rowFields, similarity })
  .meta({ id: 'DuplicateOf' })
  .optional()
  .meta({ description: 'The first row with the same picture, since the end of the processing' });

/** For the OpenAPI document: how many rows have the same picture. */
export const DuplicateCountsField = z
  .object({
    compared: z.number().meta({ description: 'Rows whose pictures were compared' }),
    groups: z.number(),
    rows: z.number().meta({ description: 'Rows that repeat the picture of an earlier one' }),
  })
  .meta({ id: 'DuplicateCounts' });

/** Which groups to return. */
export const DuplicatesQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.coerce.number().int().min(0).default(0).meta({ description: 'As in `links.next`' }),
});
export type DuplicatesQuery = z.infer<typeof DuplicatesQuery>;

/** For the OpenAPI document: groups of rows with the same picture. */
export const DuplicatesPage = z
  .object({
    duplicates: DuplicateCountsField,
    groups: z.array(
      z
        .object({
          ...rowFields,
          rows: z.number().meta({ description: 'Rows of the group, this first one included' }),
          duplicates: z
            .array(z.object({ ...rowFields, similarity }).meta({ id: 'DuplicateRow' }))
            .meta({ description: 'The next 19 rows at most, in upload order' }),
        })
        .meta({ id: 'DuplicateGroup' }),
    ),
    links: PageLinks,
  })
  .meta({ id: 'DuplicatesPage' });
