import type { Matte } from '../src/imaging/picture.ts';

/** Accuracy of a matte against its reference. */
export interface Scores {
  /** Intersection over union of both mattes thresholded at one half, 0..1. */
  iou: number;
  /** Mean difference of alpha, 0..1. */
  mae: number;
  /** The same within the reference's edge band. */
  edge: number;
  /** Share of the subject, outside the band, whose alpha is exactly 255. */
  solid: number;
  /** Share of the background, outside the band, whose alpha is exactly 0. */
  clear: number;
}

/** A reference matte; pixels whose `ignore` is above one half count neither way. */
export interface Reference extends Matte {
  ignore?: Uint8Array | undefined;
}

/** Half width of the edge band, pixels. */
const BAND_PIXELS = 6;

const HALF = 127;
/** Alphas up to this distance from 0 or 255 do not count as soft. */
const SOFT_MARGIN = 5;

const isInside = (alpha: number): boolean => alpha > HALF;
const isSoft = (alpha: number): boolean => alpha > SOFT_MARGIN && alpha < 255 - SOFT_MARGIN;

/** Returns a summed-area table: for each pixel corner, how many pixels above and left of it are inside. */
function insideSums({ data, width, height }: Matte): Uint32Array {
  const sums = new Uint32Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      if (isInside(data[y * width + x]!)) row++;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row;
    }
  }
  return sums;
}

/** Returns one byte per pixel: 1 if its window has both sides of an edge or its alpha is soft. */
function edgeBand(reference: Matte): Uint8Array {
  const { data, width, height } = reference;
  const sums = insideSums(reference);
  const at = (x: number, y: number) => sums[y * (width + 1) + x]!;
  return data.map((alpha, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    const [left, top] = [Math.max(0, x - BAND_PIXELS), Math.max(0, y - BAND_PIXELS)];
    const right = Math.min(width, x + BAND_PIXELS + 1);
    const bottom = Math.min(height, y + BAND_PIXELS + 1);
    const inside = at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
    const isMixed = inside > 0 && inside < (right - left) * (bottom - top);
    return isMixed || isSoft(alpha) ? 1 : 0;
  });
}

/** Creates a running mean, which is `empty` without values. */
function runningMean(empty: number) {
  let [sum, count] = [0, 0];
  return {
    add(value: number) {
      sum += value;
      count++;
    },
    value: () => (count === 0 ? empty : sum / count),
  };
}

/** Compares two mattes of the same size. */
export function scoresOf(matte: Matte, reference: Reference): Scores {
  if (matte.width !== reference.width || matte.height !== reference.height)
    throw new Error('A matte and its reference must have the same size');
  const band = edgeBand(reference);
  const [mae, edge, solid, clear] = [
    runningMean(0),
    runningMean(0),
    runningMean(1),
    runningMean(1),
  ];
  let [intersection, union] = [0, 0];
  reference.data.forEach((wanted, i) => {
    if (isInside(reference.ignore?.[i] ?? 0)) return;
    const alpha = matte.data[i]!;
    const distance = Math.abs(alpha - wanted) / 255;
    if (isInside(alpha) && isInside(wanted)) intersection++;
    if (isInside(alpha) || isInside(wanted)) union++;
    mae.add(distance);
    if (band[i]) edge.add(distance);
    else if (isInside(wanted)) solid.add(alpha === 255 ? 1 : 0);
    else clear.add(alpha === 0 ? 1 : 0);
  });
  return {
    iou: union === 0 ? 1 : intersection / union,
    mae: mae.value(),
    edge: edge.value(),
    solid: solid.value(),
    clear: clear.value(),
  };
}

/** Alphas of the reference at which an edge is soft enough to show two colours. */
const SOFT = { from: 13, to: 242 };

/**
 * Returns the error of a cut-out's colours under soft edges, 0..1, weighted by its alpha.
 * @param cutOut RGBA of the reference's size, as `own`, the subject's own colours
 */
export function colourError(cutOut: Uint8Array, own: Uint8Array, reference: Matte): number {
  let [sum, weights] = [0, 0];
  reference.data.forEach((wanted, i) => {
    if (wanted < SOFT.from || wanted > SOFT.to) return;
    const weight = cutOut[4 * i + 3]!;
    for (let c = 4 * i; c < 4 * i + 3; c++) sum += (weight * Math.abs(cutOut[c]! - own[c]!)) / 255;
    weights += 3 * weight;
  });
  return weights === 0 ? 0 : sum / weights;
}
