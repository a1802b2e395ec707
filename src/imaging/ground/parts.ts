import type { MattedImage } from '../downscale.ts';
import type { Matte } from '../matte.ts';
import { eachBorderSide, regionsOf } from '../regions.ts';
import type { Pixels } from '../tensor.ts';
import { type EvenGround, quantileOf } from './even-ground.ts';

/** A piece of the subject that has the ground's colour. */
export interface Piece {
  /** Pixels. */
  size: number;
  /** Mean alpha, 0..1. */
  alpha: number;
  /** Share of its border, but for what is open to the ground outside, that is a real edge and no shading. */
  enclosed: number;
  /** Share of its border that is open to the ground outside. */
  open: number;
  /** Median distance from the ground, levels. */
  distance: number;
  /** Area over half of the border, pixels: about its width if it is long. */
  thickness: number;
  /** Its pixels. */
  cells: Int32Array;
  /** Returns whether no ground outside is near, across or along. */
  isDeep: () => boolean;
  /** It is as white or as black as pictures get: a light, a print or a shadow is as well. */
  isClipped: () => boolean;
}

/** Alpha from which on a pixel belongs to the subject, faintly. */
const FAINT = 13;
/** A smaller piece is not looked at, pixels. */
const MIN_PIXELS = 12;
/** An edge is sought so far from a piece, as a share of the longer side, and no nearer than so many pixels. */
const REACH = { share: 1 / 200, minPixels: 3 };
/** Ground outside is near within this share of the longer side: a hand's breadth. */
const NEAR = 0.03;
/** Levels. */
const CLIPPED = { white: 252, black: 24 };

/** What pieces are measured by. */
interface Scene {
  image: MattedImage;
  ground: EvenGround;
  /** Of all pieces. */
  marks: Uint8Array;
  /** `REACH` and `NEAR`, pixels. */
  reach: number;
  near: number;
}

/** Returns what is beside a pixel of the border, in steps of `step`: nothing where the piece goes on behind noise. */
function besideOf(
  { marks, reach, ground: { distance, minEdge } }: Scene,
  pixel: number,
  step: number,
  room: number,
): 'edge' | 'shading' | undefined {
  const count = Math.min(room, reach);
  for (let n = 1; n <= count; n++) {
    if (marks[pixel + n * step] === 1) return undefined;
    if (distance[pixel + n * step]! > minEdge) return 'edge';
  }
  return 'shading';
}

const isOutside = ({ image, ground }: Scene, pixel: number): boolean =>
  ground.distance[pixel]! <= ground.tolerance && image.matte.data[pixel]! < FAINT;

/** Returns whether ground outside is near in one direction. */
function isNear(scene: Scene, pixel: number, step: number, room: number): boolean {
  const count = Math.min(room, scene.near);
  for (let n = 1; n <= count; n++) if (isOutside(scene, pixel + n * step)) return true;
  return false;
}

function isDeep(scene: Scene, cells: Int32Array): boolean {
  let isFound = false;
  eachBorderSide(cells, scene.marks, scene.image.matte.width, (pixel, step, room) => {
    isFound ||= isNear(scene, pixel, step, room);
  });
  return !isFound;
}

function isClipped({ data }: Pixels, cells: Int32Array): boolean {
  const means = [0, 1, 2].map((channel) => {
    let sum = 0;
    for (const pixel of cells) sum += data[3 * pixel + channel]!;
    return sum / cells.length;
  });
  return Math.min(...means) >= CLIPPED.white || Math.max(...means) <= CLIPPED.black;
}

/** Counts the border of a piece: all of it, real edges, and what is open to the ground. */
function measureBorder(scene: Scene, cells: Int32Array) {
  let [border, edges, open] = [0, 0, 0];
  eachBorderSide(cells, scene.marks, scene.image.matte.width, (pixel, step, room) => {
    if (room > 0 && isOutside(scene, pixel + step)) open++;
    else {
      const beside = besideOf(scene, pixel, step, room);
      if (beside) border++;
      if (beside === 'edge') edges++;
    }
  });
  const all = Math.max(1, border + open);
  const thickness = (2 * cells.length) / all;
  return { enclosed: border > 0 ? edges / border : 0, open: open / all, thickness };
}

function measure(scene: Scene, cells: Int32Array): Piece {
  const { pixels, matte } = scene.image;
  const levels = new Uint32Array(256);
  let alpha = 0;
  for (const pixel of cells) {
    alpha += matte.data[pixel]!;
    levels[scene.ground.distance[pixel]!]!++;
  }
  const size = cells.length;
  return {
    size,
    alpha: alpha / size / 255,
    distance: quantileOf(levels, size / 2),
    ...measureBorder(scene, cells),
    cells,
    isDeep: () => isDeep(scene, cells),
    isClipped: () => isClipped(pixels, cells),
  };
}

/** Returns the pieces of the subject that have the ground's colour. */
export function findPieces(image: MattedImage, ground: EvenGround): Piece[] {
  const { data, width } = image.matte;
  const { distance, tolerance, longerSide } = ground;
  const marks = new Uint8Array(data.length);
  for (let i = 0; i < marks.length; i++)
    if (data[i]! >= FAINT && distance[i]! <= tolerance) marks[i] = 1;
  const reach = Math.max(REACH.minPixels, Math.round(REACH.share * longerSide));
  const scene = { image, ground, marks, reach, near: Math.round(NEAR * longerSide) };
  return regionsOf(marks, width, MIN_PIXELS).map((cells) => measure(scene, cells));
}

/** A smaller shadow is not looked at, pixels. */
const MIN_SHADOW_PIXELS = 24;
/** A soft shadow differs from the ground by less, levels. */
const MAX_DISTANCE = 90;
/** Its neighbours differ by less, levels beside the noise. */
const ROUGHNESS = 4;
/** So many of its pixels may be no shadow, or differ more, share. */
const MAX_OTHERS = 0.02;

/**
 * Returns soft shadows on the ground that were taken for subject and do not touch it; never the largest piece.
 * @param isClear 1 where a pixel is clear by now, whatever the matte says
 */
export function detachedShadows(
  { data, width }: Matte,
  ground: EvenGround,
  isClear: Uint8Array,
): Int32Array[] {
  const { distance, tolerance, noise } = ground;
  const marks = new Uint8Array(data.length);
  for (let i = 0; i < marks.length; i++) if (data[i]! >= FAINT && isClear[i] !== 1) marks[i] = 1;
  const pieces = regionsOf(marks, width, MIN_SHADOW_PIXELS);
  const largest = pieces.reduce((most, { length }) => Math.max(most, length), 0);
  const isOther = (pixel: number): boolean =>
    distance[pixel]! > MAX_DISTANCE ||
    Math.abs(distance[pixel]! - distance[pixel + 1]!) > ROUGHNESS + noise ||
    Math.abs(distance[pixel]! - distance[pixel + width]!) > ROUGHNESS + noise ||
    ground.shadedDistance(pixel) > tolerance;
  return pieces.filter((cells) => {
    if (cells.length === largest) return false;
    const limit = MAX_OTHERS * cells.length;
    let others = 0;
    for (let n = 0; n < cells.length && others <= limit; n++) if (isOther(cells[n]!)) others++;
    return others <= limit;
  });
}
