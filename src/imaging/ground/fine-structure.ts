import { type Box, fullBox, type Matte, type MattedImage, type Pixels } from '../picture.ts';
import { regionsOf } from '../regions.ts';
import { BLOCK, type EvenGround, middleOf, quantileOf } from './even-ground.ts';
import type { Verdict } from './parts.ts';

/** Alpha from which on a pixel belongs to the subject, faintly. */
const FAINT = 13;

/** What makes a block of the ground a part of a texture of the subject in which the ground, or its colour, shows. */
const TEXTURE = {
  /** Of its pixels so many have the ground's colour, and as many are far from it. */
  minPixels: 4,
  /** Neighbours of which one has the ground's colour and one has not: an outline through the block has fewer. */
  minChanges: 14,
};
/** Fewer blocks that touch each other are an ornament. */
const MIN_BLOCKS = 12;

/** Returns the part of an image, of which a pixel is `step` long, that a block covers. */
function partOf(block: number, columns: number, { width, height }: Box, step = 1): Box {
  const side = BLOCK * step;
  const left = (block % columns) * side;
  const top = Math.floor(block / columns) * side;
  const [right, bottom] = [Math.min(width, left + side), Math.min(height, top + side)];
  return { left, top, width: right - left, height: bottom - top };
}

/** Returns whether some of a block is subject of the ground's colour; looks at every other row. */
function hasGround(
  { matte: { data, width } }: MattedImage,
  { distance, tolerance }: EvenGround,
  { left, top, width: columns, height: rows }: Box,
): boolean {
  for (let y = top + 1; y < top + rows; y += 2)
    for (let i = y * width + left, end = i + columns; i < end; i++)
      if (distance[i]! <= tolerance && data[i]! >= FAINT) return true;
  return false;
}

function isTextured(image: MattedImage, ground: EvenGround, part: Box): boolean {
  if (!hasGround(image, ground, part)) return false;
  const { data, width } = image.matte;
  const { distance, tolerance, minEdge } = ground;
  const { left, top } = part;
  let [near, far, changes] = [0, 0, 0];
  for (let y = top; y < top + part.height; y++)
    for (let x = left, i = y * width + left; x < left + part.width; x++, i++) {
      if (data[i]! < FAINT) continue;
      const isNear = distance[i]! <= tolerance;
      if (isNear) near++;
      else if (distance[i]! > minEdge) far++;
      if (x > left && isNear !== distance[i - 1]! <= tolerance) changes++;
      if (y > top && isNear !== distance[i - width]! <= tolerance) changes++;
    }
  return Math.min(near, far) >= TEXTURE.minPixels && changes >= TEXTURE.minChanges;
}

/** Finds the blocks of the ground in which its colour shows through textures of the subject. */
function findTextures(image: MattedImage, ground: EvenGround): number[] {
  const whole = fullBox(image.matte);
  const { columns, colours } = ground;
  const marks = new Uint8Array(colours.length / 3);
  for (let block = 0; block < marks.length; block++)
    if (isTextured(image, ground, partOf(block, columns, whole))) marks[block] = 1;
  return regionsOf(marks, columns, MIN_BLOCKS).flatMap((blocks) => [...blocks]);
}

/** Returns a block and those around it. */
function blocksAround(block: number, { columns, colours }: EvenGround): number[] {
  const x = block % columns;
  const near: number[] = [];
  for (let row = block - x - columns; row <= block - x + columns; row += columns)
    for (let column = Math.max(0, x - 1); column <= Math.min(columns - 1, x + 1); column++)
      if (row >= 0 && 3 * row < colours.length) near.push(row + column);
  return near;
}

