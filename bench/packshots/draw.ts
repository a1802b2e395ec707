import sharp from 'sharp';
import { createRandom, type Random } from '../../test/faults/random.ts';
import { DRAWINGS, type DrawingName } from './drawings.ts';
import { FINE_DRAWINGS } from './fine-drawings.ts';
import { between } from './palette.ts';

/** A drawn picture of goods on an even ground, and the exact alpha of the goods. */
export interface Packshot {
  /** A JPEG. */
  image: Buffer;
  /** A greyscale PNG of the same size. */
  alpha: Buffer;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** Grounds that shops use, the commonest more than once. */
const GROUNDS: readonly Rgb[] = [
  [255, 255, 255],
  [255, 255, 255],
  [252, 252, 252],
  [244, 243, 241],
  [232, 232, 234],
  [216, 206, 192],
  [120, 122, 126],
  [20, 20, 20],
];
const COLOURS: readonly Rgb[] = [
  [26, 27, 32],
  [32, 32, 34],
  [50, 64, 92],
  [236, 121, 20],
  [176, 32, 40],
  [38, 92, 66],
  [206, 170, 52],
  [150, 152, 156],
  [196, 190, 186],
  [250, 250, 248],
  [228, 214, 190],
  [110, 70, 46],
];
/** Colours that differ by this much in a channel are told apart from the ground, or from each other. */
const APART = 70;

const SHAPES: readonly (readonly [width: number, height: number])[] = [
  [800, 1000],
  [600, 900],
  [1000, 1000],
  [1200, 1500],
];
/** Of what is finer than a network sees: 12 megapixels, as soft as a lens makes them, pixels. */
const FINE = { shape: [3000, 4000] as const, minBlur: 0.4, maxBlur: 1.1 };

const css = (colour: Rgb): string => `rgb(${colour.join(',')})`;
const distance = (a: Rgb, b: Rgb): number => Math.max(...a.map((v, c) => Math.abs(v - b[c]!)));
const shift = (colour: Rgb, by: number): Rgb =>
  colour.map((v) => Math.min(255, Math.max(0, Math.round(v + by)))) as unknown as Rgb;

/** Light that falls off to one side or to the corners; none on every second picture. */
function lightOn(random: Random): string {
  if (random.next() < 0.5) return '';
  const depth = 0.03 + 0.07 * random.next();
  const stops = `<stop offset=".3" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity="${depth}"/>`;
  return `<radialGradient id="light" cx="${random.next()}" cy="${random.next()}" r="1.1">${stops}</radialGradient>
    <rect width="400" height="440" fill="url(#light)"/>`;
}

/** A soft shadow below the goods, of every third picture. */
const shadowBelow = (random: Random): string =>
  random.next() < 0.66
    ? ''
    : `<filter id="soft"><feGaussianBlur stdDeviation="6"/></filter>
       <ellipse filter="url(#soft)" cx="200" cy="392" rx="120" ry="8" opacity="${0.1 + 0.2 * random.next()}"/>`;

async function withNoise(pixels: Buffer, random: Random): Promise<Buffer> {
  const { data, info } = await sharp(pixels)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const depth = random.pick([0, 0, 2, 4]);
  if (depth > 0)
    for (let i = 0; i < data.length; i++)
      data[i] = Math.min(255, Math.max(0, data[i]! + depth * (random.next() + random.next() - 1)));
  const { width, height } = info;
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 80 + random.below(16), chromaSubsampling: random.pick(['4:4:4', '4:2:0']) })
    .toBuffer();
}

/** Draws a picture; the same for the same kind and seed. */
export async function drawPackshot(name: DrawingName, seed: number): Promise<Packshot> {
  const random = createRandom(Math.imul(seed + 1, 7919) ^ Object.keys(DRAWINGS).indexOf(name));
  const ground = random.pick(GROUNDS);
  const cloth = random.pick(COLOURS.filter((colour) => distance(colour, ground) >= APART / 2));
  const trim = random.pick(
    COLOURS.filter((c) => distance(c, ground) >= APART && distance(c, cloth) >= APART),
  );
  const towards = ground[0] > 128 ? -1 : 1;
  const subject = DRAWINGS[name]({
    random,
    cloth: css(cloth),
    trim: css(trim),
    pale: css(shift(ground, towards * (4 + random.below(10)))),
    seam: css(shift(ground, towards * (25 + random.below(30)))),
    print: css(shift(ground, towards * (seed % 13))),
  });
  const isFine = name in FINE_DRAWINGS;
  const [width, height] = isFine ? FINE.shape : random.pick(SHAPES);
  const size = 0.65 + 0.35 * random.next();
  const [dx, dy] = [400 * (1 - size) * random.next(), 440 * (1 - size) * random.next()];
  const svg = (below: string, own: string) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 400 440" preserveAspectRatio="none">${below}
       <svg viewBox="0 0 400 440" x="${dx}" y="${dy}" width="${400 * size}" height="${440 * size}" preserveAspectRatio="none">${own}${subject}</svg></svg>`,
    );
  const below = `<rect width="400" height="440" fill="${css(ground)}"/>${lightOn(random)}`;
  const blur = isFine ? between(random, FINE.minBlur, FINE.maxBlur) : undefined;
  const rasterise = (drawing: Buffer) => {
    const picture = sharp(drawing).ensureAlpha();
    return blur === undefined ? picture : picture.blur(blur);
  };
  const image = await withNoise(
    await rasterise(svg(below, shadowBelow(random)))
      .png()
      .toBuffer(),
    random,
  );
  const alpha = await rasterise(svg('', '')).extractChannel('alpha').png().toBuffer();
  return { image, alpha };
}
