import { clamp, round } from '../numeric.ts';
import type { Model } from '../params.ts';

/** Belief about one offset: mean, K, and variance, K². */
export interface Belief {
  meanK: number;
  variance: number;
}

/** One vote and its prediction by the heat balance. */
export interface Observation {
  /** −3 cold … 3 hot, ASHRAE scale. */
  vote: number;
  /** Predicted vote of a person without any offset; may exceed the scale. */
  neutralVote: number;
  /** Votes by which a kelvin of offset lowers the prediction. */
  votesPerK: number;
  /** Variance of votes around the prediction, votes². */
  noise: number;
}

export interface VoteUpdate {
  belief: Belief;
  predictedVote: number;
  residual: number;
  /** Weight of the vote: 1.25 if it is as predicted, towards 0 for outliers. */
  weight: number;
  /** K of offset per vote of residual. */
  gain: number;
  status: 'applied' | 'downweighted' | 'saturated';
}

const COLDEST = -3;
const HOTTEST = 3;
// Rounded after every vote, so that two calls give the same result as one.
const DECIMALS = 6;

/**
 * One update of a Kalman filter with Student t noise: outliers get little weight. A vote at the end of
 * the scale that was predicted there carries no information and changes nothing.
 * @param maxK bound of the absolute offset
 */
export function updateBelief(
  model: Model,
  prior: Belief,
  observation: Observation,
  maxK: number,
): VoteUpdate {
  const { drift, nu, varianceMin, doubted } = model.k.learn;
  const { vote, votesPerK } = observation;
  const expected = observation.neutralVote - votesPerK * prior.meanK;
  const predictedVote = clamp(expected, COLDEST, HOTTEST);
  const residual = vote - predictedVote;
  if (residual === 0 && Math.abs(vote) === HOTTEST)
    return { belief: prior, predictedVote, residual, weight: 0, gain: 0, status: 'saturated' };

  // Beyond the scale the balance predicts votes less and less well.
  const noise = observation.noise * (1 + (expected - predictedVote) ** 2);
  const variance = prior.variance + drift;
  const spread = votesPerK ** 2 * variance;
  const weight = (nu + 1) / (nu + residual ** 2 / (spread + noise));
  const gain = (-variance * votesPerK) / (spread + noise / weight);
  return {
    belief: {
      meanK: round(clamp(prior.meanK + gain * residual, -maxK, maxK), DECIMALS),
      variance: round(Math.max(varianceMin, (1 + gain * votesPerK) * variance), DECIMALS),
    },
    predictedVote,
    residual,
    weight,
    gain,
    status: weight < doubted ? 'downweighted' : 'applied',
  };
}
