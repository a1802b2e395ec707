import { CANDIDATE, decisivenessOf, type GroundEvidence } from '../evidence.ts';
import { type ProbabilityMap, SUBJECT } from '../matte.ts';
import {
  type Box,
  crop,
  type Matte,
  type MattedImage,
  type Pixels,
  solidImage,
  subjectBox,
} from '../picture.ts';
import { BLOCK, type EvenGround, measureEvenGround } from './even-ground.ts';
import { FineStructure } from './fine-structure.ts';
import { drawPaleOutline } from './pale-outline.ts';
import { detachedShadows, findGaps, findHoles, type Gap, type Verdict } from './parts.ts';
import {
  findPattern,
  isLeftOut,
  isPartOf,
  isPrint,
  judgePattern,
  mayBeGaps,
  maySeePattern,
  type Pattern,
  type PatternVerdict,
} from './pattern.ts';

/** Larger images are looked at in steps of several pixels. */
const MAX_PIXELS = 2 ** 20;
const HALF = 128;

/** Returns every `step`th pixel of every `step`th row. */
function thinOut({ pixels, matte }: MattedImage, step: number): MattedImage {
  const size = { width: Math.floor(pixels.width / step), height: Math.floor(pixels.height / step) };
  const thin = solidImage(size, [0, 0, 0, 0]);
  const [colours, alpha] = [thin.pixels.data, thin.matte.data];
  for (let y = 0, i = 0; y < size.height; y++) {
    let from = (y * step + (step >> 1)) * pixels.width + (step >> 1);
    for (let x = 0; x < size.width; x++, i++, from += step) {
      colours[3 * i] = pixels.data[3 * from]!;
      colours[3 * i + 1] = pixels.data[3 * from + 1]!;
      colours[3 * i + 2] = pixels.data[3 * from + 2]!;
      alpha[i] = matte.data[from]!;
    }
  }
  return thin;
}

/** What a pixel becomes. */
const CLEAR = 1;
const SOLID = 2;
/** While those around it are looked at. */
const GROWING = 3;
/** So far around it, pixels, what is alike changes too: the network's alpha rises slowly, and JPEG leaves specks. */
const REACH = 4;

function countFrom(values: Uint8Array | Float32Array, min: number): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! >= min) count++;
  return count;
}

/** So near, cells, must be both ground and subject: the network's outline is soft. */
const OUTLINE_CELLS = 2;
/** From this probability on the network is sure. */
const SURE = 0.99;
/** With the outline certain an output must be so decisive, as no drawn cut-out that is wrong is. */
const MIN_CONFIRMED = 0.97;

/** A subject of which the ground leaves less than this share was none. */
const MIN_LEFT = 0.5;

/** Returns a network's output, certain where it is unsure between pixels that are clear and solid for certain. */
function confirmOutline({ data, width, height }: ProbabilityMap, sides: Uint8Array): Float32Array {
  const confirmed = data.slice();
  for (let cell = 0; cell < data.length; cell++) {
    const probability = data[cell]!;
    if (probability < CANDIDATE || probability > SURE) continue;
    const x = cell % width;
    const y = (cell - x) / width;
    const [left, right] = [Math.max(0, x - OUTLINE_CELLS), Math.min(width - 1, x + OUTLINE_CELLS)];
    const bottom = Math.min(height - 1, y + OUTLINE_CELLS);
    let found = 0;
    for (let row = Math.max(0, y - OUTLINE_CELLS); row <= bottom; row++)
      for (let i = row * width + left; i <= row * width + right; i++) found |= sides[i]!;
    if (found === (CLEAR | SOLID)) confirmed[cell] = Math.round(probability);
  }
  return confirmed;
}

/** What the ground made of a matte. */
class GroundCorrection {
  readonly #ground: EvenGround;
  readonly #marks: Uint8Array;
  readonly #subject: number;
  /** Pixels that may be ground, and that may be subject. */
  readonly #doubts = { ground: [] as Int32Array[], hole: [] as Int32Array[] };
  #fine: FineStructure | undefined;
  /** Whether it is wrong that what is finer than the network sees is solid. */
  #fineVerdict: Verdict = 'right';

  /** @param pixels of the whole image @param image the part that is looked at */
  constructor(pixels: Pixels, image: MattedImage, ground: EvenGround) {
    this.#ground = ground;
    this.#marks = new Uint8Array(image.matte.data.length);
    this.#subject = Math.max(1, countFrom(image.matte.data, HALF));
    if (ground.isEven) this.#judge(pixels, image);
    else this.#fillHoles(image);
  }

