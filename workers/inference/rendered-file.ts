import { z } from 'zod';
import { Foreground, KeptAlpha, MediaType } from '../../src/output/options.ts';
import { CutOutReview } from '../../src/output/review.ts';
import { RulesReport } from '../../src/output/rules/verdicts.ts';

/** The results of children, validated because children decode untrusted images. Unknown timings pass. */
export const ImageSize = z.object({ width: z.number(), height: z.number() });

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
export const Fingerprint = z
  .string()
  .regex(/^[a-z0-9]+:[\w-]{86}$/)
  .optional();

export const Timings = z.looseObject({ decodeMillis: z.number(), totalMillis: z.number() });
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
