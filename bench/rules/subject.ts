import sharp from 'sharp';
import { type Box, type Matte, type Pixels, subjectBox } from '../../src/imaging/picture.ts';
import { type Photo, readReference } from '../eval-photos.ts';

/** From this alpha on a pixel belongs to the subject. */
export const VISIBLE_ALPHA = 26;
const SURELY_SUBJECT = 250;

/** A photo of a shop with its matte: the subject as it is to be put into pictures. */
export interface Subject {
  rgb: Pixels;
  matte: Matte;
  box: Box;
}

/** Returns the colours that a file shows. */
export async function readPicture(file: Uint8Array | string): Promise<Pixels> {
  const { data, info } = await sharp(file)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Reads a photo; undefined if its matte has no subject. */
export async function readSubject(photo: Photo): Promise<Subject | undefined> {
  const rgb = await readPicture(photo.image);
  const { ignore, ...matte } = await readReference(photo);
  // Shadows on the floor are no part of a right picture.
  if (ignore)
    for (let i = 0; i < ignore.length; i++)
      if (ignore[i]! > 0 && matte.data[i]! < SURELY_SUBJECT) matte.data[i] = 0;
  const box = subjectBox(matte.data, matte.width, VISIBLE_ALPHA);
  if (!box) return undefined;
  return { rgb, matte, box };
}

/** Returns the matte of a subject on a canvas. */
export function matteOn({ matte }: Subject, canvas: Box): Matte {
  const { width, height } = canvas;
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [column, row] = [x + canvas.left, y + canvas.top];
      if (column < 0 || row < 0 || column >= matte.width || row >= matte.height) continue;
      data[y * width + x] = matte.data[row * matte.width + column]!;
    }
  return { data, width, height };
}

/** Returns a matte whose outline lies one pixel farther out. */
function widenOnce({ data, width, height }: Matte): Matte {
  const wide = Uint8Array.from(data);
  for (let i = width; i < data.length - width; i++)
    wide[i] = Math.max(data[i]!, data[i - 1]!, data[i + 1]!, data[i - width]!, data[i + width]!);
  return { data: wide, width, height };
}

/** Returns a matte whose outline lies so many pixels farther out. */
export const widen = (matte: Matte, pixels: number): Matte =>
  Array.from({ length: pixels }).reduce((wide: Matte) => widenOnce(wide), matte);
