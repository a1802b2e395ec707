import type { Matte, MattedImage, Pixels } from '../picture.ts';
import { eachBorderSide, regionsOf } from '../regions.ts';
import { type EvenGround, middleOf, quantileOf } from './even-ground.ts';

/** What the ground says of a part of a matte: it is wrong, or may be. */
export type Verdict = 'wrong' | 'unsure' | 'right';

/** A piece of the subject that has the ground's colour. */
interface Piece {
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
  cells: Int32Array;
  /** Returns whether no ground outside is near, across or along. */
  isDeep: () => boolean;
  /** It is as white or as black as pictures get: a light, a print or a shadow is as well. */
  isClipped: () => boolean;
}

/** Alpha from which on a pixel belongs to the subject, faintly, or wholly. */
const [FAINT, HALF] = [13, 128];
/** A smaller piece, hole or shadow is not looked at, pixels. */
const MIN_PIXELS = { piece: 12, hole: 24, shadow: 24 };
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

function measurePiece(scene: Scene, cells: Int32Array): Piece {
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
function findPieces(image: MattedImage, ground: EvenGround): Piece[] {
  const { data, width } = image.matte;
  const { distance, tolerance, longerSide } = ground;
  const marks = new Uint8Array(data.length);
  for (let i = 0; i < marks.length; i++)
    if (data[i]! >= FAINT && distance[i]! <= tolerance) marks[i] = 1;
  const reach = Math.max(REACH.minPixels, Math.round(REACH.share * longerSide));
  const scene = { image, ground, marks, reach, near: Math.round(NEAR * longerSide) };
  return regionsOf(marks, width, MIN_PIXELS.piece).map((cells) => measurePiece(scene, cells));
}

/** What decides whether a piece of the ground's colour is ground. Set on photos and drawings with references. */
const GAP = {
  /** Its median is so near to the ground, levels beside the ground's own noise. */
  maxDistance: 2,
  /** Real edges enclose so much of its border; more if the network is sure of it. */
  minEnclosed: 0.6,
  minEnclosedIfSure: 0.7,
  /** Of a larger share of the subject the network cannot be so wrong: goods of the ground's colour. */
  maxShareIfSure: 0.5,
  /**
   * Of the ground's very colour, levels beside its noise, and not sure: less is enough, or to be open to the outside. A ground
   * with more noise has no such colour: a white sleeve is as near to it.
   */
  exact: { maxDistance: 1, maxNoise: 3, minEnclosed: 0.25, minOpen: 0.4 },
  /** The network is sure from this alpha on. */
  sure: 0.985,
  /** A thinner piece may be a print, a zip or a light deep within the subject, or its outline; share of the longer side. */
  minThickness: 0.012,
  /** What may be a gap is worth a look if real edges enclose so much of it. */
  minEnclosedToAsk: 0.4,
};

export const isSure = ({ alpha }: Piece): boolean => alpha >= GAP.sure;

function judgePiece(piece: Piece, { noise, longerSide }: EvenGround, subject: number): Verdict {
  if (piece.distance > GAP.maxDistance + noise) return 'right';
  const isCertain = isSure(piece);
  if (isCertain && piece.size > GAP.maxShareIfSure * subject) return 'unsure';
  const isExact = noise <= GAP.exact.maxNoise && piece.distance <= GAP.exact.maxDistance + noise;
  const isThin = piece.thickness < GAP.minThickness * longerSide;
  const isOpen = piece.open >= GAP.exact.minOpen && !isThin;
  const isShown = piece.enclosed >= GAP.exact.minEnclosed || isOpen;
  if (isExact && !isCertain && isShown) return 'wrong';
  if (piece.enclosed < (isCertain ? GAP.minEnclosedIfSure : GAP.minEnclosed))
    return piece.enclosed < GAP.minEnclosedToAsk ? 'right' : 'unsure';
  return isCertain && isThin && piece.isDeep() && piece.isClipped() ? 'unsure' : 'wrong';
}

/** So many small pieces that real edges enclose are a mesh or a chain, or a pattern. */
const MESH = {
  count: 20,
  minEnclosed: 0.8,
  /** It is a mesh if the pieces' median distance is so small, levels beside the noise; JPEG blurs small ones. */
  maxDistance: 3,
  /** A pattern if it is larger than this. */
  maxDistanceToAsk: 4.5,
  /** A piece so many times the median size is none of it: an arm's gap beside a pattern. */
  maxSize: 4,
};

/** A piece of the subject, and what the ground says of it. */
export interface Gap {
  piece: Piece;
  /** It is one of many alike. */
  isOfMesh: boolean;
  verdict: Verdict;
}

/**
 * Finds what may be gaps in the subject, and judges them; those that make up a mesh or a pattern together.
 * @param subject area, pixels
 */
export function findGaps(image: MattedImage, ground: EvenGround, subject: number): Gap[] {
  const pieces = findPieces(image, ground);
  const holes = pieces.filter(({ enclosed, open }) => enclosed >= MESH.minEnclosed && open === 0);
  const alone = (piece: Piece): Gap => ({
    piece,
    isOfMesh: false,
    verdict: judgePiece(piece, ground, subject),
  });
  if (holes.length < MESH.count) return pieces.map(alone);
  const maxSize = MESH.maxSize * middleOf(holes.map(({ size }) => size));
  const distance = middleOf(holes.map((piece) => piece.distance)) - ground.noise;
  const verdict: Verdict =
    distance <= MESH.maxDistance ? 'wrong' : distance <= MESH.maxDistanceToAsk ? 'unsure' : 'right';
  const all = new Set(holes.filter(({ size }) => size <= maxSize));
  return pieces.map((piece) =>
    all.has(piece) ? { piece, isOfMesh: true, verdict } : alone(piece),
  );
}

/** A part that was left out of the subject, within it or at its outline, although it has not the ground's colour. */
interface Hole {
  cells: Int32Array;
  /** Share of its pixels that no soft shadow on the ground explains. */
  foreign: number;
  /** Between how many levels from the ground six tenths of it lie: a shadow is uneven. */
  range: number;
  /** Their median. */
  distance: number;
  /** Share of its border that is open to the ground; a hole within the subject has none. */
  open: number;
  /** Of what is open, the share that is a crisp edge; a shadow fades. */
  crisp: number;
  /** Area over what is open of its border, pixels. */
  depth: number;
}

/** From so far from the ground on a pixel is no soft shadow on it, levels. */
const MAX_SHADOW = 60;

/** Returns whether a pixel is certainly no ground, neither in light nor in a soft shadow. */
const isForeign = (ground: EvenGround, pixel: number): boolean =>
  ground.distance[pixel]! > MAX_SHADOW || ground.shadedDistance(pixel) > ground.minEdge;

/** So much of its border is subject: else it lies outside. */
const MIN_ENCLOSED = 0.5;
/** A crisp edge is no wider, pixels. */
const CRISP_REACH = 3;

/** Measures a part. @param marks of all that was left out @returns undefined if it lies outside */
function measureHole(
  cells: Int32Array,
  marks: Uint8Array,
  { data, width }: Matte,
  ground: EvenGround,
): Hole | undefined {
  const { distance: levelsOff, tolerance } = ground;
  let [border, subject, crisp] = [0, 0, 0];
  eachBorderSide(cells, marks, width, (pixel, step, room) => {
    border++;
    if (room > 0 && data[pixel + step]! >= HALF) subject++;
    else if (room >= CRISP_REACH && levelsOff[pixel + CRISP_REACH * step]! <= tolerance) crisp++;
  });
  if (subject < MIN_ENCLOSED * border) return undefined;
  const size = cells.length;
  const levels = new Uint32Array(256);
  let foreign = 0;
  for (const pixel of cells) {
    if (isForeign(ground, pixel)) foreign++;
    levels[levelsOff[pixel]!]!++;
  }
  const range = quantileOf(levels, 0.8 * size) - quantileOf(levels, 0.2 * size);
  const distance = quantileOf(levels, size / 2);
  const open = border - subject;
  const outside = { open: open / border, crisp: crisp / open, depth: size / open };
  return { cells, foreign: foreign / size, range, distance, ...outside };
}

/** What decides whether something that was left out belongs to the subject. */
const HOLE = {
  /** So much of it is no shadow on the ground. */
  minForeign: 0.8,
  /** On a ground without noise, levels, shadows are few, and none is so small, a share of the subject. */
  clean: { maxNoise: 1.5, maxShare: 0.005 },
  /** Or as even, and as far from the ground, levels. */
  lining: { maxRange: 12, minDistance: 30 },
  /** On others a hole is worth a look if so much of it is no shadow. */
  minForeignToAsk: 0.25,
  /** A larger one is none, as a share of the subject. */
  maxShare: 0.2,
  /** More of the border of a hole is subject. */
  maxOpen: 0.25,
};

/** What decides whether something at the outline that was left out belongs to the subject: a heel, a sleeve. */
const NOTCH = {
  /** A ground without noise, levels, shows it. */
  maxNoise: 1.5,
  /** So much of it is no shadow, and so much of its edge is crisp. */
  minForeign: 0.85,
  minCrisp: 0.5,
  /** So far it reaches into the subject, pixels: an outline that is a little too narrow is none. */
  minDepth: 3,
  minDepthShare: 1 / 300,
};

function judgeNotch({ foreign, crisp, depth }: Hole, { noise, longerSide }: EvenGround): Verdict {
  const minDepth = Math.max(NOTCH.minDepth, NOTCH.minDepthShare * longerSide);
  const isSeen = noise <= NOTCH.maxNoise && depth >= minDepth;
  return isSeen && foreign >= NOTCH.minForeign && crisp >= NOTCH.minCrisp ? 'wrong' : 'right';
}

function judgeHole(hole: Hole, ground: EvenGround, subject: number): Verdict {
  const { noise } = ground;
  const share = hole.cells.length / subject;
  if (share > HOLE.maxShare) return 'right';
  if (hole.open > HOLE.maxOpen) return judgeNotch(hole, ground);
  if (hole.foreign >= HOLE.minForeign) return 'wrong';
  if (noise >= HOLE.clean.maxNoise)
    return hole.foreign >= HOLE.minForeignToAsk ? 'unsure' : 'right';
  const isLining = hole.range <= HOLE.lining.maxRange && hole.distance >= HOLE.lining.minDistance;
  return isLining || share < HOLE.clean.maxShare ? 'wrong' : 'unsure';
}

/** Finds what was left out of the subject but is no ground, and judges it. @param subject area, pixels */
export function findHoles({ matte }: MattedImage, ground: EvenGround, subject: number) {
  const marks = new Uint8Array(matte.data.length);
  const { distance, minEdge } = ground;
  for (let i = 0; i < marks.length; i++)
    if (matte.data[i]! < HALF && distance[i]! > minEdge) marks[i] = 1;
  return regionsOf(marks, matte.width, MIN_PIXELS.hole)
    .flatMap((cells) => measureHole(cells, marks, matte, ground) ?? [])
    .map((hole) => ({ cells: hole.cells, verdict: judgeHole(hole, ground, subject) }));
}

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
  const pieces = regionsOf(marks, width, MIN_PIXELS.shadow);
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
