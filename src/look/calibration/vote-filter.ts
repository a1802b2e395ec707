import { clamp, round } from '../numeric.ts';
import type { Model } from '../params.ts';

/** What is believed of one offset: its mean, K, and how sure that is, K². */
export interface Belief {
  meanK: number;
  variance: number;
}

/** One vote and what the heat balance says of it. */
export interface Observation {
  /** −3 cold … 3 hot, ASHRAE scale. */
  vote: number;
  /** The vote predicted for a person without any offset; may lie beyond the scale. */
  neutralVote: number;
  /** Votes that a kelvin of offset makes it colder. */
  votesPerK: number;
  /** Spread of votes around the prediction, votes². */
  noise: number;
}

export interface Learned {
  belief: Belief;
  predictedVote: number;
  residual: number;
  /** What the vote counted for against one that was foreseen, 0–1.25. */
  weight: number;
  /** K of offset for each vote of residual. */
  gain: number;
  status: 'applied' | 'downweighted' | 'saturated';
}

const COLDEST = -3;
const HOTTEST = 3;
// Kept at this precision after every vote, so that two calls learn what one learns.
const DECIMALS = 6;

/**
 * One step of a Kalman filter whose noise has the tails of a Student t: a vote far from the
 * prediction counts for little. A vote at the end of the scale that was foreseen there says nothing.
 * @param maxK bound of the offset to both sides
 */
export function learnVote(model: Model, before: Belief, seen: Observation, maxK: number): Learned {
  const { drift, nu, varianceMin, doubted } = model.k.learn;
  const { vote, votesPerK } = seen;
  const expected = seen.neutralVote - votesPerK * before.meanK;
  const predictedVote = clamp(expected, COLDEST, HOTTEST);
  const residual = vote - predictedVote;
  if (residual === 0 && Math.abs(vote) === HOTTEST)
    return { belief: before, predictedVote, residual, weight: 0, gain: 0, status: 'saturated' };

  // Beyond the scale the balance is no longer a measure of votes: the further, the less it is one.
  const noise = seen.noise * (1 + (expected - predictedVote) ** 2);
  const variance = before.variance + drift;
  const spread = votesPerK ** 2 * variance;
  const weight = (nu + 1) / (nu + residual ** 2 / (spread + noise));
  const gain = (-variance * votesPerK) / (spread + noise / weight);
  return {
    belief: {
      meanK: round(clamp(before.meanK + gain * residual, -maxK, maxK), DECIMALS),
      variance: round(Math.max(varianceMin, (1 + gain * votesPerK) * variance), DECIMALS),
    },
    predictedVote,
    residual,
    weight,
    gain,
    status: weight < doubted ? 'downweighted' : 'applied',
  };
}