/** Returns the blocks that are none of some, but beside one. */
function ringAround(blocks: readonly number[], ground: EvenGround): number[] {
  const inner = new Set(blocks);
  const all = new Set(blocks.flatMap((block) => blocksAround(block, ground)));
  return [...all].filter((block) => !inner.has(block));
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
function judgeTexture(light: Uint32Array, { noise }: EvenGround): Verdict {
  const count = light.reduce((sum, n) => sum + n, 0);
  if (noise > SEEN_THROUGH.maxNoise || count === 0) return 'right';
  const median = quantileOf(light, 0.5 * count) - noise / 2;
  const upper = quantileOf(light, 0.75 * count) - noise / 2;
  if (median <= SEEN_THROUGH.maxMedian && upper <= SEEN_THROUGH.maxUpper) return 'wrong';
  const isWorthALook = median <= SEEN_THROUGH.maxMedianToAsk && upper <= SEEN_THROUGH.maxUpperToAsk;
  return isWorthALook ? 'unsure' : 'right';
}

/** The goods' contrast with the ground: a quantile of the distances of what is far from it. */
const CONTRAST = 0.75;
/** Weights of red, green and blue, of 256: JPEG blurs the colour of small things, but hardly their light. */
const [RED, GREEN, BLUE] = [77, 150, 29];
/** Within a gap pixels and their neighbours are so near to the ground at most, levels. */
const MAX_IN_GAP = 40;
/** Around its textures so many rings of blocks are opened where it goes on. */
const RINGS = 2;
/** Alpha from which on the network is sure. */
const SURE = 250;
/** So many blocks, about, are judged. */
const SAMPLES = 200;
/** From so much of the contrast on a pixel is all subject: threads are thinner than photos are sharp. */
const SOLID_SHARE = 0.9;
const HALF = 128;
/** A block is clearer if so much of what was solid in it has the ground's colour, share of its pixels. */
const MIN_CLEARER = 0.02;

/** Whether a block is opened whatever it was, or where the ground shows that was solid. */
type OpeningRule = 'all' | 'if-clearer';

/** Returns the alpha of each distance from the ground, by that of the goods. */
function rampOf(contrast: number, tolerance: number): Uint8Array {
  const solid = SOLID_SHARE * contrast;
  const clear = Math.min(tolerance, solid / 2);
  const ramp = new Uint8ClampedArray(256);
  for (let d = 0; d < ramp.length; d++) ramp[d] = (255 * (d - clear)) / (solid - clear);
  return new Uint8Array(ramp.buffer);
}

/** Levels, 0..255, of the pixels of a block: how far they are from the ground, and how much lighter or darker. */
class BlockReader {
  readonly #pixels: Pixels;
  readonly #colours: Uint8Array;
  readonly distance: Uint8Array;
  readonly light: Uint8Array;

  /** @param side of a block, pixels */
  constructor(pixels: Pixels, { colours }: EvenGround, side: number) {
    this.#pixels = pixels;
    this.#colours = colours;
    this.distance = new Uint8Array(side * side);
    this.light = new Uint8Array(side * side);
  }

  read(block: number, { left, top, width, height }: Box): void {
    const { data, width: stride } = this.#pixels;
    const [r, g, b] = this.#colours.subarray(3 * block, 3 * block + 3) as unknown as number[];
    for (let y = 0, i = 0; y < height; y++) {
      let p = 3 * ((top + y) * stride + left);
      for (const end = i + width; i < end; i++, p += 3) {
        const red = data[p]! - r!;
        const green = data[p + 1]! - g!;
        const blue = data[p + 2]! - b!;
        this.distance[i] = Math.max(Math.abs(red), Math.abs(green), Math.abs(blue));
        this.light[i] = Math.abs(RED * red + GREEN * green + BLUE * blue) >> 8;
      }
    }
  }

  /** Returns whether a pixel that is not at the block's border and its neighbours are in a gap. */
  isInGap(pixel: number, width: number): boolean {
    const { distance } = this;
    return (
      distance[pixel]! <= MAX_IN_GAP &&
      distance[pixel - 1]! <= MAX_IN_GAP &&
      distance[pixel + 1]! <= MAX_IN_GAP &&
      distance[pixel - width]! <= MAX_IN_GAP &&
      distance[pixel + width]! <= MAX_IN_GAP
    );
  }
}

/** Calls `visit` with the start and end of each row of a place, and where it starts among the pixels of the place. */
function eachRow(
  { width }: Matte,
  place: Box,
  visit: (from: number, to: number, first: number) => void,
): void {
  for (let y = 0; y < place.height; y++) {
    const from = (place.top + y) * width + place.left;
    visit(from, from + place.width, y * place.width);
  }
}

function isClearer(matte: Matte, place: Box, distance: Uint8Array, tolerance: number): boolean {
  let count = 0;
  eachRow(matte, place, (from, to, first) => {
    for (let i = from, n = first; i < to; i++, n++)
      if (distance[n]! <= tolerance && matte.data[i]! >= HALF) count++;
  });
  return count >= MIN_CLEARER * place.width * place.height;
}

/** What of the subject is finer than the network sees, in front of an even ground. */
export class FineStructure {
  readonly #image: MattedImage;
  readonly #ground: EvenGround;
  readonly #within: readonly number[];
  readonly #reader: BlockReader;
  /** Of each block that was opened, or is to be: how far the goods are from the ground, levels. */
  readonly #contrasts = new Map<number, number>();
  readonly #ramps = new Map<number, Uint8Array>();
  /** Whether it is wrong that it is solid. */
  readonly verdict: Verdict;

  /** @param pixels of a whole image @param image the part of it whose ground was measured, with the network's matte */
  constructor(pixels: Pixels, image: MattedImage, ground: EvenGround) {
    this.#image = image;
    this.#ground = ground;
    // Of a smaller image the other rules see every pixel.
    this.#within = ground.step > 1 ? findTextures(image, ground) : [];
    this.#reader = new BlockReader(pixels, ground, BLOCK * ground.step);
    this.verdict = judgeTexture(this.#lightInGaps(), ground);
  }

  /** Returns a block's place in the whole image. */
  #placeOf(block: number): Box {
    const { box, step, columns } = this.#ground;
    const { left, top, width, height } = box;
    const whole = { left: 0, top: 0, width: width * step, height: height * step };
    const part = partOf(block, columns, whole, step);
    return { ...part, left: left * step + part.left, top: top * step + part.top };
  }

  /** Returns the blocks of the textures, and those in which a print may go on in the shade of a fold. */
  #judgedBlocks(): number[] {
    const { data } = this.#image.matte;
    const isSolid = (block: number) => {
      let least = 255;
      this.#eachCell([block], (cell) => {
        if (data[cell]! < least) least = data[cell]!;
      });
      return least >= SURE;
    };
    const blocks = [...this.#within];
    for (let ring = 0; ring < RINGS; ring++)
      blocks.push(...ringAround(blocks, this.#ground).filter(isSolid));
    return blocks;
  }

  /** Counts pixels in gaps by how much lighter or darker than the ground they are. */
  #lightInGaps(): Uint32Array {
    const blocks = this.#judgedBlocks();
    const levels = new Uint32Array(256);
    const skip = Math.ceil(blocks.length / SAMPLES);
    for (let n = 0; n < blocks.length; n += skip) {
      const place = this.#placeOf(blocks[n]!);
      this.#reader.read(blocks[n]!, place);
      for (let y = 1; y < place.height - 1; y++)
        for (let x = 1, i = y * place.width + 1; x < place.width - 1; x++, i++)
          if (this.#reader.isInGap(i, place.width)) levels[this.#reader.light[i]!]!++;
    }
    return levels;
  }

  /** Calls `visit` with the pixels of the thinned image in some blocks. */
  #eachCell(blocks: readonly number[], visit: (cell: number) => void): void {
    const whole = fullBox(this.#image.matte);
    for (const block of blocks) {
      const { left, top, width, height } = partOf(block, this.#ground.columns, whole);
      for (let y = top; y < top + height; y++)
        for (let i = y * whole.width + left, end = i + width; i < end; i++) visit(i);
    }
  }

  /** Returns the contrast of a block of the texture with the ground, levels. */
  #contrastOf(block: number): number {
    const { distance, minEdge } = this.#ground;
    const levels = new Uint32Array(256);
    let count = 0;
    this.#eachCell([block], (cell) => {
      if (distance[cell]! <= minEdge) return;
      levels[distance[cell]!]!++;
      count++;
    });
    return quantileOf(levels, CONTRAST * count);
  }

  #contrastAt(block: number): number {
    return middleOf(
      blocksAround(block, this.#ground)
        .map((near) => this.#contrasts.get(near) ?? 0)
        .filter((contrast) => contrast > 0),
    );
  }

  /** Opens a block in a matte of the whole image; returns whether anything was opened. */
  #openBlock(matte: Matte, block: number, rule: OpeningRule): boolean {
    const { tolerance } = this.#ground;
    const { distance } = this.#reader;
    const place = this.#placeOf(block);
    this.#reader.read(block, place);
    const isOpened = rule === 'all' || isClearer(matte, place, distance, tolerance);
    if (!isOpened) return false;
    const contrast = this.#contrastAt(block);
    if (rule === 'if-clearer') this.#contrasts.set(block, contrast);
    const ramp = this.#ramps.get(contrast) ?? rampOf(contrast, tolerance);
    this.#ramps.set(contrast, ramp);
    eachRow(matte, place, (from, to, first) => {
      for (let i = from, n = first; i < to; i++, n++) {
        const alpha = ramp[distance[n]!]!;
        if (rule === 'all' || alpha < matte.data[i]!) matte.data[i] = alpha;
      }
    });
    return true;
  }

  /** Opens it in a matte of the whole image: alpha follows the distance from the ground. */
  open(matte: Matte): void {
    for (const block of this.#within) this.#contrasts.set(block, this.#contrastOf(block));
    for (const block of this.#within) this.#openBlock(matte, block, 'all');
    for (let ring = 0, front = this.#within; ring < RINGS; ring++)
      front = ringAround(front, this.#ground).filter(
        (block) => !this.#contrasts.has(block) && this.#openBlock(matte, block, 'if-clearer'),
      );
  }

  /** Returns the pixels of the thinned image that have the ground's colour although the network is sure of them. */
  sureCells(): Int32Array {
    const { distance, tolerance } = this.#ground;
    const { data } = this.#image.matte;
    const cells: number[] = [];
    this.#eachCell(this.#within, (cell) => {
      if (data[cell]! >= SURE && distance[cell]! <= tolerance) cells.push(cell);
    });
    return Int32Array.from(cells);
  }
}
