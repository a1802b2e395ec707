import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ImageForm } from '../../http/image-body.ts';
import { parse } from '../../http/parse.ts';
import { filePart } from '../../http/route.ts';
import type { CutOutOptions } from '../../output/options.ts';
import {
  BackgroundImage,
  checkConflicts,
  fieldsAt,
  optionFields,
  toCutOutOptions,
  unlessDefault,
  withoutBlanks,
} from '../../output/request.ts';
import { jsonOr } from '../../platform/json.ts';
import { fieldProblem } from '../../platform/problem.ts';
import { OPERATIONS, type Operation } from '../../queue/job-data.ts';
import type { ClassificationContext } from '../../taxonomy/request-schema.ts';
import { backgroundSource, type Source } from '../removal/image-requests.ts';

const DAY_SECONDS = 86_400;
/** How long results are retained, seconds. */
export const OUTPUT_SECONDS = { min: 60, max: 7 * DAY_SECONDS, default: DAY_SECONDS } as const;

/** Parses a text field: lists and objects as JSON, a list of names also separated by commas. */
function parseText(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  if (!/^\s*[[{]/.test(text)) return text.split(',').map((word) => word.trim());
  return jsonOr(text, text); // the schema reports the error
}

export const Operations = z
  .array(z.enum(OPERATIONS))
  .min(1)
  .transform((list): Operation[] => [...new Set(list)].sort());

export const Retention = z
  .strictObject({
    outputSeconds: z
      .number()
      .int()
      .min(OUTPUT_SECONDS.min)
      .max(OUTPUT_SECONDS.max)
      .default(OUTPUT_SECONDS.default)
      .meta({ description: 'How long results are retained after the end of the job' }),
  })
  .meta({ id: 'Retention' });

export const feedOptionsField = z
  .strictObject(fieldsAt('feeds'))
  .superRefine((options, context) => checkConflicts(options, context))
  .default(() => ({}));

const CutOutFields = z.strictObject(optionFields);

/**
 * Options for the cut-out and for the appearance of the output. The document leaves them open: a
 * background removal has them beside its image.
 */
export const JobOptions = z
  .preprocess(withoutBlanks, CutOutFields.superRefine(checkConflicts))
  .meta({ id: 'OutputOptions', additionalProperties: undefined });
const defaultOptions = (): z.infer<typeof CutOutFields> => ({});
export const jobOptionsField = JobOptions.default(defaultOptions);

export const ImageUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .meta({
    description:
      'http or https, without a user name or password; fetched once, from public IP addresses only',
  });

const hasCredentials = (link: string): boolean => {
  if (!URL.canParse(link)) return false;
  const { username, password } = new URL(link);
  return username !== '' || password !== '';
};

export const WebhookField = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(1024)
      .refine((link) => !hasCredentials(link), 'must not contain a user name or password')
      .meta({ description: 'http or https; public IP addresses only, redirects are not followed' }),
  })
  .meta({ id: 'WebhookRequest' });

const Fields = z.strictObject({
  imageUrl: ImageUrl.optional(),
  backgroundImage: BackgroundImage,
  operations: z.preprocess(parseText, Operations.default(['remove-background'])),
  retention: z.preprocess(
    parseText,
    Retention.default(() => ({ outputSeconds: OUTPUT_SECONDS.default })),
  ),
  options: z.preprocess(parseText, jobOptionsField),
  webhook: z.preprocess(parseText, WebhookField.optional()),
});

/** A background image is a field beside the options, so `JobOptions` alone cannot check it for conflicts. */
const CheckedFields = Fields.superRefine(({ options, backgroundImage }, context) => {
  if (backgroundImage) checkConflicts({ ...options, backgroundImage }, context, ['options']);
});

export const BackgroundFile = filePart('JPEG, PNG or WebP, scaled to cover the canvas');
export const BackgroundText = z
  .string()
  .meta({ description: 'The same as base64 or a data URL; the body contains both images' });

export const JobForm = z.object({
  image: filePart('JPEG, PNG or WebP').optional(),
  imageUrl: ImageUrl.optional(),
  backgroundImage: BackgroundFile.optional(),
  operations: z.string().meta({ description: 'Names separated by commas, or JSON' }).optional(),
  retention: z.string().meta({ description: 'JSON, as in the JSON body' }).optional(),
  options: z.string().meta({ description: 'JSON, as in the JSON body' }).optional(),
  webhook: z.string().meta({ description: 'JSON, as in the JSON body' }).optional(),
});
export const JobJson = z
  .object({
    imageBase64: z.string().meta({ description: 'Base64 or a data URL' }).optional(),
    imageUrl: ImageUrl.optional(),
    backgroundImageBase64: BackgroundText.optional(),
    operations: z.array(z.enum(OPERATIONS)).optional(),
    retention: Retention.optional(),
    options: JobOptions.optional(),
    webhook: WebhookField.optional().meta({ description: 'Notified at the end of the job' }),
  })
  .meta({ id: 'JobRequest' });

/** A parsed request: an image or its URL, and what to do with it. */
export interface JobRequest {
  source: Source;
  operations: readonly Operation[];
  /** Empty if all have their defaults. */
  options: CutOutOptions;
  /** The image behind the subject, if there is one. */
  background?: Source | undefined;
  outputSeconds: number;
  webhook?: z.infer<typeof WebhookField>;
  /** What a classification takes into account besides the image. */
  classification?: ClassificationContext;
}

/** Options as a client sends them, with an uploaded background. */
type SentOptions = z.infer<typeof CutOutFields> & Pick<z.infer<typeof Fields>, 'backgroundImage'>;

/**
 * Parses a form into a job request.
 * @param withPreset adds the options of the preset that they name
 * @throws Problem invalid-request with all errors
 */
export async function readJobRequest(
  { image, backgroundImage, fields, pointers }: ImageForm,
  withPreset: (options: SentOptions) => Promise<SentOptions>,
): Promise<JobRequest> {
  const { imageUrl, operations, retention, webhook, ...rest } = parse(
    CheckedFields,
    { ...fields, ...(backgroundImage && { backgroundImage }) },
    'request',
  );
  const sentOptions = await withPreset({ ...rest.options, backgroundImage });
  const options = toCutOutOptions(sentOptions);
  const request = {
    operations,
    options,
    background: backgroundSource(options, backgroundImage, pointers.backgroundImage),
    ...retention,
    ...(webhook && { webhook }),
  };
  if (image && imageUrl === undefined)
    return { source: { image, pointer: pointers.image }, ...request };
  if (!image && imageUrl !== undefined) return { source: { imageUrl }, ...request };
  throw fieldProblem(
    'invalid-request',
    pointers.image,
    image ? 'cannot be combined with imageUrl' : 'is missing',
    `Send either "${pointers.image.slice(1)}" or "imageUrl"`,
  );
}

/**
 * Identifies a request's content for idempotency: an image by its bytes, not by how it was sent.
 * @param path of the endpoint: a key that was used at another one is a mismatch
 */
export function fingerprintOf(
  { source, operations, options, outputSeconds, webhook, classification }: JobRequest,
  path: string,
): unknown {
  const image =
    'imageUrl' in source
      ? source.imageUrl
      : createHash('sha256').update(source.image).digest('hex');
  const rest = [
    ...Object.values(unlessDefault(options)),
    ...(webhook ? [webhook.url] : []),
    ...(classification ? [classification] : []),
  ];
  return ['POST', path, image, operations, outputSeconds, ...rest];
}
