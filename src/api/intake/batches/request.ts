import { z } from 'zod';
import {
  jobOptionsField,
  Operations,
  OUTPUT_SECONDS,
  Retention,
  WebhookField,
} from '../job-request.ts';

/** What a client says of a new batch. */
export const CreateBatchRequest = z.strictObject({
  name: z.string().trim().min(1).max(200).optional(),
  operations: Operations.default(['remove-background']),
  options: jobOptionsField,
  retention: Retention.default(() => ({ outputSeconds: OUTPUT_SECONDS.usual })),
  webhook: WebhookField.optional().meta({ description: 'Told at the end of the batch' }),
});
export type CreateBatchRequest = z.infer<typeof CreateBatchRequest>;

/** Where an upload goes on. */
export const ItemsQuery = z.object({
  offset: z.coerce.number().int().min(0).optional().meta({
    description:
      'Goes on with an upload that broke off: its remaining bytes from here, of a form its remaining files. Without it a new upload begins.',
  }),
});
export type ItemsQuery = z.infer<typeof ItemsQuery>;

/** Where a download goes on. */
export const RowsQuery = z.object({
  after: z.coerce.number().int().min(0).optional().meta({
    description: 'Leaves out the rows up to this number, counted from 0',
  }),
});
export type RowsQuery = z.infer<typeof RowsQuery>;

export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  before: z.string().max(100).optional().meta({ description: 'The last id of the page before' }),
});
export type ListQuery = z.infer<typeof ListQuery>;

/** For the document: one line of an upload. */
export const ItemRow = z.object({
  customId: z.string().max(256),
  imageUrl: z.string().optional(),
  imageBase64: z.string().optional(),
});

export const NDJSON = 'application/x-ndjson';

/** How the body of an upload is written, by its media type. */
export const ITEM_FORMATS: Readonly<Record<string, 'ndjson' | 'csv' | 'files'>> = {
  [NDJSON]: 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'text/csv': 'csv',
  'multipart/form-data': 'files',
};
