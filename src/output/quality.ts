import { z } from 'zod';
import { OutputOptions } from './options.ts';

/** Presets of speed and quality. */
export const QUALITIES = ['fast', 'balanced', 'high'] as const;
export type Quality = (typeof QUALITIES)[number];

export const DEFAULT_QUALITY: Quality = 'balanced';

export const QualityChoice = z.enum(QUALITIES);

/** Everything in a request that changes the pixels. Defaults are left out, so that cache keys stay the same. */
export const CutOutOptions = z
  .object({
    quality: QualityChoice.optional(),
    ...OutputOptions.shape,
  })
  .meta({ id: 'CutoutOptions' });
export type CutOutOptions = z.infer<typeof CutOutOptions>;

/** Returns the options of a quality; none for the default. */
export const qualityOptions = (quality: Quality | undefined): CutOutOptions =>
  quality === undefined || quality === DEFAULT_QUALITY ? {} : { quality };

/** Returns options as a member of an object; no member if all are defaults. */
export const unlessDefault = (options: CutOutOptions): { options?: CutOutOptions } =>
  Object.keys(options).length > 0 ? { options } : {};
