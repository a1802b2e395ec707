import type { MattedImage } from '../picture.ts';
import { eachNeighbour } from '../regions.ts';
import { BLOCK, type EvenGround } from './even-ground.ts';

/** A ground that deviates by more, levels, hides what is pale. */
const MAX_NOISE = 1.2;
/** A pixel is ground if those around it differ from it by so little in the mean: levels, and deviations of the ground. */
const GROUND = { levels: 2, deviations: 2 };
/** What differs by more, levels, is not pale: edges are solved by its colour. */
const MAX_PALE = 30;
/** Alpha from which on a pixel may belong to the goods. */
const MIN_ALPHA = 30;
/**
 * Shares of the greatest distance nearby: up to the lower one a pixel is ground, from the upper one on goods. A narrow edge
 * stays where it is, since both are as far from one half.
 */
const SHARE = { ground: 0.3, goods: 0.7 };
/** So far around a cell the mean is taken, cells. */
const MEAN_REACH = 1;
/** So far around it the greatest distance is sought: pixels, and no less than one cell. */
const MOST_REACH = 2;

const SOLID = 255;
const isSoft = (alpha: number): boolean => alpha > 0 && alpha < SOLID;

/** Of a cell: it is soft ground, which may be joined to the clear ground, or is. */
const SOFT_GROUND = 1;
const JOINED = 2;

/**
 * Draws the outline of pale goods where an exact ground shows it, though network and solver do not. It looks at cells, one of
 * `step` pixels a side each, by their middle pixels; what it finds there changes the soft pixels of the cell.
 */
class PaleOutline {
  readonly #image: MattedImage;
  readonly #ground: EvenGround;
  /** What is no further from the ground is ground, levels. */
  readonly #limit: number;
  readonly #cells: Uint8Array;

  constructor(image: MattedImage, ground: EvenGround) {
    this.#image = image;
    this.#ground = ground;
    this.#limit = GROUND.levels + GROUND.deviations * ground.noise;
    this.#cells = new Uint8Array(ground.distance.length);
  }

  /** Returns the place in the image of a cell's first pixel. */
  #pixelOf(cell: number): number {
    const { box, step } = this.#ground;
    const [x, y] = [cell % box.width, Math.floor(cell / box.width)];
    return (box.top + y) * step * this.#image.matte.width + (box.left + x) * step;
  }

  #alphaOf(cell: number): number {
    const { data, width } = this.#image.matte;
    const middle = this.#ground.step >> 1;
    return data[this.#pixelOf(cell) + middle * width + middle]!;
  }

  /** Calls `visit` with the distances of the cells around one. */
  #eachAround(cell: number, reach: number, visit: (distance: number) => void): void {
    const { width, height } = this.#ground.box;
    const [x, y] = [cell % width, Math.floor(cell / width)];
    const bottom = Math.min(height - 1, y + reach);
    const right = Math.min(width - 1, x + reach);
    for (let row = Math.max(0, y - reach); row <= bottom; row++)
      for (let i = row * width + Math.max(0, x - reach); i <= row * width + right; i++)
        visit(this.#ground.distance[i]!);
  }

  #meanAround(cell: number): number {
    let [sum, count] = [0, 0];
    this.#eachAround(cell, MEAN_REACH, (distance) => {
      sum += distance;
      count++;
    });
    return sum / count;
  }

  #mostAround(cell: number): number {
    let most = 0;
    this.#eachAround(cell, Math.max(1, Math.round(MOST_REACH / this.#ground.step)), (distance) => {
      if (distance > most) most = distance;
    });
    return most;
  }

  /** Changes the soft pixels of a cell. @param alphaOf by a pixel's distance from the ground, levels, and its alpha */
  #change(cell: number, alphaOf: (distance: number, alpha: number) => number): void {
    const { pixels, matte } = this.#image;
    const { colours, columns, box, step } = this.#ground;
    const [x, y] = [cell % box.width, Math.floor(cell / box.width)];
    const at = 3 * (Math.floor(y / BLOCK) * columns + Math.floor(x / BLOCK));
    const first = this.#pixelOf(cell);
    for (let row = 0; row < step; row++)
      for (let i = first + row * matte.width, end = i + step; i < end; i++) {
        if (!isSoft(matte.data[i]!)) continue;
        const distance = Math.max(
          Math.abs(pixels.data[3 * i]! - colours[at]!),
          Math.abs(pixels.data[3 * i + 1]! - colours[at + 1]!),
          Math.abs(pixels.data[3 * i + 2]! - colours[at + 2]!),
        );
        matte.data[i] = alphaOf(distance, matte.data[i]!);
      }
  }

  /** Makes a cell of the goods as solid as its pixels are far from the ground. */
  #raise(cell: number): void {
    if (this.#ground.distance[cell]! > MAX_PALE) return;
    const most = this.#mostAround(cell);
    if (most > MAX_PALE) return;
    this.#change(cell, (distance, alpha) => {
      if (alpha < MIN_ALPHA) return alpha;
      const share = (distance / most - SHARE.ground) / (SHARE.goods - SHARE.ground);
      return Math.max(alpha, Math.round(SOLID * Math.min(1, share)));
    });
  }

  #neighbours(cell: number): number[] {
    const found: number[] = [];
    eachNeighbour(cell, this.#ground.box.width, this.#cells.length, (near) => found.push(near));
    return found;
  }

  readonly #isClearGround = (cell: number): boolean =>
    this.#alphaOf(cell) === 0 && this.#ground.distance[cell]! <= this.#limit;

  #joinedToGround(soft: readonly number[]): number[] {
    const joined = soft.filter((cell) => this.#neighbours(cell).some(this.#isClearGround));
    for (const cell of joined) this.#cells[cell] = JOINED;
    for (let n = 0; n < joined.length; n++)
      for (const next of this.#neighbours(joined[n]!)) {
        if (this.#cells[next] !== SOFT_GROUND) continue;
        this.#cells[next] = JOINED;
        joined.push(next);
      }
    return joined;
  }

  draw(): void {
    const softGround: number[] = [];
    for (let cell = 0; cell < this.#cells.length; cell++) {
      if (this.#ground.distance[cell]! > MAX_PALE || !isSoft(this.#alphaOf(cell))) continue;
      if (this.#meanAround(cell) > this.#limit) this.#raise(cell);
      else if (this.#ground.distance[cell]! <= this.#limit) {
        this.#cells[cell] = SOFT_GROUND;
        softGround.push(cell);
      }
    }
    for (const cell of this.#joinedToGround(softGround))
      this.#change(cell, (distance, alpha) => (distance <= this.#limit ? 0 : alpha));
  }
}

/**
 * Draws the outline of pale goods on an exact ground, in place: of soft pixels, those of the ground's colour that are
 * joined to it become clear, and pale ones become as solid as they are far from it beside their neighbours.
 * @see docs/adr/0134-pale-goods.md
 */
export function drawPaleOutline(image: MattedImage, ground: EvenGround): void {
  if (ground.noise <= MAX_NOISE) new PaleOutline(image, ground).draw();
}