  /** Judges all that an even ground tells. */
  #judge(pixels: Pixels, image: MattedImage): void {
    const ground = this.#ground;
    const fine = new FineStructure(pixels, image, ground);
    let gaps = findGaps(image, ground, this.#subject);
    const isSuspected = fine.verdict !== 'right' || maySeePattern(gaps);
    const pattern = findPattern(image, ground, isSuspected);
    const kind = pattern ? judgePattern(pattern, ground) : 'gaps';
    if (pattern && isPrint(kind)) {
      gaps = gaps.filter((gap) => !isPartOf(pattern, gap));
      if (mayBeGaps(pattern)) this.#doubts.ground.push(...pattern.pieces);
    }
    this.#fine = fine;
    this.#fineVerdict = isPrint(kind) ? 'right' : fine.verdict;
    this.#clearGaps(gaps);
    this.#fillHoles(image);
    for (const shadow of detachedShadows(image.matte, ground, this.#marks))
      this.#mark(shadow, CLEAR);
    if (pattern) this.#fillPrint(pattern, kind, image.matte);
    if (this.#fineVerdict !== 'right')
      this.#doubts[this.#fineVerdict === 'wrong' ? 'hole' : 'ground'].push(fine.sureCells());
  }

  /** Marks pixels, and those around them that are alike: ground if they become clear, no ground if solid. */
  #mark(cells: Int32Array, as: typeof CLEAR | typeof SOLID): void {
    const { distance, minEdge, box } = this.#ground;
    const { width, height } = box;
    const marks = this.#marks;
    for (const pixel of cells) marks[pixel] = GROWING;
    for (const pixel of cells) {
      const x = pixel % width;
      const y = (pixel - x) / width;
      const isWithin =
        marks[pixel - 1] === GROWING &&
        marks[pixel + 1] === GROWING &&
        marks[pixel - width] === GROWING &&
        marks[pixel + width] === GROWING;
      if (isWithin && x > 0 && x < width - 1) continue;
      const right = Math.min(width - 1, x + REACH);
      for (let row = Math.max(0, y - REACH); row <= Math.min(height - 1, y + REACH); row++)
        for (let i = row * width + Math.max(0, x - REACH); i <= row * width + right; i++)
          if (marks[i] === 0 && distance[i]! > minEdge === (as === SOLID)) marks[i] = as;
    }
    for (const pixel of cells) marks[pixel] = as;
  }

  #clearGaps(gaps: readonly Gap[]): void {
    for (const { piece, isOfMesh, verdict } of gaps) {
      const { cells } = piece;
      if (verdict === 'wrong') this.#mark(cells, CLEAR);
      if (verdict === 'unsure') this.#doubts.ground.push(cells);
      if (verdict === 'wrong' && isOfMesh && piece.isDeep()) this.#doubts.hole.push(cells);
    }
  }

  /** Fills what the network left out of a print; where it may be one, a person is asked. */
  #fillPrint({ pieces }: Pattern, kind: PatternVerdict, matte: Matte): void {
    if (kind === 'gaps') return;
    for (const cells of pieces.filter((piece) => isLeftOut(piece, matte)))
      if (kind === 'torn print') this.#mark(cells, SOLID);
      else this.#doubts.hole.push(cells);
  }

