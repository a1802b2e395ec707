/**
 * Renders the images of garments.md: a drawn person, and their garments as the bundled models cut them out.
 * `node --import tsx docs/pictures/render-outfit.ts` writes them beside this file.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type Outfit, startEngine } from '../../workers/inference/pool.ts';

const [WIDTH, HEIGHT] = [400, 800];
const SHOWN = { height: 480, column: 190, gap: 12, margin: 10 };
const REGIONS = ['top', 'bottom', 'shoes'];

const pathOf = (name: string): string => join(import.meta.dirname, name);

/** On a canvas of 200 x 400. */
const FIGURE = `
  <defs>
    <linearGradient id="skin" x2="1"><stop stop-color="#d9a27c"/><stop offset="1" stop-color="#b57d58"/></linearGradient>
    <linearGradient id="shirt" x2="1" y2="1"><stop stop-color="#c8323a"/><stop offset="1" stop-color="#8f1f2a"/></linearGradient>
    <linearGradient id="denim" x2="1">
      <stop stop-color="#3a5f96"/><stop offset=".5" stop-color="#2c4a78"/><stop offset="1" stop-color="#36588c"/>
    </linearGradient>
  </defs>
  <g fill="url(#skin)">
    <path d="M62 98 50 172q-2 12 6 14t10-10l12-70zM138 98l12 74q2 12-6 14t-10-10l-12-70z"/>
    <path d="M92 66h16v22H92zM78 44q0-26 22-26t22 26q0 30-22 32-22-2-22-32z"/>
    <path d="M73 334h14v26H73zM113 334h14v26h-14z"/>
  </g>
  <path fill="#3a2418" d="M76 48q-4-36 24-36t24 36q-6-18-14-22-16 8-28 0-4 8-6 22z"/>
  <path fill="url(#shirt)" d="M88 80q12 8 24 0l22 8 14 42-18 8-4-12-2 76H76l-2-76-4 12-18-8 14-42z"/>
  <path fill="url(#denim)" d="M75 198h50l5 138h-20l-10-96-10 96H70z"/>
  <path fill="#1f1d22" d="M71 352h18l2 22H50q-3-11 8-13 9-2 13-9zM129 352h-18l-2 22h41q3-11-8-13-9-2-13-9z"/>
  <g fill="none" stroke="#000" opacity=".25" stroke-width="2">
    <path d="M84 130q10 20 2 60M116 130q-10 24-2 60M84 210l-4 120M116 210l4 120M90 198v14h20v-14"/>
  </g>`;

const svg = (width: number, height: number, content: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`,
  );

/** Grey and white squares, which stand for transparency. */
const CHECKERBOARD = `
  <pattern id="tiles" width="16" height="16" patternUnits="userSpaceOnUse">
    <path fill="#fff" d="M0 0h16v16H0z"/><path fill="#e3e3e3" d="M0 0h8v8H0zM8 8h8v8H8z"/>
  </pattern>
  <rect width="100%" height="100%" fill="url(#tiles)"/>`;

async function separate(photo: Uint8Array): Promise<Outfit> {
  const modelsHome = await mkdtemp(join(tmpdir(), 'selvage-'));
  const maxPixels = WIDTH * HEIGHT;
  const settings = { model: 'garment-cutout', device: 'cpu', slots: 1, maxPixels } as const;
  const engine = await startEngine({ ...settings, modelsHome });
  try {
    return await engine.separateOutfit(photo, {}, { cutouts: true });
  } finally {
    await engine.close();
    await rm(modelsHome, { recursive: true });
  }
}

const PNG = { palette: true, compressionLevel: 9, effort: 10 };
const drawing = `
  <path fill="#dcd8cf" d="M0 0h${WIDTH}v${HEIGHT}H0z"/>
  <svg viewBox="0 0 200 400" width="${WIDTH}" height="${HEIGHT}">${FIGURE}</svg>`;
const photo = await sharp(svg(WIDTH, HEIGHT, drawing))
  .removeAlpha()
  .png(PNG)
  .toBuffer();
await sharp(photo).toFile(pathOf('outfit.png'));

const { garments, files } = await separate(photo);
const { height, column, gap, margin } = SHOWN;
const person = await sharp(photo).resize({ height }).png().toBuffer();
const layers: { input: Buffer; left: number; top: number }[] = [{ input: person, left: 0, top: 0 }];
let left = (WIDTH * height) / HEIGHT;
let end = 0;
for (const { region, bytes } of garments) {
  end += bytes;
  if (!REGIONS.includes(region)) continue;
  const { data, info } = await sharp(files.subarray(end - bytes, end))
    .resize({ width: column - 2 * margin, height: height - 6 * margin, fit: 'inside' })
    .png()
    .toBuffer({ resolveWithObject: true });
  left += gap;
  layers.push(
    { input: svg(column, height, CHECKERBOARD), left, top: 0 },
    {
      input: data,
      left: left + Math.round((column - info.width) / 2),
      top: Math.round((height - info.height) / 2),
    },
  );
  left += column;
}
await sharp({ create: { width: left, height, channels: 3, background: 'white' } })
  .composite(layers)
  .png(PNG)
  .toFile(pathOf('outfit-garments.png'));
