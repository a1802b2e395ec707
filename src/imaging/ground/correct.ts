import type { MattedImage } from '../downscale.ts';
import type { Size } from '../layout.ts';
import { type EvenGround, measureEvenGround } from './even-ground.ts';
import { eachPiece, type Piece } from './gaps.ts';
import { eachHole, type Hole } from './holes.ts';

/** What a cut-out's ground says of it, in shares of the subject. */
export interface GroundEvidence {
  /** Area within the subject that was left out and may belong to it. */
  holeShare: number;
  /** Area of the subject that may be ground. */
  groundShare: number;
}

/** Nothing speaks against a cut-out whose ground is not even. */
export const NO_GROUND_EVIDENCE: GroundEvidence = { holeShare: 0, groundShare: 0 };

/** Larger images are looked at in steps of several pixels. */
const MAX_PIXELS = 2 ** 20;
const HALF = 128;

/** Returns every `step`th pixel of every `step`th row. */
function thinOut({ pixels, matte }: MattedImage, step: number): MattedImage {
  const size = { width: Math.floor(pixels.width / step), height: Math.floor(pixels.height / step) };
  const [colours, alpha] = [
    new Uint8Array(3 * size.width * size.height),
    new Uint8Array(size.width * size.height),
  ];
  for (let y = 0, i = 0; y < size.height; y++) {
    let from = (y * step + (step >> 1)) * pixels.width + (step >> 1);
    for (let x = 0; x < size.width; x++, i++, from += step) {
      colours[3 * i] = pixels.data[3 * from]!;
      colours[3 * i + 1] = pixels.data[3 * from + 1]!;
      colours[3 * i + 2] = pixels.data[3 * from + 2]!;
      alpha[i] = matte.data[from]!;
    }
  }
  return { pixels: { data: colours, ...size }, matte: { data: alpha, ...size } };
}

/** What decides whether a piece of the ground's colour is ground. Set on photos and drawings with references. */
const GAP = {
  /** Its median is so near to the ground, levels beside the ground's own noise. */
  maxDistance: 2,
  /** Real edges enclose so much of its border; more if the network is sure of it. */
  minEnclosed: 0.6,
  minEnclosedIfSure: 0.7,
  /** Less is enough of what has the very colour of the ground, levels beside its noise, and is not sure. */
  exact: { maxDistance: 1, minEnclosed: 0.25 },
  /** The network is sure from this alpha on. */
  sure: 0.985,
  /** A thinner piece may be a print or a zip, as a share of the longer side. */
  minThickness: 0.012,
  /** What may be a gap is worth a look if real edges enclose so much of it. */
  minEnclosedToAsk: 0.4,
  /** So many small pieces that real edges enclose are a mesh, or a pattern. */
  mesh: { count: 20, minEnclosed: 0.8 },
};

type Verdict = 'wrong' | 'unsure' | 'right';

const isHoleOfMesh = ({ enclosed, open }: Piece): boolean =>
  enclosed >= GAP.mesh.minEnclosed && open === 0;

function judgePiece(piece: Piece, { noise }: EvenGround, { width, height }: Size): Verdict {
  if (piece.distance > GAP.maxDistance + noise) return 'right';
  const isSure = piece.alpha >= GAP.sure;
  const isExact = piece.distance <= GAP.exact.maxDistance + noise;
  if (isExact && !isSure && piece.enclosed >= GAP.exact.minEnclosed) return 'wrong';
  if (piece.enclosed < (isSure ? GAP.minEnclosedIfSure : GAP.minEnclosed))
    return piece.enclosed < GAP.minEnclosedToAsk ? 'right' : 'unsure';
  const isThin = piece.thickness < GAP.minThickness * Math.max(width, height);
  return isSure && isThin ? 'unsure' : 'wrong';
}

/** What decides whether something that was left out belongs to the subject. */
const HOLE = {
  /** So much of its border is subject. */
  minEnclosed: 0.75,
  /** So much of it is no shadow on the ground. */
  minForeign: 0.8,
  /** Or it is even, far enough from the ground, levels, and large enough, a share of the subject: hair has small ones. */
  lining: { maxRange: 12, minDistance: 30, minShare: 0.003 },
  /** A larger one is none, as a share of the subject. */
  maxShare: 0.2,
};

function judgeHole({ size, enclosed, foreign, range, distance }: Hole, subject: number): Verdict {
  if (enclosed < HOLE.minEnclosed || size > HOLE.maxShare * subject) return 'right';
  const { maxRange, minDistance, minShare } = HOLE.lining;
  const isLining = range <= maxRange && distance >= minDistance && size >= minShare * subject;
  return foreign >= HOLE.minForeign || isLining ? 'wrong' : 'unsure';
}

