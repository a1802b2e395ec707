import type { MattedImage } from '../downscale.ts';
import type { Size } from '../layout.ts';
import { type EvenGround, measureEvenGround } from './even-ground.ts';
import { eachPiece, type Piece } from './gaps.ts';
import { eachHole, type Hole, isForeign } from './holes.ts';

/** What a cut-out's ground says of it, in shares of the subject. */
export interface GroundEvidence {
  /** Area within the subject that was left out and may belong to it. */
  holeShare: number;
  /** Area of the subject that may be ground. */
  groundShare: number;
}

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
  /** The network is sure from this alpha on. */
  sure: 0.98,
  /** A thinner piece may be a print or a zip, as a share of the longer side. */
  minThickness: 0.012,
  /** What may be a gap is worth a look if real edges enclose so much of it. */
  minEnclosedToAsk: 0.4,
};

type Verdict = 'wrong' | 'unsure' | 'right';

function judgePiece(piece: Piece, { noise, isExtreme }: EvenGround, { width, height }: Size): Verdict {
  if (piece.distance > GAP.maxDistance + noise || piece.enclosed < GAP.minEnclosedToAsk)
    return 'right';
  const isSure = piece.alpha >= GAP.sure;
  if (piece.enclosed < (isSure ? GAP.minEnclosedIfSure : GAP.minEnclosed)) return 'unsure';
  const isThin = piece.thickness < GAP.minThickness * Math.max(width, height);
  return isSure && isThin && isExtreme ? 'unsure' : 'wrong';
}

/** What decides whether something that was left out belongs to the subject. */
const HOLE = {
  /** So much of its border is subject. */
  minEnclosed: 0.75,
  /** So much of it is no shadow on the ground. */
  minForeign: 0.8,
  /** A larger one is none, as a share of the subject. */
  maxShare: 0.2,
};

function judgeHole({ size, enclosed, foreign }: Hole, subject: number): Verdict {
  if (enclosed < HOLE.minEnclosed || size > HOLE.maxShare * subject) return 'right';
  return foreign >= HOLE.minForeign ? 'wrong' : 'unsure';
}

/** What a pixel becomes. */
const CLEAR = 1;
const SOLID = 2;
/** So far around a filled hole, pixels, what is no ground is filled as well: the network's alpha rises slowly. */
const FILL_REACH = 4;

/** Marks a hole to be filled, and what is around it. */
function markHole(cells: Int32Array, ground: EvenGround, { width, height }: Size, marks: Uint8Array) {
  for (const pixel of cells) {
    const x = pixel % width;
    const y = (pixel - x) / width;
    for (let row = Math.max(0, y - FILL_REACH); row <= Math.min(height - 1, y + FILL_REACH); row++)
      for (let i = row * width + Math.max(0, x - FILL_REACH); i <= row * width + Math.min(width - 1, x + FILL_REACH); i++)
        if (marks[i] === 0 && isForeign(ground, i)) marks[i] = SOLID;
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
  const subject = thin.matte.data.reduce((sum, alpha) => sum + Number(alpha >= HALF), 0);
  const marks = new Uint8Array(thin.matte.data.length);
  const unsure = { gap: 0, hole: 0 };
  eachPiece(thin, ground, (piece, cells) => {
    const verdict = judgePiece(piece, ground, thin.matte);
    if (verdict === 'unsure') unsure.gap += piece.solid;
    if (verdict === 'wrong') for (const pixel of cells) marks[pixel] = CLEAR;
  });
  eachHole(thin, ground, (hole, cells) => {
    const verdict = judgeHole(hole, subject);
    if (verdict === 'unsure') unsure.hole += hole.size;
    if (verdict === 'wrong') markHole(cells, ground, thin.matte, marks);
  });
  write(marks, thin.matte, step, image);
  return { holeShare: unsure.hole / Math.max(1, subject), groundShare: unsure.gap / Math.max(1, subject) };
}
