import { z } from 'zod';

/*
 * The result of the job `classify-garment`, which passes from the worker through the queue to the gateway.
 * The schema is here because both processes, and the records that store it, read it.
 */

const MeasuredColor = z.object({
  family: z.string(),
  hex: z.string(),
  /** Of the subject's pixels, 0..1. */
  share: z.number(),
  /** CIELAB. */
  lab: z.tuple([z.number(), z.number(), z.number()]).readonly(),
  deltaE: z.number(),
});

const GarmentMeasurements = z.object({
  /** One per class of the model, in its order; they sum to 1. */
  probabilities: z.array(z.number()),
  /** Of the garment, the largest share first. */
  colors: z.array(MeasuredColor),
});

/** Of what was cut out; see `src/imaging/fingerprint.ts`. Absent if nothing was, and from results of older releases. */
export const Fingerprint = z.string().optional();

/** The model's output for one image, before `taxonomy` turns it into terms. */
export const GarmentView = z.object({
  /** Pixels of the upright image. */
  width: z.number(),
  height: z.number(),
  /** `id@version` of the model used. */
  model: z.string(),
  ...GarmentMeasurements.shape,
  fingerprint: Fingerprint,
  /** What a person wears in the image, the largest first; absent from results of older releases. */
  worn: z.array(GarmentMeasurements.extend({ share: z.number() })).optional(),
  /** Whether the image had an alpha channel with transparency. */
  hasAlpha: z.boolean(),
});
