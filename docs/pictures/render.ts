/**
 * Renders the images of the README: a drawn garment, its cut-out by the embedded model, and both side by
 * side. `node --import tsx docs/pictures/render.ts` writes them beside this file.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { startEngine } from '../../workers/inference/pool.ts';
import { sweaterOnOak } from './sweater.ts';

const [WIDTH, HEIGHT] = [480, 600];
const TILE = 20;

const pathOf = (name: string): string => join(import.meta.dirname, name);

/** Draws grey and white squares, which stand for transparency. */
const checkerboard = (): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
    <pattern id="tiles" width="${2 * TILE}" height="${2 * TILE}" patternUnits="userSpaceOnUse">
      <rect width="100%" height="100%" fill="#fff"/>
      <path d="M0 0h${TILE}v${TILE}h${TILE}v${TILE}h-${TILE}v-${TILE}h-${TILE}z" fill="#e3e5e8"/>
    </pattern>
    <rect width="100%" height="100%" fill="url(#tiles)"/>
  </svg>`);

/** Returns the cut-out that `POST /bg/v1/background-removals` would return. */
async function cutOut(photo: Uint8Array): Promise<Uint8Array> {
  const modelsHome = await mkdtemp(join(tmpdir(), 'selvage-'));
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: 1,
    maxPixels: WIDTH * HEIGHT,
    modelsHome,
  });
  try {
    return (await engine.removeBackground(photo)).file;
  } finally {
    await engine.close();
    await rm(modelsHome, { recursive: true });
  }
}

const before = await sharp(sweaterOnOak(2 * WIDTH, 2 * HEIGHT))
  .resize(WIDTH)
  .removeAlpha()
  .jpeg({ quality: 88, mozjpeg: true })
  .toBuffer();
const after = await cutOut(before);

await sharp(before).toFile(pathOf('before.jpg'));
await sharp(after).png({ compressionLevel: 9, effort: 10 }).toFile(pathOf('after.png'));
await sharp({ create: { width: 2 * WIDTH, height: HEIGHT, channels: 3, background: 'white' } })
  .composite([
    { input: before, left: 0, top: 0 },
    { input: checkerboard(), left: WIDTH, top: 0 },
    { input: Buffer.from(after), left: WIDTH, top: 0 },
  ])
  .png({ palette: true, colours: 160, effort: 10, dither: 0.7, compressionLevel: 9 })
  .toFile(pathOf('before-after.png'));
