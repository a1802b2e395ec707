import { z } from 'zod';
import fitted from './confidence.json' with { type: 'json' };
import { FEATURES, type Features } from './features.ts';

/** A logistic model of whether a named category is right; fitted by `npm run bench -- taxonomy --fit`. */
const ConfidenceModel = z.object({
  intercept: z.number(),
  weights: z.partialRecord(z.enum(FEATURES), z.number()),
});
export type ConfidenceModel = z.infer<typeof ConfidenceModel>;

/** Words mislead and sellers err: no text gives more. */
const MAX_CONFIDENCE = 0.989;

const MODEL = ConfidenceModel.parse(fitted);

/** Returns the model's probability, 0–1, that a category named with these features is right. */
export function probabilityOf(features: Features, { intercept, weights }: ConfidenceModel): number {
  const score = FEATURES.reduce(
    (sum, name) => sum + (weights[name] ?? 0) * features[name],
    intercept,
  );
  return 1 / (1 + Math.exp(-score));
}

/**
 * Returns the confidence, 0–1, in a category named with these features.
 * @param limit the highest it may be, 0–1: the article may be another thing than the name says
 */
export const confidenceOf = (features: Features, limit = MAX_CONFIDENCE): number =>
  Math.min(limit, MAX_CONFIDENCE, probabilityOf(features, MODEL));
