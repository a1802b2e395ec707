import { z } from 'zod';
import { LocaleTag } from './dictionary/locales.ts';
import type { Locale } from './dictionary/schema.ts';
import { Learned } from './learned-schema.ts';

/** Maximum number of items of one batch. */
const MAX_BATCH = 50;

const line = (maxCharacters: number) => z.string().max(maxCharacters);
const itemId = line(128)
  .min(1)
  .regex(/^\P{Cc}+$/u, 'must not hold control characters');

/**
 * Attributes of an article under the names of the Google Merchant feed: a feed row can be sent unchanged. Unknown
 * columns are ignored and listed in `warnings`.
 */
export const FeedAttributes = z
  .looseObject({
    id: itemId.optional().meta({ description: 'Your id; becomes the wardrobe item’s id' }),
    title: line(300).optional(),
    description: line(5000).optional(),
    product_type: line(750)
      .optional()
      .meta({ description: 'Your own path, such as `Men > Shirts`' }),
    google_product_category: z
      .union([line(750), z.number().int().positive()])
      .optional()
      .meta({ description: 'An id or a path of the Google Product Taxonomy' }),
    brand: line(100).optional(),
    color: line(200).optional(),
    material: line(500).optional().meta({ description: 'With shares, or `cotton/polyester`' }),
    pattern: line(200).optional(),
    size: line(100).optional(),
    gender: line(50).optional(),
    age_group: line(50).optional(),
    language: line(35)
      .optional()
      .meta({ description: 'BCP 47, such as `de-AT`; detected if absent' }),
    sleeve_length: line(50).optional(),
    weight: line(50).optional().meta({ description: '`light`, `medium` or `heavy`' }),
  })
  .meta({ id: 'FeedAttributes' });
export type FeedAttributes = z.infer<typeof FeedAttributes>;

/** The known columns, in schema order. */
export const FEED_COLUMNS = Object.keys(FeedAttributes.shape);

export const ClassifyOptions = z
  .strictObject({
    topK: z.number().int().min(1).max(10).default(5),
    minConfidence: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .meta({ description: 'Below it the status is `uncertain`: a group, no category' }),
    locale: LocaleTag.optional(),
    wardrobeItem: z.boolean().default(true),
  })
  .meta({ id: 'ClassifyOptions' });
export type ClassifyOptions = z.infer<typeof ClassifyOptions>;

/** What a classification takes into account besides the image. */
export const ClassificationContext = z.object({
  attributes: FeedAttributes.optional(),
  options: ClassifyOptions.optional(),
  learned: Learned.optional(),
});
export type ClassificationContext = z.infer<typeof ClassificationContext>;

/** Options with the language of the response. */
export type ClassifySettings = ClassifyOptions & { locale: Locale };

/** The options of a classification that nobody asked in particular, in English. */
export const DEFAULT_SETTINGS: ClassifySettings = { ...ClassifyOptions.parse({}), locale: 'en' };

const image_base64 = z
  .string()
  .min(1)
  .meta({ description: 'JPEG, PNG or WebP: base64, or data:image/<type>;base64,<data>' });

const hasSubject = ({ image_base64, attributes }: Readonly<Record<string, unknown>>): boolean =>
  image_base64 !== undefined || attributes !== undefined;
const NO_SUBJECT = 'Send `image_base64`, `attributes` or both';

/** Fields beside the image; in a multipart form, each is a part in JSON. */
export const ClassifyForm = z.strictObject({
  attributes: FeedAttributes.optional(),
  options: ClassifyOptions.optional(),
});

/** One article: a photo, what a feed says of it, or both. */
export const ClassifyRequest = z
  .strictObject({
    image_base64: image_base64.optional(),
    attributes: FeedAttributes.optional(),
    options: ClassifyOptions.optional(),
  })
  .refine(hasSubject, NO_SUBJECT)
  .meta({ id: 'ClassifyRequest' });
export type ClassifyRequest = z.infer<typeof ClassifyRequest>;

/** The envelope of a batch. Items are validated one by one (`BatchItem`): an invalid one does not fail the rest. */
export const BatchRequest = z
  .strictObject({
    items: z.array(z.unknown()).min(1).max(MAX_BATCH),
    options: ClassifyOptions.optional(),
  })
  .meta({ id: 'ClassifyBatchRequest' });
export type BatchRequest = z.infer<typeof BatchRequest>;

export const BatchItem = z
  .strictObject({
    id: itemId.optional(),
    image_base64: image_base64.optional(),
    attributes: FeedAttributes.optional(),
  })
  .refine(hasSubject, NO_SUBJECT)
  .meta({ id: 'ClassifyBatchItem' });
export type BatchItem = z.infer<typeof BatchItem>;
