import { z } from 'zod';
import { OutputOptions } from './options.ts';

/** How much care a cut-out is worth; `balanced` where nothing is said. */
export const QUALITIES = ['fast', 'balanced', 'high'] as const;
export type Quality = (typeof QUALITIES)[number];

export const DEFAULT_QUALITY: Quality = 'balanced';

export const QualityChoice = z.enum(QUALITIES);

/** What of a job changes its pixels; the usual is left out, so that it is kept under the keys it always had. */
export const CutOutOptions = z.object({
  quality: QualityChoice.optional(),
  ...OutputOptions.shape,
});
export type CutOutOptions = z.infer<typeof CutOutOptions>;

/** The options of a quality; none where it is the usual one. */
export const optionsOf = (quality: Quality | undefined): CutOutOptions =>
  quality === undefined || quality === DEFAULT_QUALITY ? {} : { quality };

/** Options as a member of what is kept or told; no member where they are the usual ones. */
export const unlessDefault = (options: CutOutOptions): { options?: CutOutOptions } =>
  Object.keys(options).length > 0 ? { options } : {};
