import { z } from 'zod';
import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import { named, namedRequest } from '../../schema.ts';
import {
  jobOptionsField,
  Operations,
  OUTPUT_SECONDS,
  Retention,
  WebhookField,
} from '../job-request.ts';
import { exportPolicyField } from '../review/export-policy.ts';

export const CreateBatchRequest = namedRequest('BatchRequest', {
  name: z.string().trim().min(1).max(200).optional(),
  operations: Operations.default(['remove-background']),
  options: jobOptionsField,
  retention: Retention.default(() => ({ outputSeconds: OUTPUT_SECONDS.default })),
  webhook: WebhookField.optional().meta({ description: 'Notified at the end of the batch' }),
});
export type CreateBatchRequest = z.infer<typeof CreateBatchRequest>;

/** Where to resume an upload. */
export const ItemsQuery = z.object({
  offset: z.coerce.number().int().min(0).optional().meta({
    description:
      'Resumes an interrupted upload: send the remaining bytes from here, the remaining files of a form, or a feed as a whole. Without it, a new upload begins.',
  }),
});
export type ItemsQuery = z.infer<typeof ItemsQuery>;

/** Where to resume a download. */
export const RowsQuery = z.object({
  after: z.coerce.number().int().min(0).optional().meta({
    description: 'Omits the rows up to this number, counted from 0',
  }),
});

/** The same, and which cut-outs to report. */
export const ReportQuery = RowsQuery.extend({ export: exportPolicyField });
export type ReportQuery = Partial<z.infer<typeof ReportQuery>>;

export const ItemRow = named('BatchItem', {
  customId: z.string().max(256),
  imageUrl: z.string().optional(),
  imageBase64: z.string().optional(),
});

export const NDJSON = 'application/x-ndjson';

/** The format of an upload by its media type; CSV and NDJSON may turn out to be a feed. */
export const ITEM_FORMATS: Readonly<Record<string, 'ndjson' | 'csv' | 'files' | 'feed'>> = {
  ...Object.fromEntries(FEED_MEDIA_TYPES.map((type) => [type, 'feed' as const])),
  [NDJSON]: 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'text/csv': 'csv',
  'multipart/form-data': 'files',
};
