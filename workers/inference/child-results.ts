import { z } from 'zod';
import { Foreground, KeptAlpha, MediaType } from '../../src/output/options.ts';
import { CutOutReview } from '../../src/output/review.ts';
import { RulesReport } from '../../src/output/rules/verdicts.ts';
import { GarmentView, OutfitView } from '../../src/queue/job-data.ts';

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

export const RefinedResult = FileResult.extend({ timings: RefinedTimings });
export type RefinedCutOut = z.infer<typeof RefinedResult> & { file: Uint8Array };

export const CutOutResult = FileResult.extend({
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

/** The measurements of the garment that an image shows, or of the one that is sold if a person wears several. */
export const GarmentViewResult = GarmentView.extend({
  fingerprint: Fingerprint,
  /** If a person wears it: what is worn, the largest first; else empty. */
  worn: GarmentView.shape.worn.unwrap(),
  timings: Timings.extend({ inferenceMillis: z.number() }),
});
export type MeasuredGarment = z.infer<typeof GarmentViewResult>;

/** What the parse network calls a group; the stored view takes only those that it knows. */
const Group = z.string();

/** What the subject of a photo wears, each garment measured by itself. */
const OutfitResult = OutfitView.extend({
  fingerprint: Fingerprint,
  garments: z.array(
    OutfitView.shape.garments.element.extend({
      group: Group,
      alternatives: z.array(z.object({ group: Group, probability: z.number() })),
      occludedBy: z.array(Group),
      fingerprint: Fingerprint,
      /** Length of its cut-out, a PNG; 0 without. */
      bytes: z.number(),
    }),
  ),
  timings: Timings.extend({
    inferenceMillis: z.number(),
    matteMillis: z.number(),
    /** From the subject's matte to the last garment, with their files. */
    garmentsMillis: z.number(),
  }),
});
/** With the cut-outs of the garments, one after the other. */
export type Outfit = z.infer<typeof OutfitResult> & { files: Uint8Array };

/** A picture that meets the requirements of marketplaces. */
export const MarketplacePictureResult = ImageSize.extend({
  mediaType: z.enum(['image/jpeg', 'image/png']),
});
export type MarketplacePicture = z.infer<typeof MarketplacePictureResult> & { bytes: Uint8Array };

/** @throws ZodError if the result does not have this shape; RangeError if the cut-outs are not as long as it says */
export function readOutfit(result: object, files: Uint8Array): Outfit {
  const outfit = OutfitResult.parse(result);
  const bytes = outfit.garments.reduce((sum, garment) => sum + garment.bytes, 0);
  if (bytes !== files.length) throw new RangeError('The cut-outs do not match their lengths');
  return { ...outfit, files };
}
