import sharp, { type Sharp } from 'sharp';
import type { Box, Matte, Pixels } from '../../src/imaging/picture.ts';
import type { Subject } from './subject.ts';

/** Share of the picture that the subject of a right picture takes. */
export const RIGHT_FILL = 0.9;

const asInput = ({ data, width, height }: Pixels | Matte, channels: 1 | 3 | 4) =>
  sharp(data, { raw: { width, height, channels } });

/** Returns the subject on a ground, as raw colours; the photo was taken on white. */
export function onGround(
  { rgb, matte }: Subject,
  ground: (x: number, y: number) => number[],
): Pixels {
  const out = { ...rgb, data: Uint8Array.from(rgb.data) };
  for (let i = 0; i < matte.data.length; i++) {
    const colour = ground(i % rgb.width, Math.floor(i / rgb.width));
    const clear = 1 - matte.data[i]! / 255;
    // What shines through the subject is the white of the photo: it is replaced by the new ground.
    for (let c = 0; c < 3; c++) {
      const own = matte.data[i] === 0 ? 255 : out.data[3 * i + c]!;
      out.data[3 * i + c] = Math.max(0, Math.min(255, own + clear * (colour[c]! - 255)));
    }
  }
  return out;
}

/** Returns the canvas around a subject that takes the given share of it, as a box in the photo. */
export function canvasFor({ box }: Subject, fill: number): Box {
  const side = Math.round(Math.max(box.width, box.height) / fill);
  return {
    left: box.left - Math.floor((side - box.width) / 2),
    top: box.top - Math.floor((side - box.height) / 2),
    width: side,
    height: side,
  };
}

/** Cuts a canvas out of a photo; beyond it there is the ground. */
export async function toCanvas(pixels: Pixels, canvas: Box, ground: number[]): Promise<Sharp> {
  const left = Math.max(0, canvas.left);
  const top = Math.max(0, canvas.top);
  const right = Math.min(pixels.width, canvas.left + canvas.width);
  const bottom = Math.min(pixels.height, canvas.top + canvas.height);
  const [r = 255, g = 255, b = 255] = ground;
  const data = await asInput(pixels, 3)
    .extract({ left, top, width: right - left, height: bottom - top })
    .extend({
      left: left - canvas.left,
      top: top - canvas.top,
      right: canvas.left + canvas.width - right,
      bottom: canvas.top + canvas.height - bottom,
      background: { r, g, b },
    })
    .png()
    .toBuffer();
  return sharp(data);
}

/** Encodes a picture as shops do. */
export const jpeg = (image: Sharp): Promise<Buffer> =>
  image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer();

/** The colour of a right picture's ground. */
export const white = () => [255, 255, 255];

/** Draws a subject on white, as marketplaces want it. */
export const rightPicture = async (subject: Subject): Promise<Sharp> =>
  toCanvas(onGround(subject, white), canvasFor(subject, RIGHT_FILL), white());
