import { z } from 'zod';
import { Foreground, KeptAlpha, MediaType } from '../../src/output/options.ts';
import { CutOutReview } from '../../src/output/review.ts';
import { RulesReport } from '../../src/output/rules/verdicts.ts';
import { GarmentView } from '../../src/queue/garment-view.ts';
import { OutfitView } from '../../src/queue/outfit-view.ts';
import type { GarmentView as MeasuredGarment } from './garment-view.ts';
import type { MarketplacePicture } from './marketplace-picture.ts';
import type { SeparatedOutfit } from './separate-outfit.ts';

/** What the subject of a photo wears, and who says so. */
export interface Outfit extends SeparatedOutfit {
  /** `id@version` of the parse network, and of the classifier. */
  model: string;
  classifier: string;
  /** The cut-outs of the garments, one after the other. */
  files: Uint8Array;
}

/** The results of children, validated because children decode untrusted images. Unknown timings pass. */
const ImageSize = z.object({ width: z.number(), height: z.number() });

const FileResult = ImageSize.extend({
  mediaType: MediaType,
  /** The size without `maxOutputMegapixels`. */
  whole: ImageSize,
  /** The bounding box of the subject in it; absent if there is none. */
  foreground: Foreground.optional(),
  /** If the options have rules. */
  rules: RulesReport.optional(),
});

/** A cut-out as a file. */
export type RenderedFile = z.infer<typeof FileResult> & { file: Uint8Array };

/** Name of the format and bytes; see `formatFingerprint`. */
const Fingerprint = z
  .string()
  .regex(/^[a-z0-9]+:[\w-]{86}$/)
  .optional();

const Timings = z.looseObject({ decodeMillis: z.number(), totalMillis: z.number() });
const RefinedTimings = Timings.extend({
  /** Matte at full size and foreground colours. */
  matteMillis: z.number(),
  /** Includes compositing. */
  encodeMillis: z.number(),
});

const RefinedResult = FileResult.extend({ timings: RefinedTimings });
export type RefinedCutOut = z.infer<typeof RefinedResult> & { file: Uint8Array };

const CutOutResult = FileResult.extend({
  /** Confidence of the network in its matte, 0..1; see `estimateConfidence`. */
  confidence: z.number(),
  review: CutOutReview,
  /** Of what was cut out; undefined if there is nothing. */
  fingerprint: Fingerprint,
  alpha: KeptAlpha,
  timings: RefinedTimings.extend({ inferenceMillis: z.number() }),
});
/** By default a transparent PNG in the size of the upright image. */
export type CutOut = z.infer<typeof CutOutResult> & { file: Uint8Array };

const GarmentViewResult = GarmentView.required({ worn: true }).extend({
  fingerprint: Fingerprint,
  timings: Timings.extend({ inferenceMillis: z.number() }),
});

const OutfitResult = OutfitView.extend({
  fingerprint: Fingerprint,
  garments: z.array(
    OutfitView.shape.garments.element.extend({ fingerprint: Fingerprint, bytes: z.number() }),
  ),
  timings: Timings.extend({
    inferenceMillis: z.number(),
    matteMillis: z.number(),
    garmentsMillis: z.number(),
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

export const readGarmentView = (result: object): MeasuredGarment => GarmentViewResult.parse(result);

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
