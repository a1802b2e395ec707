import { z } from 'zod';
import { GarmentView, OutfitView } from '../../src/queue/job-data.ts';
import type { GarmentView as MeasuredGarment } from './garment-view.ts';
import type { MarketplacePicture } from './marketplace-picture.ts';
import {
  type CutOut,
  CutOutResult,
  Fingerprint,
  ImageSize,
  type RefinedCutOut,
  RefinedResult,
  Timings,
} from './rendered-file.ts';
import type { SeparatedOutfit } from './separate-outfit.ts';

/** What the subject of a photo wears, and who says so. */
export interface Outfit extends SeparatedOutfit {
  /** `id@version` of the parse network, and of the classifier. */
  model: string;
  classifier: string;
  /** The cut-outs of the garments, one after the other. */
  files: Uint8Array;
}

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
