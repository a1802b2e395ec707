import type { Matte } from '../src/imaging/matte.ts';

/** How near a matte is to its reference. */
export interface Scores {
  /** Of both mattes cut at one half: shared area by joint area, 0..1. */
  iou: number;
  /** Mean distance of alpha, 0..1. */
  mae: number;
  /** The same over the reference's edge band alone. */
  edge: number;
  /** Share of the subject's inside, off the band, whose alpha is exactly 255. */
  solid: number;
  /** Share of the backdrop, off the band, whose alpha is exactly 0. */
  clear: number;
}

/** The band reaches this many pixels to each side of an edge. */
const BAND_PIXELS = 6;

const HALF = 127;
/** Alphas up to here, or as near to 255, are as good as none or all. */
const FAINT = 5;

const isInside = (alpha: number): boolean => alpha > HALF;
const isSoft = (alpha: number): boolean => alpha > FAINT && alpha < 255 - FAINT;

/** For each corner between pixels: how many pixels above and left of it are inside. */
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

/** One byte a pixel: 1 where the window around it has both sides of an edge, or alpha itself is soft. */
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

/** A mean that grows value by value; of none it is `empty`. */
function mean(empty: number) {
  let [sum, count] = [0, 0];
  return {
    add(value: number) {
      sum += value;
      count++;
    },
    value: () => (count === 0 ? empty : sum / count),
  };
}

/** Compares two mattes of one size. */
export function scoresOf(matte: Matte, reference: Matte): Scores {
  if (matte.width !== reference.width || matte.height !== reference.height)
    throw new Error('A matte and its reference must be of one size');
  const band = edgeBand(reference);
  const [mae, edge, solid, clear] = [mean(0), mean(0), mean(1), mean(1)];
  let [shared, joint] = [0, 0];
  reference.data.forEach((wanted, i) => {
    const alpha = matte.data[i]!;
    const distance = Math.abs(alpha - wanted) / 255;
    if (isInside(alpha) && isInside(wanted)) shared++;
    if (isInside(alpha) || isInside(wanted)) joint++;
    mae.add(distance);
    if (band[i]) edge.add(distance);
    else if (isInside(wanted)) solid.add(alpha === 255 ? 1 : 0);
    else clear.add(alpha === 0 ? 1 : 0);
  });
  return {
    iou: joint === 0 ? 1 : shared / joint,
    mae: mae.value(),
    edge: edge.value(),
    solid: solid.value(),
    clear: clear.value(),
  };
}

/** Alphas of the reference between which an edge counts as soft enough to show two colours. */
const SOFT = { from: 13, to: 242 };

/**
 * How far the colours of a cut-out are from the subject's own under soft edges, 0..1, weighted by its alpha.
 * @param cutOut and `own` RGBA, of the size of the reference
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
