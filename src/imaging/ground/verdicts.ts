import { type EvenGround, quantileOf } from './even-ground.ts';
import type { Hole } from './holes.ts';
import type { Piece } from './parts.ts';
import type { Pattern } from './pattern.ts';

/** What the ground says of a part of a matte: it is wrong, or may be. */
export type Verdict = 'wrong' | 'unsure' | 'right';

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

/** Returns whether the network is sure of a piece. */
const isSure = ({ alpha }: Piece): boolean => alpha >= GAP.sure;

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

/** Returns the median of values, which it sorts. */
export const middleOf = (values: number[]): number =>
  values.sort((a, b) => a - b)[values.length >> 1]!;

/** A piece of the subject, and what the ground says of it. */
export interface Gap {
  piece: Piece;
  /** It is one of many alike. */
  isOfMesh: boolean;
  verdict: Verdict;
}

/** Judges pieces, those that make up a mesh or a pattern together. @param subject area, pixels */
export function judgePieces(pieces: readonly Piece[], ground: EvenGround, subject: number): Gap[] {
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

/** So many pieces of which the network is sure may be stripes. */
const MIN_SURE = 3;

/** Returns whether gaps are worth a look at the pattern that they may be part of. */
export function maySeePattern(gaps: readonly Gap[]): boolean {
  const wrong = gaps.filter(({ verdict }) => verdict !== 'right');
  const sure = wrong.filter(({ piece }) => isSure(piece));
  return sure.length >= MIN_SURE || wrong.some(({ isOfMesh }) => isOfMesh);
}

/** What tells a print of nearly the ground's colour from gaps in which the ground shows. */
const PRINT = {
  /** Pieces: stripes are few. */
  minDots: 20,
  minStripes: 4,
  /** So many of the pieces must be dots for it to be a print of dots. */
  minRound: 0.5,
  /** So many of them lie deep within the goods; the gaps of a chain do not. */
  minDeep: 0.4,
  /** So many are in the shade of folds: the ground has none. */
  minShaded: 0.05,
  /** If fewer are, it may be gaps yet: blur shades small ones. */
  minShadedIfSure: 0.075,
  /** It may be a print if so many are. */
  minShadedToAsk: 0.02,
  /** And they are so large, pixels, that blur is not what shades them: what the network left out is print as well. */
  minTornSize: 60,
  /** On a darker ground, levels, no shade would be seen. */
  minLight: 60,
};

/** What a pattern is: of a torn print what the network left out belongs to the subject. */
export type PatternVerdict = 'gaps' | 'unsure' | 'print' | 'torn print';

export function judgePattern(pattern: Pattern, { colours }: EvenGround): PatternVerdict {
  const { pieces, size, round, shaded, deep, divides } = pattern;
  if (deep < PRINT.minDeep) return 'gaps';
  if (divides && pieces.length >= PRINT.minStripes) return 'print';
  if (round < PRINT.minRound || round * pieces.length < PRINT.minDots) return 'gaps';
  if (shaded >= PRINT.minShaded) return size < PRINT.minTornSize ? 'print' : 'torn print';
  const isDark = Math.max(...colours.subarray(0, 3)) < PRINT.minLight;
  return isDark || shaded >= PRINT.minShadedToAsk ? 'unsure' : 'gaps';
}

/** Whether a pattern is no ground. */
export const isPrint = (pattern: PatternVerdict): boolean =>
  pattern === 'print' || pattern === 'torn print';

/** Returns whether a print may be gaps yet. */
export const mayBeGaps = ({ divides, shaded }: Pattern): boolean =>
  !divides && shaded < PRINT.minShadedIfSure;

/** Returns whether a gap is a part of a pattern; one of which the network is not sure is judged alone. */
export function isPartOf({ marks }: Pattern, { piece, isOfMesh }: Gap): boolean {
  const { cells } = piece;
  return isOfMesh || (isSure(piece) && marks[cells[cells.length >> 1]!] === 1);
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

/** @param subject area, pixels */
export function judgeHole(hole: Hole, ground: EvenGround, subject: number): Verdict {
  const { noise } = ground;
  const share = hole.size / subject;
  if (share > HOLE.maxShare) return 'right';
  if (hole.open > HOLE.maxOpen) return judgeNotch(hole, ground);
  if (hole.foreign >= HOLE.minForeign) return 'wrong';
  if (noise >= HOLE.clean.maxNoise)
    return hole.foreign >= HOLE.minForeignToAsk ? 'unsure' : 'right';
  const isLining = hole.range <= HOLE.lining.maxRange && hole.distance >= HOLE.lining.minDistance;
  return isLining || share < HOLE.clean.maxShare ? 'wrong' : 'unsure';
}

/** What decides whether the ground shows through a texture, or it is a print nearly of the ground's colour. */
const SEEN_THROUGH = {
  /** A ground that deviates by more, levels, cannot tell. */
  maxNoise: 3,
  /** Half of what is within its gaps is so little lighter or darker than the ground, levels beside half the noise. */
  maxMedian: 2,
  /** And three quarters are: a print has the shades of the goods' folds. */
  maxUpper: 4,
  /** Up to these it may be ground. */
  maxMedianToAsk: 3.5,
  maxUpperToAsk: 6,
};

/** @param light of the pixels in its gaps: a count for each difference from the ground, levels */
export function judgeTexture(light: Uint32Array, { noise }: EvenGround): Verdict {
  const count = light.reduce((sum, n) => sum + n, 0);
  if (noise > SEEN_THROUGH.maxNoise || count === 0) return 'right';
  const median = quantileOf(light, 0.5 * count) - noise / 2;
  const upper = quantileOf(light, 0.75 * count) - noise / 2;
  if (median <= SEEN_THROUGH.maxMedian && upper <= SEEN_THROUGH.maxUpper) return 'wrong';
  const isWorthALook = median <= SEEN_THROUGH.maxMedianToAsk && upper <= SEEN_THROUGH.maxUpperToAsk;
  return isWorthALook ? 'unsure' : 'right';
}
