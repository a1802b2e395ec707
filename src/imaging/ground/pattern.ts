import type { Matte, MattedImage, Size } from '../picture.ts';
import { boxSums, regionsOf } from '../regions.ts';
import type { EvenGround } from './even-ground.ts';
import { type Gap, isSure } from './parts.ts';

/** Alike pieces within a subject that are nearly of the ground's colour, in light or in the shade of a fold. */
export interface Pattern {
  /** Its pieces, but for some that are much larger: an arm's gap beside a checked shirt. */
  pieces: readonly Int32Array[];
  /** 1 for each pixel of a piece. */
  marks: Uint8Array;
  /** Of a piece, pixels: the median. */
  size: number;
  /** Share of the pieces that are about as long as wide: the gaps of a fringe are not. */
  round: number;
  /** Share of these of which even the lightest part is in a shade. */
  shaded: number;
  /** Share of the pieces that no ground outside is near to. */
  deep: number;
  /** Without it the goods are many parts apart: it is stripes. */
  divides: boolean;
}

const HALF = 128;
/** A smaller piece is not looked at, pixels: blur and JPEG shade it. */
const MIN_PIXELS = 12;
/** What surrounds a piece, and how near ground outside may be, as a share of the longer side. */
const REACH = 0.04;
/** A pixel belongs to a piece if it is nearer to the ground than so much of what surrounds it. */
const MAX_SHARE = 0.5;
/** A larger piece is none of the pattern, in median sizes. */
const MAX_SIZE = 4;
/** A piece that is longer for its width is no dot, check or flower. */
const MAX_ASPECT = 3;
/** Of a piece so much is looked at, the lightest: the rest may be blurred. */
const LIGHTEST = 0.2;
/** Goods that are so many parts of such a size, and none of them larger than half, as shares of all. */
const PARTS = { count: 5, minShare: 0.002, maxShare: 0.5 };

/** So many holes in a network's matte are worth a look, whatever else is. */
const MIN_HOLES = 20;

const isAtRim = (cells: Int32Array, { width, height }: Size): boolean =>
  cells.some((cell) => {
    const x = cell % width;
    return x === 0 || x === width - 1 || cell < width || cell >= width * (height - 1);
  });

/** Marks each pixel that is clear, and in no hole of the subject; counts the holes. */
function findOutside({ matte }: MattedImage) {
  const { data, width } = matte;
  const clear = new Uint8Array(data.length);
  for (let i = 0; i < clear.length; i++) if (data[i]! < HALF) clear[i] = 1;
  const regions = regionsOf(clear, width, MIN_PIXELS);
  const outer = regions.filter((cells) => isAtRim(cells, matte));
  const outside = clear.fill(0);
  for (const cells of outer) for (let n = 0; n < cells.length; n++) outside[cells[n]!] = 1;
  return { outside, holes: regions.length - outer.length };
}

/** Returns whether goods are many parts of which none is most of them. */
function isDivided(goods: Uint8Array, width: number): boolean {
  const sizes = regionsOf(goods, width, MIN_PIXELS).map((cells) => cells.length);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const parts = sizes.filter((size) => size >= PARTS.minShare * all);
  return parts.length >= PARTS.count && Math.max(...parts) <= PARTS.maxShare * all;
}

/** Looks around each pixel: three sums a pixel, of what is outside, of what is not, and of its distance from the ground. */
function sumAround(outside: Uint8Array, { distance, longerSide }: EvenGround, size: Size) {
  const data = new Float32Array(3 * distance.length);
  for (let i = 0; i < distance.length; i++)
    if (outside[i] === 1) data[3 * i] = 1;
    else {
      data[3 * i + 1] = 1;
      data[3 * i + 2] = distance[i]!;
    }
  return boxSums(data, size, 3, Math.round(REACH * longerSide));
}

/** Marks what stands out from its surroundings towards the ground's colour, and of the rest what has not that colour. */
function divide(
  outside: Uint8Array,
  sums: Float32Array,
  { distance, tolerance, minEdge }: EvenGround,
) {
  const [marks, goods] = [new Uint8Array(distance.length), new Uint8Array(distance.length)];
  for (let i = 0; i < distance.length; i++) {
    if (outside[i] === 1) continue;
    const around = sums[3 * i + 2]! / sums[3 * i + 1]!;
    if (around > minEdge && distance[i]! < MAX_SHARE * around) marks[i] = 1;
    else if (distance[i]! > tolerance) goods[i] = 1;
  }
  return { marks, goods };
}

function lightestOf(cells: Int32Array, distance: Uint8Array): number {
  const levels = Uint8Array.from(cells, (cell) => distance[cell]!).sort();
  return levels[Math.floor(LIGHTEST * levels.length)]!;
}

/** Returns whether a piece is not much longer than wide, across or along. */
function isRound(piece: Int32Array, width: number): boolean {
  let [left, right] = [width, 0];
  for (const cell of piece) {
    left = Math.min(left, cell % width);
    right = Math.max(right, cell % width);
  }
  const [first, last] = [piece[0]!, piece[piece.length - 1]!];
  const sides = [right - left + 1, Math.floor(last / width) - Math.floor(first / width) + 1];
  return Math.max(...sides) <= MAX_ASPECT * Math.min(...sides);
}

function shareOf(pieces: readonly Int32Array[], test: (piece: Int32Array) => boolean): number {
  return pieces.filter(test).length / Math.max(1, pieces.length);
}

/**
 * Finds the pattern of a subject.
 * @param isSuspected whether something else speaks for one
 * @returns undefined if nothing does, nor many holes in the matte
 */
export function findPattern(
  image: MattedImage,
  ground: EvenGround,
  isSuspected: boolean,
): Pattern | undefined {
  const { outside, holes } = findOutside(image);
  if (!isSuspected && holes < MIN_HOLES) return undefined;
  const { width } = image.matte;
  const sums = sumAround(outside, ground, image.matte);
  const { marks, goods } = divide(outside, sums, ground);
  const all = regionsOf(marks, width, MIN_PIXELS);
  const sizes = all.map((piece) => piece.length).sort((a, b) => a - b);
  const size = sizes[sizes.length >> 1] ?? 0;
  const pieces = all.filter((piece) => piece.length <= MAX_SIZE * size);
  marks.fill(0);
  for (const piece of pieces) for (const cell of piece) marks[cell] = 1;
  const dots = pieces.filter((piece) => isRound(piece, width));
  return {
    pieces,
    marks,
    size,
    round: dots.length / Math.max(1, pieces.length),
    shaded: shareOf(dots, (dot) => lightestOf(dot, ground.distance) > ground.tolerance),
    deep: shareOf(pieces, (piece) => piece.some((cell) => sums[3 * cell] === 0)),
    divides: isDivided(goods, width),
  };
}

export function isLeftOut(piece: Int32Array, { data }: Matte): boolean {
  let count = 0;
  for (const cell of piece) if (data[cell]! < HALF) count++;
  return count > piece.length / 2;
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

export const isPrint = (pattern: PatternVerdict): boolean =>
  pattern === 'print' || pattern === 'torn print';

export const mayBeGaps = ({ divides, shaded }: Pattern): boolean =>
  !divides && shaded < PRINT.minShadedIfSure;

/** Returns whether a gap is a part of a pattern; one of which the network is not sure is judged alone. */
export function isPartOf({ marks }: Pattern, { piece, isOfMesh }: Gap): boolean {
  const { cells } = piece;
  return isOfMesh || (isSure(piece) && marks[cells[cells.length >> 1]!] === 1);
}
