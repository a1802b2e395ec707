import sharp, { type Sharp } from 'sharp';

/** Fixtures are drawn: the code shows what is in them, and no photo of a person is stored. */

export type Format = 'jpeg' | 'png' | 'webp';

export interface Drawing {
  width: number;
  height: number;
  format: Format;
}

/** On a canvas of 400 x 400: a T-shirt with sleeves, collar, folds and a soft shadow. */
const SHIRT = `
  <defs>
    <linearGradient id="cloth" x1="0" y1="0" x2="1" y2="1">
      <stop offset="0" stop-color="#3d6f9e"/><stop offset=".5" stop-color="#2c5784"/><stop offset="1" stop-color="#234a73"/>
    </linearGradient>
    <filter id="soft"><feGaussianBlur stdDeviation="7"/></filter>
  </defs>
  <path filter="url(#soft)" fill="#3a3631" opacity=".35"
    d="M146 82 92 104 46 168 88 204 112 178V352q92 14 184 0V178l24 26 42-36-46-64-54-22q-58 34-116 0z"/>
  <path fill="url(#cloth)"
    d="M142 72 88 94 42 158 84 194 108 168V342q92 14 184 0V168l24 26 42-36-46-64-54-22q-58 34-116 0z"/>
  <path fill="#1c3b5e" d="M142 72q58 34 116 0l-8-3q-50 26-100 0z"/>
  <g fill="none" stroke="#1d3f63" stroke-width="3" opacity=".55" stroke-linecap="round">
    <path d="M108 168q8-30 26-52M292 168q-8-30-26-52M150 210q30 26 14 98M246 190q-22 50 2 130M190 260q18 30 8 72"/>
  </g>
  <g fill="none" stroke="#5f8fbd" stroke-width="3" opacity=".5" stroke-linecap="round">
    <path d="M128 190q14 60 6 130M222 150q10 70-4 150M272 200q-6 60 4 120"/>
  </g>`;

const svg = ({ width, height }: Drawing, backdrop: string, subject: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      ${backdrop}
      <svg viewBox="0 0 400 400" width="${width}" height="${height}">${subject}</svg>
    </svg>`,
  );

/** The renderer blurs the whole picture for each strip of it, so a large one is drawn small and enlarged. */
const MAX_SIDE = 1000;

async function draw(drawing: Drawing, backdrop: string, subject: string): Promise<Buffer> {
  const { width, height, format } = drawing;
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
  const small = { width: Math.ceil(scale * width), height: Math.ceil(scale * height), format };
  // Of an SVG itself sharp would draw every size.
  const drawn = await sharp(svg(small, backdrop, subject))
    .removeAlpha()
    .png()
    .toBuffer();
  return sharp(drawn).resize({ width, height, fit: 'fill' }).toFormat(format).toBuffer();
}

/** A blue T-shirt on a plain light background. */
export const drawnShirt = (drawing: Drawing): Promise<Buffer> =>
  draw(drawing, '<rect width="100%" height="100%" fill="#e9e5dd"/>', SHIRT);

/** Brown planks: uneven light, grain and dark joints. */
const WOOD = `
  <filter id="grain" x="0" y="0" width="100%" height="100%">
    <feTurbulence type="fractalNoise" baseFrequency=".004 .09" numOctaves="4" seed="7"/>
    <feColorMatrix values="0 0 0 0 .22  0 0 0 0 .12  0 0 0 0 .05  .9 0 0 0 -.1"/>
  </filter>
  <rect width="100%" height="100%" fill="#b0814f"/>
  <rect width="100%" height="100%" filter="url(#grain)"/>`;

/** The same T-shirt on wooden planks. */
export const drawnShirtOnWood = (drawing: Drawing): Promise<Buffer> => draw(drawing, WOOD, SHIRT);

/** The planks alone. */
export const drawnWood = (drawing: Drawing): Promise<Buffer> => draw(drawing, WOOD, '');

/** The same T-shirt without a background; its transparent pixels hide a bright pattern. */
export async function transparentShirt({ width, height, format }: Drawing): Promise<Buffer> {
  const shirt = await sharp(
    svg({ width, height, format }, '', SHIRT.replace(/<path filter[^>]*>/, '')),
  )
    .raw()
    .toBuffer();
  for (let i = 0; i < shirt.length; i += 4)
    if (shirt[i + 3] === 0) shirt.set([(i >> 4) & 255, 255 - ((i >> 6) & 255), 40], i);
  return sharp(shirt, { raw: { width, height, channels: 4 } })
    .toFormat(format, format === 'webp' ? { lossless: true, exact: true } : {})
    .toBuffer();
}

/** Four flat quarters that show every rotation, mirroring and colour conversion. */
export const QUARTERS = {
  topLeft: [200, 40, 40],
  topRight: [40, 160, 60],
  bottomLeft: [40, 70, 190],
  bottomRight: [235, 230, 220],
} as const;

/** The four quarters as raw RGB, 48 x 32 pixels, for a test to encode. */
export function quarters(): Sharp {
  const [width, height] = [48, 32];
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const place =
        `${y < height / 2 ? 'top' : 'bottom'}${x < width / 2 ? 'Left' : 'Right'}` as const;
      data.set(QUARTERS[place], 3 * (y * width + x));
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** A PNG of 100 bytes whose header says so many pixels, and nothing else. */
export function claimedPng(width: number, height: number): Buffer {
  const png = Buffer.alloc(100);
  png.write('89504e470d0a1a0a0000000d49484452', 'hex');
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.write('0806', 24, 'hex');
  return png;
}

/** Decodes a picture. `at` returns the channels of one pixel. */
export async function readPixels(file: Uint8Array | ArrayBuffer) {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const at = (x: number, y: number): number[] => {
    const start = (y * width + x) * channels;
    return [...data.subarray(start, start + channels)];
  };
  const [corner, middle] = [at(0, 0), at(Math.floor(width / 2), Math.floor(height / 2))];
  return { width, height, channels, data, at, corner, middle };
}
