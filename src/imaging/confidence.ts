/** Below this a pixel is no candidate for the subject. */
const CANDIDATE = 0.05;

/** The mean of |2p - 1| over all pixels that may be subject; 0 when there are none. */
function meanDecision(net: Float32Array): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < net.length; i++) {
    const p = net[i]!;
    if (p < CANDIDATE) continue;
    sum += Math.abs(2 * p - 1);
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** Where a matte is as likely right as wrong, and how soon it is surely either. */
const EVEN = 0.816;
const STEEPNESS = 41;

/**
 * How likely the matte of a network is right, 0..1: shares no less than .85 of its area with what a person
 * would draw. Fitted to the default model on photos and on the same photos harmed; other models are ranked by it,
 * but their figures are none of likelihood. A network can still be surely wrong: of garments turned on their side
 * it may keep what looks worn.
 * @param net as the network gave it, 0..1
 * @see docs/adr/0016-pixel-processing.md
 */
export const certaintyOf = (net: Float32Array): number =>
  1 / (1 + Math.exp(STEEPNESS * (EVEN - meanDecision(net))));
