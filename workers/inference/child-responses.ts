import { z } from 'zod';
import { Foreground, KeptAlpha, MediaType } from '../../src/output/options.ts';
import { CutOutReview } from '../../src/output/review.ts';
import { RulesReport } from '../../src/output/rules/verdicts.ts';
import type { CutOut } from './cut-out.ts';
import type { GarmentView } from './garment-view.ts';
import type { MarketplacePicture } from './marketplace-picture.ts';
import type { RefinedCutOut } from './refine.ts';
import type { SeparatedOutfit } from './separate-outfit.ts';

/** What the subject of a photo wears, and who says so. */
export interface Outfit extends SeparatedOutfit {
  /** `id@version` of the parse network, and of the classifier. */
  model: string;
  classifier: string;
  /** The cut-outs of the garments, one after the other. */
  files: Uint8Array;
}

/**
 * The results of children, validated because children decode untrusted images. Unknown timings pass.
 */
const ImageSize = z.object({ width: z.number(), height: z.number() });

const FileResult = ImageSize.extend({
  mediaType: MediaType,
  whole: ImageSize,
  foreground: Foreground.optional(),
  rules: RulesReport.optional(),
});

/** Name of the format and bytes; see `formatFingerprint`. */
const Fingerprint = z
  .string()
  .regex(/^[a-z0-9]+:[\w-]{86}$/)
  .optional();

const RefinedResult = FileResult.extend({
  timings: z.looseObject({
    decodeMillis: z.number(),
    matteMillis: z.number(),
    encodeMillis: z.number(),
    totalMillis: z.number(),
  }),
});

const CutOutResult = FileResult.extend({
  confidence: z.number(),
  review: CutOutReview,
  fingerprint: Fingerprint,
  alpha: KeptAlpha,
  timings: z.looseObject({
    decodeMillis: z.number(),
    inferenceMillis: z.number(),
    matteMillis: z.number(),
    encodeMillis: z.number(),
    totalMillis: z.number(),
  }),
});

const GarmentMeasurements = z.object({
  probabilities: z.array(z.number()),
  colors: z.array(
    z.object({
      family: z.string(),
      hex: z.string(),
      share: z.number(),
      lab: z.tuple([z.number(), z.number(), z.number()]),
      deltaE: z.number(),
    }),
  ),
});

const GarmentViewResult = ImageSize.extend({
  ...GarmentMeasurements.shape,
  worn: z.array(GarmentMeasurements.extend({ share: z.number() })),
  hasAlpha: z.boolean(),
  fingerprint: Fingerprint,
  model: z.string(),
  timings: z.looseObject({
    decodeMillis: z.number(),
    inferenceMillis: z.number(),
    totalMillis: z.number(),
  }),
});

const OutfitResult = ImageSize.extend({
  person: z.boolean(),
  severalPeople: z.boolean(),
  confidence: z.number(),
  review: CutOutReview,
  fingerprint: Fingerprint,
  garments: z.array(
    GarmentMeasurements.extend({
      group: z.string(),
      region: z.enum(['top', 'outerwear', 'dress', 'bottom', 'shoes', 'accessory']),
      alternatives: z.array(z.object({ group: z.string(), probability: z.number() })),
      box: Foreground,
      areaShare: z.number(),
      confidence: z.number(),
      occludedBy: z.array(z.string()),
      fingerprint: Fingerprint,
      bytes: z.number(),
    }),
  ),
  model: z.string(),
  classifier: z.string(),
  timings: z.looseObject({
    decodeMillis: z.number(),
    inferenceMillis: z.number(),
    matteMillis: z.number(),
    garmentsMillis: z.number(),
    totalMillis: z.number(),
  }),
});

const MarketplacePictureResult = ImageSize.extend({
  mediaType: z.enum(['image/jpeg', 'image/png']),
});

/** @throws ZodError if the result does not have this shape; likewise the others below */
export const readCutOut = (result: object, file: Uint8Array): CutOut => ({
  ...CutOutResult.parse(result),
  file,
});

export const readRefinedCutOut = (result: object, file: Uint8Array): RefinedCutOut => ({
  ...RefinedResult.parse(result),
  file,
});

export const readGarmentView = (result: object): GarmentView => GarmentViewResult.parse(result);

/** @throws RangeError too, if the cut-outs are not as long as the result says */
export function readOutfit(result: object, files: Uint8Array): Outfit {
  const outfit = OutfitResult.parse(result);
  const bytes = outfit.garments.reduce((sum, garment) => sum + garment.bytes, 0);
  if (bytes !== files.length) throw new RangeError('The cut-outs do not match their lengths');
  return { ...outfit, files };
}

export const readMarketplacePicture = (result: object, bytes: Uint8Array): MarketplacePicture => ({
  ...MarketplacePictureResult.parse(result),
  bytes,
});