/** What a pixel becomes. */
const CLEAR = 1;
const SOLID = 2;
/** So far around it, pixels, what is alike changes too: the network's alpha rises slowly, and JPEG leaves specks. */
const REACH = 4;

/** Marks pixels, and those around them that are alike. */
function mark(
  cells: Int32Array,
  as: typeof CLEAR | typeof SOLID,
  isAlike: (pixel: number) => boolean,
  { width, height }: Size,
  marks: Uint8Array,
): void {
  for (const pixel of cells) {
    const x = pixel % width;
    const y = (pixel - x) / width;
    marks[pixel] = as;
    const right = Math.min(width - 1, x + REACH);
    for (let row = Math.max(0, y - REACH); row <= Math.min(height - 1, y + REACH); row++)
      for (let i = row * width + Math.max(0, x - REACH); i <= row * width + right; i++)
        if (marks[i] === 0 && isAlike(i)) marks[i] = as;
  }
}

/** Writes into a matte what was found in steps of several pixels. */
function write(marks: Uint8Array, { width, height }: Size, step: number, image: MattedImage): void {
  const { data, width: rowLength, height: rows } = image.matte;
  for (let i = 0; i < marks.length; i++) {
    if (marks[i] === 0) continue;
    const alpha = marks[i] === SOLID ? 255 : 0;
    const x = i % width;
    const y = (i - x) / width;
    const right = x === width - 1 ? rowLength : (x + 1) * step;
    const bottom = y === height - 1 ? rows : (y + 1) * step;
    for (let row = y * step; row < bottom; row++)
      data.fill(alpha, row * rowLength + x * step, row * rowLength + right);
  }
}

const countSolid = ({ matte }: MattedImage): number => {
  let count = 0;
  for (const alpha of matte.data) if (alpha >= HALF) count++;
  return count;
};

/** Marks ground within the subject. @returns the area that may be ground as well, pixels */
function clearGaps({ matte, pixels }: MattedImage, ground: EvenGround, marks: Uint8Array): number {
  const pieces: { piece: Piece; cells: Int32Array }[] = [];
  eachPiece({ matte, pixels }, ground, (piece, cells) => {
    pieces.push({ piece, cells: cells.slice() });
  });
  const isMesh = pieces.filter(({ piece }) => isHoleOfMesh(piece)).length >= GAP.mesh.count;
  const isAlike = (pixel: number) => ground.distance[pixel]! <= ground.minEdge;
  let unsure = 0;
  for (const { piece, cells } of pieces) {
    const isPattern = isMesh && isHoleOfMesh(piece);
    const verdict = isPattern ? 'unsure' : judgePiece(piece, ground, matte);
    if (verdict === 'unsure') unsure += piece.solid;
    if (verdict === 'wrong') mark(cells, CLEAR, isAlike, matte, marks);
  }
  return unsure;
}

/** Marks holes in the subject. @returns the area of what may be holes as well, pixels */
function fillHoles(
  image: MattedImage,
  ground: EvenGround,
  subject: number,
  marks: Uint8Array,
): number {
  const isAlike = (pixel: number) => ground.distance[pixel]! > ground.minEdge;
  let unsure = 0;
  eachHole(image, ground, (hole, cells) => {
    const verdict = judgeHole(hole, subject);
    if (verdict === 'unsure') unsure += hole.size;
    if (verdict === 'wrong') mark(cells, SOLID, isAlike, image.matte, marks);
  });
  return unsure;
}

/**
 * Corrects a matte on an even ground, in place: the ground's colour within the subject that real edges enclose becomes
 * clear, and what was left out but has not the ground's colour becomes solid. On any other ground it changes nothing.
 * @param image its matte is the network's, before edges are refined
 * @see docs/adr/0079-even-grounds.md
 */
export function correctByGround(image: MattedImage): GroundEvidence {
  const { width, height } = image.pixels;
  const step = Math.ceil(Math.sqrt((width * height) / MAX_PIXELS));
  const thin = step > 1 ? thinOut(image, step) : image;
  const ground = measureEvenGround(thin);
  if (!ground) return NO_GROUND_EVIDENCE;
  const marks = new Uint8Array(thin.matte.data.length);
  const subject = Math.max(1, countSolid(thin));
  const groundShare = clearGaps(thin, ground, marks) / subject;
  const holeShare = fillHoles(thin, ground, subject, marks) / subject;
  write(marks, thin.matte, step, image);
  return { holeShare, groundShare };
}
