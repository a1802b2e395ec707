import type { MattedImage } from '../downscale.ts';
import type { Size } from '../layout.ts';
import type { Matte } from '../matte.ts';
import type { ProbabilityMap } from '../probability-map.ts';
import type { Box } from '../subject-box.ts';
import { detachedShadows } from './detached-shadows.ts';
import { type EvenGround, measureEvenGround } from './even-ground.ts';
import { findPieces } from './gaps.ts';
import { eachHole } from './holes.ts';
import { findMesh, judgeHole, judgePiece } from './verdicts.ts';

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

const countSolid = ({ matte }: MattedImage): number => {
  let count = 0;
  for (const alpha of matte.data) if (alpha >= HALF) count++;
  return count;
};

/** What the ground made of a matte. */
class GroundCorrection {
  readonly #size: Size;
  readonly #step: number;
  readonly #marks: Uint8Array;
  readonly #subject: number;
  /** Pixels that may be ground, and that may be subject. */
  readonly #doubts = { ground: [] as Int32Array[], hole: [] as Int32Array[] };

  /** @param image every `step`th pixel */
  constructor(image: MattedImage, ground: EvenGround, step: number) {
    const { data, width, height } = image.matte;
    this.#size = { width, height };
    this.#step = step;
    this.#marks = new Uint8Array(data.length);
    this.#subject = Math.max(1, countSolid(image));
    this.#clearGaps(image, ground);
    this.#fillHoles(image, ground);
    this.#clearShadows(image.matte, ground);
  }

  /** Marks ground within the subject. */
  #clearGaps(image: MattedImage, ground: EvenGround): void {
    const pieces = findPieces(image, ground);
    const isOfMesh = findMesh(pieces, ground);
    const isAlike = (pixel: number) => ground.distance[pixel]! <= ground.minEdge;
    for (const piece of pieces) {
      const { cells } = piece;
      const ofMesh = isOfMesh(piece);
      const verdict = ofMesh ?? judgePiece(piece, ground, this.#size);
      if (verdict === 'wrong') mark(cells, CLEAR, isAlike, this.#size, this.#marks);
      if (verdict === 'unsure') this.#doubts.ground.push(cells);
      if (verdict === 'wrong' && ofMesh && piece.isDeep()) this.#doubts.hole.push(cells);
    }
  }

  /** Marks holes in the subject. */
  #fillHoles(image: MattedImage, ground: EvenGround): void {
    const isAlike = (pixel: number) => ground.distance[pixel]! > ground.minEdge;
    eachHole(image, ground, (hole, cells) => {
      const verdict = judgeHole(hole, ground, this.#subject);
      if (verdict === 'wrong') mark(cells, SOLID, isAlike, this.#size, this.#marks);
      if (verdict === 'unsure') this.#doubts.hole.push(cells.slice());
    });
  }

  /** Marks soft shadows that lie apart from the subject. */
  #clearShadows(matte: Matte, ground: EvenGround): void {
    const data = matte.data.slice();
    for (let i = 0; i < data.length; i++) if (this.#marks[i] === CLEAR) data[i] = 0;
    const isAlike = (pixel: number) => ground.distance[pixel]! <= ground.minEdge;
    for (const cells of detachedShadows({ ...matte, data }, ground))
      mark(cells, CLEAR, isAlike, this.#size, this.#marks);
  }

  /** Writes what was found into a matte of the whole image. */
  write(matte: Matte): void {
    const { width, height } = this.#size;
    const step = this.#step;
    for (let i = 0; i < this.#marks.length; i++) {
      if (this.#marks[i] === 0) continue;
      const alpha = this.#marks[i] === SOLID ? 255 : 0;
      const x = i % width;
      const y = (i - x) / width;
      const right = x === width - 1 ? matte.width : (x + 1) * step;
      const bottom = y === height - 1 ? matte.height : (y + 1) * step;
      for (let row = y * step; row < bottom; row++)
        matte.data.fill(alpha, row * matte.width + x * step, row * matte.width + right);
    }
  }

  /** Returns a network's output for a region of the image, certain wherever the ground decided. */
  correct({ data, width, height }: ProbabilityMap, region: Box): ProbabilityMap {
    const corrected = data.slice();
    for (let cell = 0; cell < data.length; cell++) {
      const x = region.left + (((cell % width) + 0.5) * region.width) / width;
      const y = region.top + ((Math.floor(cell / width) + 0.5) * region.height) / height;
      const mark = this.#marks[this.#pixelAt(x, y)];
      if (mark !== 0) corrected[cell] = mark === SOLID ? 1 : 0;
    }
    return { data: corrected, width, height };
  }

  #pixelAt(x: number, y: number): number {
    const { width, height } = this.#size;
    const column = Math.min(width - 1, Math.floor(x / this.#step));
    return Math.min(height - 1, Math.floor(y / this.#step)) * width + column;
  }

  /** Measures what may still be wrong with the final matte. */
  measure(matte: Matte): GroundEvidence {
    const shareOf = (doubts: readonly Int32Array[], isSolid: boolean) => {
      const { width } = this.#size;
      const middle = this.#step >> 1;
      let count = 0;
      for (const cells of doubts)
        for (const cell of cells) {
          const x = (cell % width) * this.#step + middle;
          const y = Math.floor(cell / width) * this.#step + middle;
          if (matte.data[y * matte.width + x]! >= HALF === isSolid) count++;
        }
      return count / this.#subject;
    };
    return {
      groundShare: shareOf(this.#doubts.ground, true),
      holeShare: shareOf(this.#doubts.hole, false),
    };
  }
}

/**
 * Corrects a matte on an even ground, in place: the ground's colour within the subject that real edges enclose becomes
 * clear, and what was left out but has not the ground's colour becomes solid. On any other ground it changes nothing.
 * @param image its matte is the network's, before edges are refined
 * @see docs/adr/0079-even-grounds.md, docs/adr/0085-ask-for-what-is-seen.md
 */
export function correctByGround(image: MattedImage): GroundCorrection | undefined {
  const { width, height } = image.pixels;
  const step = Math.ceil(Math.sqrt((width * height) / MAX_PIXELS));
  const thin = step > 1 ? thinOut(image, step) : image;
  const ground = measureEvenGround(thin);
  if (!ground) return undefined;
  const correction = new GroundCorrection(thin, ground, step);
  correction.write(image.matte);
  return correction;
}
