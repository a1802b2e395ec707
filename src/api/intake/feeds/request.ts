import { z } from 'zod';
import type { FilledColumn } from '../../../feed-formats/columns.ts';
import { FeedMapping } from '../../../feed-formats/mapping.ts';
import type { AccessRequest, FeedManifest } from '../../../intake/feeds/feeds.ts';
import { FEED_FORMAT_CHOICES } from '../../../intake/feeds/plan.ts';
import { scheduleError } from '../../../intake/feeds/schedules.ts';
import { optionsAt } from '../../../output/option-table.ts';
import { checkConflicts, fieldsAt, optionFields } from '../../../output/request.ts';
import { jsonOr } from '../../../platform/json.ts';
import { namedRequest } from '../../schema.ts';
import { feedOptionsField, Operations, WebhookField } from '../job-request.ts';
import { exportPolicyField } from '../review/export-policy.ts';

const DAY_SECONDS = 86_400;
/** How long a run and its pictures are retained unless newer ones replace them, seconds. */
const OUTPUT_SECONDS = { min: 3600, max: 400 * DAY_SECONDS, default: 365 * DAY_SECONDS } as const;

const FeedUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .meta({
    description:
      'http or https, without a user name or password; fetched by each run, from public IP addresses only',
  });

const Background = z
  .string()
  .toLowerCase()
  .regex(/^(#[0-9a-f]{6}|white|none)$/, 'must be a colour such as #ffffff, white, or none')
  .meta({ description: 'The background of the pictures: a colour, or none' })
  .transform((color) => (color === 'white' ? '#ffffff' : color))
  .transform((color) => (color === 'none' ? undefined : color));

const Schedule = z
  .string()
  .max(100)
  .superRefine((pattern, context) => {
    const message = scheduleError(pattern);
    if (message) context.addIssue({ code: 'custom', message });
  })
  .meta({
    description: 'A cron expression with five fields, in UTC: `30 4 * * *` is every day at 04:30',
  });

const OutputSeconds = z.coerce
  .number()
  .int()
  .min(OUTPUT_SECONDS.min)
  .max(OUTPUT_SECONDS.max)
  .default(OUTPUT_SECONDS.default)
  .meta({
    description:
      'How long a run is retained after its end, and the pictures after the end of the last run',
  });

const Format = z.enum(FEED_FORMAT_CHOICES).default('auto');
const operationsField = Operations.default(['remove-background']);

const Text = z.string().regex(/^[\x20-\x7e]*$/, 'must be ASCII without line breaks');

/** A header, but for those that requests have anyway, or that would change how they are framed. */
const HEADER =
  /^(?!(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept.*|if-.*|range|user-agent|referer)$)[\w-]{1,64}$/i;

/** What protected servers need. */
const Access = z
  .strictObject({
    username: z
      .string()
      .max(200)
      .regex(/^[^:]*$/, 'must not have a colon')
      .meta({ description: 'Of basic authentication' }),
    password: z.string().max(1000),
    headers: z
      .record(z.string(), Text.max(4000))
      .refine((headers) => Object.keys(headers).length <= 10, 'must be ten headers at most')
      .refine(
        (headers) => Object.keys(headers).every((name) => HEADER.test(name)),
        'must have names of headers that requests do not have anyway: Host, for example, cannot be set',
      )
      .meta({ description: 'Such as a token: `{"X-Api-Key": "…"}`' }),
    origin: z
      .url({ protocol: /^https?$/ })
      .max(300)
      .meta({
        description:
          'The only server that gets them, `https://shop.example`; by default that of `url`',
      }),
    userAgent: Text.min(1).max(300).meta({ description: 'Sent to every server of the feed' }),
    referer: z.url({ protocol: /^https?$/ }).max(1000),
  })
  .partial()
  .refine(
    ({ username, password }) => password === undefined || username !== undefined,
    'must have a username with the password',
  )
  .meta({
    id: 'FeedAccess',
    description:
      'For the feed and its images. User name, password and headers are stored encrypted, are not shown again, and go to one server only, redirects included',
  });

export const FeedJson = namedRequest('FeedRequest', {
  url: FeedUrl,
  format: Format,
  mapping: FeedMapping.optional(),
  access: Access.optional(),
  operations: operationsField,
  options: feedOptionsField,
  schedule: Schedule.optional(),
  export: z.strictObject({ background: Background.optional() }).default({}),
  retention: z
    .strictObject({ outputSeconds: OutputSeconds })
    .default(() => ({ outputSeconds: OUTPUT_SECONDS.default })),
  webhook: WebhookField.optional().meta({ description: 'Notified at the end of each run' }),
});

/** What is changed of a feed; null removes it. The next run has it. */
export const FeedEditJson = z
  .strictObject({
    format: Format.unwrap(),
    mapping: FeedMapping.nullable(),
    access: Access.nullable(),
    options: z.strictObject({ quality: optionFields.quality }),
    schedule: Schedule.nullable(),
    webhook: WebhookField.nullable(),
  })
  .partial()
  .refine((edit) => Object.keys(edit).length > 0, 'must name what to change')
  .meta({ id: 'FeedEdit' });
export type FeedEditJson = z.infer<typeof FeedEditJson>;

/** Splits names that are separated by commas; any other value stays as it is. */
const splitNames = (text: unknown): unknown =>
  typeof text === 'string' ? text.split(',').map((name) => name.trim()) : text;

/** Parses an object that a query has as JSON; any other value stays as it is. */
const parseObject = (text: unknown): unknown =>
  typeof text === 'string' ? jsonOr(text, text) : text;

const ReadingFields = z.object({
  format: Format,
  mapping: z
    .preprocess(parseObject, FeedMapping.optional())
    .meta({ description: 'As in the JSON of a feed, as one JSON object' }),
  fileName: z.string().max(200).optional(),
});

export const InspectQuery = ReadingFields;
export type InspectQuery = z.infer<typeof InspectQuery>;

/** The query for a feed that is sent as the body itself. Ignored for a JSON body, except `dryRun`. */
const FeedFields = ReadingFields.extend({
  operations: z.preprocess(splitNames, operationsField),
  ...fieldsAt('feeds'),
  background: Background.optional(),
  outputSeconds: OutputSeconds,
  webhookUrl: WebhookField.shape.url.optional(),
  dryRun: z
    .enum(['true', 'false'])
    .optional()
    .transform((text) => text === 'true')
    .meta({ description: 'With `true` the run only counts what it would do: `plan`' }),
});
export const FeedQuery = FeedFields.superRefine((query, context) =>
  checkConflicts({ subject: query.subject, alpha: query.alpha }, context),
);
export type FeedQuery = z.infer<typeof FeedQuery>;

export type CreateFeedRequest = Pick<
  FeedManifest,
  | 'source'
  | 'format'
  | 'mapping'
  | 'operations'
  | 'schedule'
  | 'export'
  | 'outputSeconds'
  | 'webhook'
> & {
  access?: AccessRequest;
  /** As they were sent: those of a preset are not among them yet. */
  imageOptions: z.infer<typeof feedOptionsField>;
};

/** The options of a preset that feeds take. */
export const FEED_FIELDS = optionsAt('feeds');

const exportSettings = (background: string | undefined) => (background ? { background } : {});

export function requestFromJson(json: z.infer<typeof FeedJson>): CreateFeedRequest {
  const { url, format, mapping, access, operations, schedule, retention, webhook } = json;
  return {
    source: { url },
    format,
    ...(mapping && { mapping }),
    ...(access && { access }),
    operations,
    ...retention,
    imageOptions: json.options,
    ...(schedule && { schedule }),
    export: exportSettings(json.export.background),
    ...(webhook && { webhook }),
  };
}

export function requestFromQuery(query: FeedQuery): CreateFeedRequest {
  const { format, mapping, fileName, operations, background, outputSeconds, webhookUrl } = query;
  const { quality, subject, rules, fixRules, alpha, preset } = query;
  return {
    source: { uploaded: true, ...(fileName && { fileName }) },
    format,
    ...(mapping && { mapping }),
    operations,
    outputSeconds,
    imageOptions: { quality, subject, rules, fixRules, alpha, preset },
    export: exportSettings(background),
    ...(webhookUrl && { webhook: { url: webhookUrl } }),
  };
}

export const ListQuery = z.object({ limit: z.coerce.number().int().min(1).max(1000).default(100) });

const EXPORT_COLUMNS = [
  'google_product_category',
  'color',
  'material',
] as const satisfies readonly FilledColumn[];
export const ExportQuery = z.object({
  export: exportPolicyField,
  columns: z
    .preprocess(splitNames, z.array(z.enum(EXPORT_COLUMNS)))
    .transform((columns) => [...new Set(columns)])
    .optional()
    .meta({
      description:
        'Names of columns, separated by commas, to fill from the classification in rows that have no value of their own: `google_product_category`, `color`, `material`',
    }),
});
export type ExportQuery = z.infer<typeof ExportQuery>;

const REPORT_FORMATS = ['html', 'csv', 'ndjson'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
export const ReportQuery = z.object({
  format: z.enum(REPORT_FORMATS).optional().meta({
    description: 'Without it, `Accept` selects the format; the default is NDJSON',
  }),
});
