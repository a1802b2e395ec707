import type { MattedImage } from '../downscale.ts';
import { regionsOf } from '../regions.ts';
import { type Box, fullBox } from '../subject-box.ts';
import { BLOCK, blocksOf, type EvenGround } from './even-ground.ts';

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
export function partOf(block: number, columns: number, { width, height }: Box, step = 1): Box {
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
export function findTextures(image: MattedImage, ground: EvenGround): number[] {
  const whole = fullBox(image.matte);
  const { width: columns, height: rows } = blocksOf(whole);
  const marks = new Uint8Array(columns * rows);
  for (let block = 0; block < marks.length; block++)
    if (isTextured(image, ground, partOf(block, columns, whole))) marks[block] = 1;
  return regionsOf(marks, columns, MIN_BLOCKS).flatMap((blocks) => [...blocks]);
}

/** Returns a block of a ground, `columns` blocks wide, and those around it. */
export function blocksAround(block: number, columns: number, { colours }: EvenGround): number[] {
  const x = block % columns;
  const near: number[] = [];
  for (let row = block - x - columns; row <= block - x + columns; row += columns)
    for (let column = Math.max(0, x - 1); column <= Math.min(columns - 1, x + 1); column++)
      if (row >= 0 && 3 * row < colours.length) near.push(row + column);
  return near;
}

/** Returns the blocks that are none of some, but beside one. */
export function ringAround(
  blocks: readonly number[],
  ground: EvenGround,
  columns: number,
): number[] {
  const inner = new Set(blocks);
  const all = new Set(blocks.flatMap((block) => blocksAround(block, columns, ground)));
  return [...all].filter((block) => !inner.has(block));
}
