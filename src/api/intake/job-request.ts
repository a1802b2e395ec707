import { z } from 'zod';
import type { ImageForm } from '../../http/image-body.ts';
import { parse } from '../../http/parse.ts';
import type { Call } from '../../http/route.ts';
import { type CutOutOptions, DEFAULT_QUALITY, QualityChoice } from '../../output/quality.ts';
import {
  BackgroundImage,
  checkConflicts,
  cutOutOptionsOf,
  outputFields,
  withoutBlanks,
} from '../../output/request.ts';
import { Problem } from '../../platform/problem.ts';
import { OPERATIONS, type Operation } from '../../queue/job-data.ts';
import { backgroundOf, type Source } from '../removal/image-requests.ts';

const DAY_SECONDS = 86_400;
/** How long results are kept, seconds. */
export const OUTPUT_SECONDS = { least: 60, most: 7 * DAY_SECONDS, usual: DAY_SECONDS } as const;

/** Lists and objects in a text field come as JSON; a list of words also with commas. */
function fromText(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  if (!/^\s*[[{]/.test(text)) return text.split(',').map((word) => word.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text; // the schema says what is wrong with it
  }
}

export const Operations = z
  .array(z.enum(OPERATIONS))
  .min(1)
  .transform((list): Operation[] => [...new Set(list)].sort());

export const Retention = z.strictObject({
  outputSeconds: z
    .number()
    .int()
    .min(OUTPUT_SECONDS.least)
    .max(OUTPUT_SECONDS.most)
    .default(OUTPUT_SECONDS.usual)
    .meta({ description: 'How long results are kept after the end of the job' }),
});

export const QualityField = QualityChoice.default(DEFAULT_QUALITY).meta({
  description:
    '`high` refines the edges by the photo and takes longer; `fast` makes a larger file sooner',
});

/** How the work on the images of a feed is to be done. */
export const defaultJobOptions = z
  .strictObject({ quality: QualityField })
  .default(() => ({ quality: DEFAULT_QUALITY }));

const CutOutFields = z.strictObject({ quality: QualityField, ...outputFields });

/** How images are to be cut out, and how the outputs are to look. */
export const JobOptions = z.preprocess(withoutBlanks, CutOutFields.superRefine(checkConflicts));
const usual = (): z.infer<typeof CutOutFields> => ({ quality: DEFAULT_QUALITY });
export const jobOptionsField = JobOptions.default(usual);

const ImageUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .meta({ description: 'http or https; fetched once, from public addresses only' });

const hasCredentials = (link: string): boolean => {
  if (!URL.canParse(link)) return false;
  const { username, password } = new URL(link);
  return username !== '' || password !== '';
};

/** Where a client wants to hear of something; nothing is fetched to check it. */
export const WebhookField = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(1024)
    .refine((link) => !hasCredentials(link), 'must carry no user name or password')
    .meta({ description: 'http or https; public addresses only, no redirects' }),
});

const Fields = z.strictObject({
  imageUrl: ImageUrl.optional(),
  backgroundImage: BackgroundImage,
  operations: z.preprocess(fromText, Operations.default(['remove-background'])),
  retention: z.preprocess(
    fromText,
    Retention.default(() => ({ outputSeconds: OUTPUT_SECONDS.usual })),
  ),
  options: z.preprocess(fromText, jobOptionsField),
  webhook: z.preprocess(fromText, WebhookField.optional()),
});

/** A background that came along stands beside the options, not in them. */
const CheckedFields = Fields.superRefine(({ options, backgroundImage }, faults) => {
  if (backgroundImage) checkConflicts({ ...options, backgroundImage }, faults, ['options']);
});

/** For the document: what goes behind the subject. */
export const BackgroundFile = z
  .string()
  .meta({ format: 'binary', description: 'JPEG, PNG or WebP that covers the canvas' });
export const BackgroundText = z
  .string()
  .meta({ description: 'The same as base64, or a data URL; the body holds both images' });

/** For the document: the two ways to hand in an image. */
export const JobForm = z.object({
  image: z.string().meta({ format: 'binary', description: 'JPEG, PNG or WebP' }).optional(),
  imageUrl: ImageUrl.optional(),
  backgroundImage: BackgroundFile.optional(),
  operations: z.string().meta({ description: 'Names separated by commas, or JSON' }).optional(),
  retention: z.string().meta({ description: 'JSON, as in the JSON body' }).optional(),
  options: z.string().meta({ description: 'JSON, as in the JSON body' }).optional(),
  webhook: z.string().meta({ description: 'JSON, as in the JSON body' }).optional(),
});
export const JobJson = z.object({
  imageBase64: z.string().meta({ description: 'Base64, or a data URL' }).optional(),
  imageUrl: ImageUrl.optional(),
  backgroundImageBase64: BackgroundText.optional(),
  operations: z.array(z.enum(OPERATIONS)).optional(),
  retention: Retention.optional(),
  options: JobOptions.optional(),
  webhook: WebhookField.optional().meta({ description: 'Told at the end of the job' }),
});

/** A wish for work: an image or the address of one, and what to do with it. */
export interface JobRequest {
  source: Source;
  operations: readonly Operation[];
  /** Empty where all is as usual. */
  options: CutOutOptions;
  /** What goes behind the subject, where that is an image. */
  background?: Source | undefined;
  outputSeconds: number;
  webhook?: z.infer<typeof WebhookField>;
}

/**
 * What a form asks for.
 * @throws Problem invalid-request with every fault
 */
export function readJobRequest({ image, backgroundImage, fields, via }: ImageForm): JobRequest {
  const { imageUrl, operations, retention, webhook, ...wish } = parse(
    CheckedFields,
    { ...fields, ...(backgroundImage && { backgroundImage }) },
    'request',
  );
  const options = cutOutOptionsOf({ ...wish.options, backgroundImage });
  const rest = {
    operations,
    options,
    background: backgroundOf(options, backgroundImage),
    ...retention,
    ...(webhook && { webhook }),
  };
  if (image && imageUrl === undefined) return { source: { image }, ...rest };
  if (!image && imageUrl !== undefined) return { source: { imageUrl }, ...rest };
  const name = via === 'json' ? 'imageBase64' : 'image';
  throw new Problem('invalid-request', `Send either "${name}" or "imageUrl"`, {
    errors: [{ pointer: `/${name}`, detail: image ? 'comes with imageUrl' : 'is missing' }],
  });
}

const IDEMPOTENCY_KEY = /^"?([\x21\x23-\x7e]{1,255})"?$/;

/** The client's `Idempotency-Key`, with or without the quotes that the draft asks for. */
export function readIdempotencyKey(headers: Call['headers']): string | undefined {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return undefined;
  const key = typeof sent === 'string' ? IDEMPOTENCY_KEY.exec(sent)?.[1] : undefined;
  if (key) return key;
  throw new Problem('invalid-request', 'Idempotency-Key must be 1 to 255 visible characters');
}
