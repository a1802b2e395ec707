import { z } from 'zod';
import { Foreground, MediaType } from '../../src/output/options.ts';
import type { CutOut } from './cut-out.ts';
import type { GarmentView } from './garment-view.ts';
import type { Picture } from './marketplace-picture.ts';

/**
 * What children answer, read and not believed: they decode what strangers send. Further timings pass.
 */
const Common = z.object({ width: z.number(), height: z.number() });

const CutOutWords = Common.extend({
  mediaType: MediaType,
  whole: z.object({ width: z.number(), height: z.number() }),
  foreground: Foreground.optional(),
  confidence: z.number(),
  timings: z.looseObject({
    decodeMillis: z.number(),
    inferenceMillis: z.number(),
    matteMillis: z.number(),
    encodeMillis: z.number(),
    totalMillis: z.number(),
  }),
});

const GarmentViewWords = Common.extend({
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
  hasAlpha: z.boolean(),
  model: z.string(),
  timings: z.looseObject({
    decodeMillis: z.number(),
    inferenceMillis: z.number(),
    totalMillis: z.number(),
  }),
});

/** Throws where it is none. */
export const readCutOut = (words: object, file: Uint8Array): CutOut => ({
  ...CutOutWords.parse(words),
  file,
});

/** Throws where it is none. */
export const readGarmentView = (words: object): GarmentView => GarmentViewWords.parse(words);

const PictureWords = Common.extend({ mediaType: z.enum(['image/jpeg', 'image/png']) });

/** Throws where it is none. */
export const readPicture = (words: object, bytes: Uint8Array): Picture => ({
  ...PictureWords.parse(words),
  bytes,
});