  #fillHoles(image: MattedImage): void {
    for (const { cells, verdict } of findHoles(image, this.#ground, this.#subject)) {
      if (verdict === 'wrong') this.#mark(cells, SOLID);
      if (verdict === 'unsure' && this.#ground.isEven) this.#doubts.hole.push(cells);
    }
  }

  /** Writes what was found into a matte of the whole image. */
  write(matte: Matte): void {
    const { box, size, step } = this.#ground;
    const { left, top, width, height } = box;
    for (let y = 0, i = 0; y < height; y++) {
      const isLast = top + y === size.height - 1;
      const bottom = isLast ? matte.height : (top + y + 1) * step;
      for (let x = 0; x < width; x++, i++) {
        if (this.#marks[i] === 0) continue;
        const alpha = this.#marks[i] === SOLID ? 255 : 0;
        const right = left + x === size.width - 1 ? matte.width : (left + x + 1) * step;
        for (let row = (top + y) * step; row < bottom; row++)
          for (let at = (left + x) * step; at < right; at++)
            matte.data[row * matte.width + at] = alpha;
      }
    }
  }

  /** Draws the outline of pale goods. @param image with refined edges */
  drawPaleOutline(image: MattedImage): void {
    drawPaleOutline(image, this.#ground);
  }

  /**
   * Returns a network's output for a region of the image, certain wherever the ground decided, and along the outline
   * if the colours confirm nearly all of it; as it was if the ground has taken most of the subject: a picture of
   * nothing is not a certain one.
   * @param matte the final one
   */
  correct({ data, width, height }: ProbabilityMap, region: Box, matte: Matte): ProbabilityMap {
    if (this.#fineVerdict === 'wrong') this.#fine?.open(matte);
    const corrected = data.slice();
    const sides = new Uint8Array(data.length);
    const columns = this.#thinned(region.left, region.width, width, this.#ground.size.width);
    const rows = this.#thinned(region.top, region.height, height, this.#ground.size.height);
    for (let y = 0, cell = 0; y < height; y++)
      for (let x = 0; x < width; x++, cell++) {
        const pixel = this.#pixelAt(columns[x]!, rows[y]!);
        if (pixel === undefined) continue;
        const mark = this.#marks[pixel]!;
        if (mark !== 0) corrected[cell] = mark === SOLID ? 1 : 0;
        sides[cell] = this.#sideOf(pixel, matte);
      }
    if (countFrom(corrected, SUBJECT) < MIN_LEFT * countFrom(data, SUBJECT))
      return { data, width, height };
    if (!this.#ground.isEven) return { data: corrected, width, height };
    const confirmed = confirmOutline({ data: corrected, width, height }, sides);
    const isSure = decisivenessOf(confirmed) >= MIN_CONFIRMED;
    return { data: isSure ? confirmed : corrected, width, height };
  }

  #pixelAt(x: number, y: number): number | undefined {
    const { left, top, width, height } = this.#ground.box;
    const [column, row] = [x - left, y - top];
    const isWithin = column >= 0 && row >= 0 && column < width && row < height;
    return isWithin ? row * width + column : undefined;
  }

  /** Returns whether both the matte and the colours say of a pixel that it is clear, or solid. */
  #sideOf(pixel: number, matte: Matte): number {
    const { distance, minEdge, tolerance } = this.#ground;
    if (this.#isSolid(pixel, matte)) return distance[pixel]! > minEdge ? SOLID : 0;
    return distance[pixel]! <= tolerance ? CLEAR : 0;
  }

  #isSolid(pixel: number, { data, width }: Matte): boolean {
    const { box, step } = this.#ground;
    const x = (box.left + (pixel % box.width)) * step;
    const y = (box.top + Math.floor(pixel / box.width)) * step;
    const middle = step >> 1;
    return data[(y + middle) * width + x + middle]! >= HALF;
  }

  /** Returns the columns, or rows, in which the centres of a region's cells lie. */
  #thinned(start: number, length: number, cells: number, end: number): Int32Array {
    const thinned = new Int32Array(cells);
    for (let cell = 0; cell < cells; cell++) {
      const centre = start + ((cell + 0.5) * length) / cells;
      thinned[cell] = Math.min(end - 1, Math.floor(centre / this.#ground.step));
    }
    return thinned;
  }

  /** Measures what may still be wrong with the final matte. */
  measure(matte: Matte): GroundEvidence {
    return {
      groundShare: this.#shareOf(this.#doubts.ground, matte, true),
      holeShare: this.#shareOf(this.#doubts.hole, matte, false),
    };
  }

  #shareOf(doubts: readonly Int32Array[], matte: Matte, isSolid: boolean): number {
    let count = 0;
    for (const cells of doubts)
      for (const cell of cells) if (this.#isSolid(cell, matte) === isSolid) count++;
    return count / this.#subject;
  }
}

/** So far around the subject the ground is looked at, as a share of the longer side: as far as `Piece.isDeep`. */
const MARGIN = 0.035;

/** Returns the part of an image that is looked at, whole blocks of the ground. */
function boxAround({ data, width, height }: Matte): Box | undefined {
  const box = subjectBox(data, width, 1);
  if (!box) return undefined;
  const margin = Math.ceil(MARGIN * Math.max(width, height)) + REACH;
  const start = (at: number) => Math.floor(Math.max(0, at - margin) / BLOCK) * BLOCK;
  const [left, top] = [start(box.left), start(box.top)];
  const right = Math.min(width, box.left + box.width + margin);
  const bottom = Math.min(height, box.top + box.height + margin);
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * Corrects a matte on an even ground, in place: the ground's colour within the subject that real edges enclose becomes
 * clear, and what was left out but has not the ground's colour becomes solid; on a plain one, only the latter. On any other
 * ground it changes nothing.
 * @param image its matte is the network's, before edges are refined
 * @see docs/adr/0079-even-grounds.md, docs/adr/0085-ask-for-what-is-seen.md
 */
export function correctByGround(image: MattedImage): GroundCorrection | undefined {
  const { width, height } = image.pixels;
  const step = Math.ceil(Math.sqrt((width * height) / MAX_PIXELS));
  const thin = step > 1 ? thinOut(image, step) : image;
  const box = boxAround(thin.matte);
  const ground = box && measureEvenGround(thin, box, step);
  if (!ground) return undefined;
  const correction = new GroundCorrection(image.pixels, crop(thin, box), ground);
  correction.write(image.matte);
  return correction;
}
