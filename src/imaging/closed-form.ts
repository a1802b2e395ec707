import { type SolverLimits, solve } from './conjugate-gradient.ts';
import type { Levels, Matte } from './matte.ts';
import { type Equations, mattingLaplacian, STENCIL, STENCIL_CENTRE } from './matting-laplacian.ts';
import type { Pixels } from './tensor.ts';
import type { Band } from './unsure-band.ts';

/** Weight of the initial matte against the photo where alpha is 0 or 1; it falls to zero at one half. */
const PRIOR_WEIGHT = 0.035;
/** The initial matte is stretched between these levels first: networks blur edges. */
const STRETCH = [0.2, 0.8] as const;
/** Where solution and initial matte differ by this much, the matte's weight is halved. */
const DISAGREEMENT_SCALE = 0.2;

/** How thoroughly edges are solved for. */
export interface SolvingEffort extends SolverLimits {
  /** How often the prior is reweighted after the first solution. */
  reweightings: number;
}

/** Maps `low`..`high` to 0..1, clamped. */
export const linearStep = (value: number, [low, high]: Levels): number =>
  Math.min(1, Math.max(0, (value - low) / (high - low)));

/** The initial matte over the pixels of a band: alpha, 0..1, and its weight. */
interface Prior {
  alpha: Float64Array;
  weight: Float64Array;
}

function readPrior({ data }: Matte, { indices }: Band): Prior {
  const alpha = new Float64Array(indices.length);
  const weight = new Float64Array(indices.length);
  for (let n = 0; n < indices.length; n++) {
    const value = data[indices[n]!]! / 255;
    alpha[n] = linearStep(value, STRETCH);
    weight[n] = 1e-9 + PRIOR_WEIGHT * (2 * value - 1) ** 2;
  }
  return { alpha, weight };
}

/** Adds the prior's equation "alpha equals the initial matte" to each pixel, with these weights. */
function addPrior(
  { coefficients, rhs }: Equations,
  { alpha }: Prior,
  weights: Readonly<Float64Array>,
): void {
  for (let n = 0; n < alpha.length; n++) {
    coefficients[STENCIL * n + STENCIL_CENTRE]! += weights[n]!;
    rhs[n]! += weights[n]! * alpha[n]!;
  }
}

/** Weighs the prior anew, by how far a solution is from it. Returns what is added to the weights applied so far. */
function reweigh(prior: Prior, solution: Float64Array, applied: Float64Array): Float64Array {
  const added = new Float64Array(applied.length);
  for (let n = 0; n < added.length; n++) {
    const residual = (solution[n]! - prior.alpha[n]!) / DISAGREEMENT_SCALE;
    const weight = prior.weight[n]! / (1 + residual * residual);
    added[n] = weight - applied[n]!;
    applied[n] = weight;
  }
  return added;
}

/**
 * Solves for alpha, 0..1, of the pixels of a band: the best agreement of photo and initial matte. Where they
 * disagree, the matte's weight falls from round to round.
 * @see Levin, Lischinski & Weiss, A Closed-Form Solution to Natural Image Matting, PAMI 30(2), 2008
 * @see Holland & Welsch, Robust Regression Using Iteratively Reweighted Least-Squares, 1977; the weights are
 *   those of Geman & McClure, 1 / (1 + (distance / scale)^2) here
 */
export function closedForm(
  pixels: Pixels,
  matte: Matte,
  band: Band,
  { reweightings, ...limits }: SolvingEffort,
): Float64Array {
  const equations = mattingLaplacian(pixels, matte, band);
  const prior = readPrior(matte, band);
  const unknowns = { indices: band.indices, width: matte.width, height: matte.height };
  const alpha = new Float64Array(band.indices.length);
  for (let n = 0; n < alpha.length; n++) alpha[n] = matte.data[band.indices[n]!]! / 255;
  const applied = prior.weight.slice();
  addPrior(equations, prior, applied);
  solve(equations, unknowns, alpha, limits);
  for (let round = 0; round < reweightings; round++) {
    addPrior(equations, prior, reweigh(prior, alpha, applied));
    solve(equations, unknowns, alpha, limits);
  }
  return alpha;
}
