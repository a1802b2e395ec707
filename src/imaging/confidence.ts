import { shareCutByFrame } from './image-border.ts';
import type { ProbabilityMap } from './probability-map.ts';

/** Pixels below this probability are background and do not count. */
export const CANDIDATE = 0.05;

/** Returns the mean of |2p - 1| over all pixels that may be subject; 0 if there are none. */
export function decisivenessOf(probabilities: Float32Array): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < probabilities.length; i++) {
    const p = probabilities[i]!;
    if (p < CANDIDATE) continue;
    sum += Math.abs(2 * p - 1);
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** From this share of the border on that is subject, no background shows. */
const FILLED_BORDER = 0.95;

/** Whether no background shows at the border of a map. */
export const isFilled = (map: ProbabilityMap): boolean => shareCutByFrame(map) >= FILLED_BORDER;

/** Logistic fit: the decisiveness at which a matte is as likely right as wrong, and the slope there. */
const MIDPOINT = 0.843;
const STEEPNESS = 32;

/** The most that is said of a matte without a background. */
const MAX_WITHOUT_BACKGROUND = 0.5;

/**
 * Estimates how likely a network's matte is right, 0..1. Right means an IoU of at least .85 with a matte drawn by
 * a person. Fitted to the default model on photos and on degraded copies of them; for other models the value ranks
 * mattes but is no probability. A network can be confident and wrong: of garments turned on their side it may keep
 * only what looks worn. Of an image that its subject fills to all sides the value is at most .5: a close-up may be
 * all subject, but so is noise to a network, or one even colour.
 * @param map the network's output for a whole image
 * @see docs/adr/0016-pixel-processing.md
 */
export function estimateConfidence(map: ProbabilityMap): number {
  const confidence = 1 / (1 + Math.exp(STEEPNESS * (MIDPOINT - decisivenessOf(map.data))));
  return isFilled(map) ? Math.min(MAX_WITHOUT_BACKGROUND, confidence) : confidence;
}

/**
 * Returns the confidence in a map after cells of it were decided otherwise: never less than before.
 * @param confidence in the map as it was, or in an earlier view
 */
export function raiseConfidence(
  confidence: number,
  before: ProbabilityMap,
  after: ProbabilityMap,
): number {
  const rise = decisivenessOf(after.data) - decisivenessOf(before.data);
  const odds = (confidence / (1 - confidence)) * Math.exp(STEEPNESS * Math.max(0, rise));
  return odds === Number.POSITIVE_INFINITY ? 1 : odds / (1 + odds);
}
