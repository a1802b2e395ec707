import { z } from 'zod';
import { Foreground, MediaType } from '../../src/output/options.ts';
import { CutOutReview } from '../../src/output/review.ts';
import type { CutOut } from './cut-out.ts';
import type { GarmentView } from './garment-view.ts';
import type { MarketplacePicture } from './marketplace-picture.ts';
import type { RefinedCutOut } from './refine.ts';

/**
 * The results of children, validated because children decode untrusted images. Unknown timings pass.
 */
const ImageSize = z.object({ width: z.number(), height: z.number() });

const FileResult = ImageSize.extend({
  mediaType: MediaType,
  whole: ImageSize,
  foreground: Foreground.optional(),
});

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
  model: z.string(),
  timings: z.looseObject({
    decodeMillis: z.number(),
    inferenceMillis: z.number(),
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

export const readMarketplacePicture = (result: object, bytes: Uint8Array): MarketplacePicture => ({
  ...MarketplacePictureResult.parse(result),
  bytes,
});
