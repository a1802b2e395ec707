import { z } from 'zod';
import { FEED_FORMATS, type FeedManifest } from '../../../intake/feeds/feeds.ts';
import { scheduleError } from '../../../intake/feeds/schedules.ts';
import { optionsOf, type Quality } from '../../../output/quality.ts';
import { defaultJobOptions, Operations, QualityField, WebhookField } from '../job-request.ts';

const DAY_SECONDS = 86_400;
/** How long a run and its pictures are kept where no newer ones take their place, seconds. */
const KEPT_SECONDS = { least: 3600, most: 400 * DAY_SECONDS, usual: 365 * DAY_SECONDS } as const;

const FeedUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((link) => {
    if (!URL.canParse(link)) return false;
    const { username, password } = new URL(link);
    return username === '' && password === '';
  }, 'must carry no user name or password')
  .meta({ description: 'http or https; read anew by each run, from public addresses only' });

const Background = z
  .string()
  .toLowerCase()
  .regex(/^(#[0-9a-f]{6}|white|none)$/, 'must be a colour such as #ffffff, white, or none')
  .meta({ description: 'What is behind the subject in the pictures: a colour, or none' })
  .transform((word) => (word === 'white' ? '#ffffff' : word))
  .transform((word) => (word === 'none' ? undefined : word));

const Schedule = z
  .string()
  .max(100)
  .superRefine((pattern, context) => {
    const message = scheduleError(pattern);
    if (message) context.addIssue({ code: 'custom', message });
  })
  .meta({ description: 'Five fields of cron, in UTC: `30 4 * * *` is every day at 04:30' });

const OutputSeconds = z.coerce
  .number()
  .int()
  .min(KEPT_SECONDS.least)
  .max(KEPT_SECONDS.most)
  .default(KEPT_SECONDS.usual)
  .meta({
    description:
      'How long a run is kept after its end, and the pictures after that of the last run',
  });

const Format = z.enum(FEED_FORMATS).default('auto');
const usualOperations = Operations.default(['remove-background']);

/** A feed by its address. */
export const FeedJson = z.strictObject({
  url: FeedUrl,
  format: Format,
  operations: usualOperations,
  options: defaultJobOptions,
  schedule: Schedule.optional(),
  export: z.strictObject({ background: Background.optional() }).default({}),
  retention: z
    .strictObject({ outputSeconds: OutputSeconds })
    .default(() => ({ outputSeconds: KEPT_SECONDS.usual })),
  webhook: WebhookField.optional().meta({ description: 'Told at the end of each run' }),
});

/** Beside a feed that is sent as the body itself; all of it is passed over with an address. */
export const FeedQuery = z.object({
  format: Format,
  operations: z.preprocess(
    (text) => (typeof text === 'string' ? text.split(',').map((word) => word.trim()) : text),
    usualOperations,
  ),
  quality: QualityField,
  background: Background.optional(),
  outputSeconds: OutputSeconds,
  webhookUrl: WebhookField.shape.url.optional(),
  fileName: z.string().max(200).optional(),
});
export type FeedQuery = z.infer<typeof FeedQuery>;

/** What a client wants of a feed, however it said so. */
export type CreateFeedRequest = Pick<
  FeedManifest,
  | 'source'
  | 'format'
  | 'operations'
  | 'options'
  | 'schedule'
  | 'export'
  | 'outputSeconds'
  | 'webhook'
>;

/** Nothing where all is as usual. */
function withOptions(quality: Quality) {
  const options = optionsOf(quality);
  return options.quality ? { options } : {};
}

const asExport = (background: string | undefined) => (background ? { background } : {});

export function requestFromJson(json: z.infer<typeof FeedJson>): CreateFeedRequest {
  const { url, format, operations, schedule, retention, webhook } = json;
  return {
    ...{ source: { url }, format, operations, ...retention },
    ...withOptions(json.options.quality),
    ...(schedule && { schedule }),
    export: asExport(json.export.background),
    ...(webhook && { webhook }),
  };
}

export function requestFromQuery(query: FeedQuery): CreateFeedRequest {
  const { format, operations, background, outputSeconds, webhookUrl } = query;
  return {
    ...{ source: { uploaded: true }, format, operations, outputSeconds },
    ...withOptions(query.quality),
    export: asExport(background),
    ...(webhookUrl && { webhook: { url: webhookUrl } }),
  };
}

/** The media types that feeds are sent with. */
export const FEED_MEDIA_TYPES = [
  ...['text/csv', 'application/csv', 'text/tab-separated-values', 'application/x-ndjson'],
  ...['application/ndjson', 'application/jsonl', 'application/xml', 'text/xml'],
  ...['application/rss+xml', 'application/atom+xml'],
] as const;

export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

export const REPORT_FORMATS = ['html', 'csv', 'ndjson'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
export const ReportQuery = z.object({
  format: z
    .enum(REPORT_FORMATS)
    .optional()
    .meta({ description: 'Without it `Accept` decides, and NDJSON is sent to who takes anything' }),
});
