import { type Patience, solve } from './conjugate-gradient.ts';
import type { Matte } from './matte.ts';
import { type Equations, MIDDLE, mattingLaplacian, STENCIL } from './matting-laplacian.ts';
import type { Pixels } from './tensor.ts';
import type { Band } from './unsure-band.ts';

/**
 * How much the first matte counts against the photo, by how sure it is: nothing at one half, this much at
 * either end.
 */
const TRUST = 0.035;
/** The first matte's middle is stretched before it is trusted: networks blur edges. */
const STRETCH = [0.2, 0.8] as const;
/** Where photo and first matte differ by this much, the matte counts for half. */
const DISAGREEMENT = 0.2;
/** After the first solution the matte's weights are told anew so often. */
const REPEATS = 2;
const PATIENCE: Patience = { tolerance: 1e-3, mostSteps: 40 };
/** What is this near to none or all is. */
const LEVELS = [0.04, 0.96] as const;

/** `value` on the way from `low` to `high`, 0..1. */
const between = (value: number, [low, high]: readonly [number, number]): number =>
  Math.min(1, Math.max(0, (value - low) / (high - low)));

/** What the first matte says of the pixels of a band, 0..1, and how much that counts. */
interface Prior {
  alpha: Float64Array;
  weight: Float64Array;
}

function priorOf({ data }: Matte, { places }: Band): Prior {
  const alpha = new Float64Array(places.length);
  const weight = new Float64Array(places.length);
  for (let n = 0; n < places.length; n++) {
    const seen = data[places[n]!]! / 255;
    alpha[n] = between(seen, STRETCH);
    weight[n] = 1e-9 + TRUST * (2 * seen - 1) ** 2;
  }
  return { alpha, weight };
}

/** Adds `share(n)` times "alpha is what the first matte says" to each equation. */
function lean({ factors, right }: Equations, { alpha }: Prior, share: (n: number) => number): void {
  for (let n = 0; n < alpha.length; n++) {
    const more = share(n);
    factors[STENCIL * n + MIDDLE]! += more;
    right[n]! += more * alpha[n]!;
  }
}

/**
 * Alpha of the pixels of a band, 0..1: what photo and first matte agree on best. Where they do not agree, the
 * matte counts less from round to round.
 * @see Levin, Lischinski & Weiss, A Closed-Form Solution to Natural Image Matting, PAMI 30(2), 2008
 * @see Holland & Welsch, Robust Regression Using Iteratively Reweighted Least-Squares, 1977; the weights are
 *   those of Geman & McClure, 1 / (1 + (distance / scale)^2) here
 */
export function closedForm(pixels: Pixels, matte: Matte, band: Band): Float64Array {
  const equations = mattingLaplacian(pixels, matte, band);
  const prior = priorOf(matte, band);
  const unknowns = { places: band.places, width: matte.width, height: matte.height };
  const alpha = Float64Array.from(band.places, (place) => matte.data[place]! / 255);
  const counted = prior.weight.slice();
  lean(equations, prior, (n) => counted[n]!);
  solve(equations, unknowns, alpha, PATIENCE);
  for (let round = 0; round < REPEATS; round++) {
    lean(equations, prior, (n) => {
      const apart = (alpha[n]! - prior.alpha[n]!) / DISAGREEMENT;
      const weight = prior.weight[n]! / (1 + apart * apart);
      const more = weight - counted[n]!;
      counted[n] = weight;
      return more;
    });
    solve(equations, unknowns, alpha, PATIENCE);
  }
  for (let n = 0; n < alpha.length; n++) alpha[n] = between(alpha[n]!, LEVELS);
  return alpha;
}
