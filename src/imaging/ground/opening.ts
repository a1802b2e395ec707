import type { Matte } from '../matte.ts';
import type { Box } from '../subject-box.ts';
import type { EvenGround } from './even-ground.ts';
import { blocksAround, ringAround } from './texture.ts';

/** From so much of the contrast on a pixel is all subject: threads are thinner than photos are sharp. */
const SOLID_SHARE = 0.9;
const HALF = 128;
/** A block is clearer if so much of what was solid in it has the ground's colour, share of its pixels. */
const MIN_CLEARER = 0.02;

/** Whether a block is opened whatever it was, or where the ground shows that was solid. */
export type OpeningRule = 'all' | 'if-clearer';

/** Returns the alpha of each distance from the ground, by that of the goods. */
function rampOf(contrast: number, tolerance: number): Uint8Array {
  const solid = SOLID_SHARE * contrast;
  const clear = Math.min(tolerance, solid / 2);
  const ramp = new Uint8ClampedArray(256);
  for (let d = 0; d < ramp.length; d++) ramp[d] = (255 * (d - clear)) / (solid - clear);
  return new Uint8Array(ramp.buffer);
}

/** Opens the blocks of a fine structure one after another. */
export class Opening {
  /** Of each block that was opened, or is to be: how far the goods are from the ground, levels. */
  readonly #contrasts: Map<number, number>;
  readonly #ramps = new Map<number, Uint8Array>();
  readonly #ground: EvenGround;
  readonly #columns: number;

  constructor(contrasts: Map<number, number>, ground: EvenGround, columns: number) {
    this.#contrasts = contrasts;
    this.#ground = ground;
    this.#columns = columns;
  }

  /** Returns the blocks around others that are not opened. */
  around(blocks: readonly number[]): number[] {
    return ringAround(blocks, this.#ground, this.#columns).filter(
      (block) => !this.#contrasts.has(block),
    );
  }

  /** Returns the median contrast around a block. */
  #contrastAt(block: number): number {
    const around = blocksAround(block, this.#columns, this.#ground)
      .map((near) => this.#contrasts.get(near) ?? 0)
      .filter((contrast) => contrast > 0)
      .sort((a, b) => a - b);
    return around[around.length >> 1]!;
  }

  /**
   * @param place of the block in the matte
   * @param distance of its pixels from the ground, row after row
   * @returns whether anything was opened
   */
  open(matte: Matte, block: number, place: Box, distance: Uint8Array, rule: OpeningRule): boolean {
    const { tolerance } = this.#ground;
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
