import { z } from 'zod';

const MeasuredColor = z.object({
  family: z.string(),
  hex: z.string(),
  share: z.number(),
  lab: z.tuple([z.number(), z.number(), z.number()]).readonly(),
  deltaE: z.number(),
});

/** What can be seen of a garment in an image, before words are put to it. */
export const GarmentView = z.object({
  /** Pixels of the upright image. */
  width: z.number(),
  height: z.number(),
  /** `id@version` of the model that answered. */
  model: z.string(),
  /** Of each class of the model, in its order; sum to 1. */
  probabilities: z.array(z.number()),
  /** Of the subject, the largest share first. */
  colors: z.array(MeasuredColor),
  /** The image came with transparency. */
  hasAlpha: z.boolean(),
});
