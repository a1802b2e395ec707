import { z } from 'zod';
import { WardrobeItem } from './attributes/wardrobe-item-schema.ts';
import { BodySlot, CloSource, Layer, Locale, Region } from './dictionary/schema.ts';
import { Learned } from './learned-schema.ts';
import { IMAGE_CLASSES } from './photo/image-classes.ts';
import { CATEGORY_COLUMNS } from './text/classify-text.ts';

const share = z.number().min(0).max(1);
const confidence = z.number().min(0).max(1);
const clo = z.number().min(0);

/** For the OpenAPI document: the fingerprint of what was cut out. */
export const Fingerprint = z
  .string()
  .meta({
    id: 'Fingerprint',
    description:
      'Of what is cut out: the name of its format and 64 bytes in base64url. Alike for copies of a picture that were recompressed, scaled, cropped a little or mirrored. Absent without a photo or subject, and from results of older releases',
  })
  .optional();

const Source = z.enum(['measured', 'text', 'model', 'default']).meta({
  id: 'ValueSource',
  description: 'Measured in the photo, read in the text, or the category’s default',
});

const AttributeValue = z.object({ id: z.string(), source: Source }).meta({ id: 'AttributeValue' });
export type AttributeValue = z.infer<typeof AttributeValue>;

const AttributeRating = z
  .object({ value: z.number().min(0).max(1), source: Source })
  .meta({ id: 'AttributeRating' });
export type AttributeRating = z.infer<typeof AttributeRating>;

const Color = z.object({
  family: z.string(),
  hex: z.string().optional(),
  share: share.optional(),
  lab: z.array(z.number()).length(3).optional().meta({ description: 'CIELAB, D65' }),
  deltaE: z.number().optional().meta({ description: 'CIEDE2000 from the family’s prototype' }),
  source: Source,
});

const GarmentAttributes = z
  .object({
    colors: z.array(Color),
    colorFamily: AttributeValue.optional().meta({
      description: 'One family for all colours together',
    }),
    pattern: AttributeValue.optional(),
    materials: z.array(AttributeValue.extend({ share: share.optional() })),
    properties: z.array(AttributeValue),
    sleeveLength: AttributeValue.optional(),
    gender: AttributeValue.optional(),
    ageGroup: AttributeValue.optional(),
    weight: AttributeValue.optional(),
    formality: z.object({ min: z.number(), max: z.number(), source: Source }).optional(),
    seasons: z.object({ ids: z.array(z.string()), source: Source }).optional(),
    waterResistance: AttributeRating.optional(),
    windResistance: AttributeRating.optional(),
    breathability: AttributeRating.optional(),
  })
  .meta({ id: 'GarmentAttributes' });
export type GarmentAttributes = z.infer<typeof GarmentAttributes>;

const TextMatch = z.object({
  field: z.string(),
  match: z.string().meta({ description: 'As the column has it' }),
  span: z.array(z.number().int()).length(2).meta({ description: 'UTF-16 units, end excluded' }),
  language: Locale,
});

export const REVIEW_REASONS = [
  'low-confidence',
  'photo-alone',
  'image-text-disagree',
  'text-category-disagree',
  'language-not-supported',
  'not-a-garment',
  'multiple-garments',
  'too-small',
  'colour-mismatch',
  'material-missing',
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** One classification, without the request's id. */
export const Classification = z
  .object({
    status: z.enum(['classified', 'uncertain', 'unknown']).meta({
      description: 'A category; only its group; or no garment the dictionary has',
    }),
    garment: z.boolean().nullable().meta({
      description: 'False if it is something else (a watch, a phone case); null if unknown',
    }),
    dictionaryVersion: z.string(),
    modelVersion: z.string().nullable().meta({ description: 'Null without a photo' }),
    category: z
      .object({
        id: z.string().nullable().meta({ description: 'Null if only the group is known' }),
        label: z.string(),
        groupId: z.string(),
        region: Region.nullable(),
        layer: Layer.nullable(),
        bodySlot: BodySlot.nullable(),
        confidence,
        source: z.enum(['text', 'model', 'fused']),
      })
      .meta({ id: 'ClassifiedCategory' })
      .nullable(),
    topK: z.array(z.object({ id: z.string(), label: z.string(), confidence })),
    evidence: z
      .object({
        image: z
          .object({
            class: z.enum(IMAGE_CLASSES),
            confidence,
            calibrated: z.literal(true),
          })
          .nullable(),
        text: z
          .object({
            category: z.string().nullable(),
            confidence,
            notGarment: confidence.meta({ description: 'That the text sells no garment' }),
            thing: z.string().nullable().meta({
              description: 'If `notGarment` leads, what it seems to be: pet, home, part, …',
            }),
            language: Locale.nullable(),
            matches: z.array(TextMatch),
            contradictedBy: z
              .array(z.enum(CATEGORY_COLUMNS))
              .meta({ description: 'Columns that file the article elsewhere than the title' }),
          })
          .nullable(),
        agreement: z.boolean().nullable(),
        learned: Learned.optional().meta({
          description: 'What your people have decided about such articles, or about this one',
        }),
      })
      .meta({ id: 'Evidence' }),
    attributes: GarmentAttributes,
    insulation: z
      .object({
        clo,
        min: clo,
        max: clo,
        confidence: z.enum(['high', 'medium', 'low']),
        sources: z.array(CloSource),
        factors: z.object({ material: z.number(), sleeve: z.number() }),
      })
      .meta({ id: 'Insulation' })
      .nullable(),
    mappings: z.object({ shopify: z.string().nullable(), google: z.number().int().nullable() }),
    wardrobeItem: WardrobeItem.nullable(),
    items: z
      .array(WardrobeItem)
      .optional()
      .meta({ description: 'Of a set: each of its garments; absent otherwise' }),
    review: z
      .object({
        needed: z.boolean(),
        reasons: z.array(z.enum(REVIEW_REASONS)),
        explanation: z
          .array(z.object({ code: z.enum(REVIEW_REASONS), text: z.string() }))
          .meta({ description: 'The reasons in the language of the response' }),
      })
      .meta({ id: 'Review' }),
    warnings: z.array(z.string()),
    fingerprint: Fingerprint,
  })
  .meta({ id: 'Classification' });
export type Classification = z.infer<typeof Classification>;

export const ClassifyResponse = Classification.and(z.object({ requestId: z.string() })).meta({
  id: 'ClassifyResponse',
});
export type ClassifyResponse = z.infer<typeof ClassifyResponse>;

/** A batch's response: the items in request order, each a classification or a problem. */
export const ClassifyBatchResponse = z
  .object({
    requestId: z.string(),
    items: z.array(
      z.union([
        Classification.and(z.object({ id: z.string().nullable() })),
        z
          .object({
            id: z.string().nullable(),
            problem: z.looseObject({
              type: z.string(),
              title: z.string(),
              status: z.number().int(),
              detail: z.string(),
            }),
          })
          .meta({ id: 'RejectedItem' }),
      ]),
    ),
  })
  .meta({ id: 'ClassifyBatchResponse' });
export type ClassifyBatchResponse = z.infer<typeof ClassifyBatchResponse>;
