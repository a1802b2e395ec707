import { z } from 'zod';
import { Region } from '../dictionary/schema.ts';
import { Classification, Fingerprint } from '../response-schema.ts';
import { ParseGroup } from './parse-groups.ts';

const confidence = z.number().min(0).max(1);

const Box = z
  .object({ left: z.number(), top: z.number(), width: z.number(), height: z.number() })
  .meta({ id: 'GarmentBox' });

/** Where the cut-out of a garment is, as part of a ZIP archive or as a download. */
const GarmentCutOut = z
  .object({
    file: z.string().optional().meta({ description: 'Its name in the archive' }),
    url: z.string().optional().meta({ description: 'Its address, in jobs and batches' }),
    bytes: z.number(),
    sha256: z.string(),
    mediaType: z.literal('image/png'),
    width: z.number(),
    height: z.number(),
  })
  .meta({ id: 'GarmentCutout' });
export type GarmentCutOut = z.infer<typeof GarmentCutOut>;

/** One garment of a photo. */
const OutfitGarment = z
  .object({
    index: z
      .number()
      .int()
      .meta({ description: 'Position in the list, from 0; the largest first' }),
    group: ParseGroup,
    alternatives: z
      .array(z.object({ group: ParseGroup, confidence }))
      .meta({ description: 'The groups it may be, the likeliest first' }),
    region: Region,
    confidence: confidence.meta({
      description: 'That its pixels are this group or one easily taken for it',
    }),
    box: Box.meta({
      description: 'In pixels of the upright photo: the smallest that contains what is visible',
    }),
    areaShare: z.number().min(0).max(1).meta({ description: 'Share of the subject' }),
    occluded: z.boolean().meta({ description: 'Whether something hides a part of it' }),
    occludedBy: z
      .array(z.union([ParseGroup, z.literal('frame')]))
      .meta({ description: 'What hides it; `frame` is the border of the photo' }),
    classification: Classification,
    cutout: GarmentCutOut.optional(),
  })
  .meta({ id: 'OutfitGarment' });

/** Why a person should look at the garments of a photo, besides the reasons of its cut-out. */
export const OUTFIT_REVIEW_REASONS = [
  'no-garment',
  'several-people',
  'too-small',
  'garments-unsure',
  'category-guessed',
] as const;

/** The garments of one photo, without the request's id. */
export const OutfitDescription = z
  .object({
    person: z.boolean().meta({
      description: 'Whether skin or hair show. Without, the garments are taken as laid out',
    }),
    image: z.object({ width: z.number(), height: z.number() }),
    dictionaryVersion: z.string(),
    modelVersion: z.string().meta({ description: 'Of the network that tells garments apart' }),
    confidence: confidence.meta({ description: 'In the outline of the whole subject' }),
    garments: z.array(OutfitGarment),
    fingerprint: Fingerprint,
    review: z
      .object({
        needed: z.boolean(),
        reasons: z.array(z.string()).meta({
          description: `${OUTFIT_REVIEW_REASONS.map((reason) => `\`${reason}\``).join(', ')}, or a reason of cut-outs. More may be added`,
        }),
      })
      .meta({ id: 'OutfitReview' }),
  })
  .meta({ id: 'OutfitDescription' });
export type OutfitDescription = z.infer<typeof OutfitDescription>;
