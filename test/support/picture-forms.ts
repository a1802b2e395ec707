import sharp, { type Sharp } from 'sharp';
import { drawnShirt, transparentShirt } from './images.ts';

/** The same image in every form a client may store it in. */
export interface Form {
  name: string;
  mediaType: 'image/jpeg' | 'image/png' | 'image/webp';
  /** Whether its background is transparent. */
  isClear?: true;
  isGrey?: true;
  /** The allowed difference between the subject's colours and the drawing, 1/255 of the mean of a channel. */
  within: number;
  encode(picture: Sharp): Sharp;
}

const JPEG = { quality: 95, chromaSubsampling: '4:4:4' };
/** CMYK has a smaller gamut than RGB. */
const OF_INKS = 30;

// biome-ignore format: a table reads best aligned
export const FORMS: readonly Form[] = [
  { name: 'JPEG', mediaType: 'image/jpeg', within: 3, encode: (p) => p.jpeg(JPEG) },
  { name: 'JPEG, grey', mediaType: 'image/jpeg', isGrey: true, within: 3, encode: (p) => p.toColourspace('b-w').jpeg(JPEG) },
  { name: 'JPEG, CMYK', mediaType: 'image/jpeg', within: OF_INKS, encode: (p) => p.toColourspace('cmyk').jpeg(JPEG) },
  { name: 'JPEG, CMYK with profile', mediaType: 'image/jpeg', within: OF_INKS, encode: (p) => p.toColourspace('cmyk').withIccProfile('cmyk').jpeg(JPEG) },
  { name: 'JPEG, Display P3', mediaType: 'image/jpeg', within: 4, encode: (p) => p.withIccProfile('p3').jpeg(JPEG) },
  { name: 'PNG, 16 bits', mediaType: 'image/png', within: 2, encode: (p) => p.toColourspace('rgb16').png() },
  { name: 'PNG, 16 bits, Display P3', mediaType: 'image/png', within: 2, encode: (p) => p.toColourspace('rgb16').withIccProfile('p3').png() },
  { name: 'PNG, palette', mediaType: 'image/png', within: 3, encode: (p) => p.png({ palette: true, colours: 64 }) },
  { name: 'PNG, transparent', mediaType: 'image/png', isClear: true, within: 2, encode: (p) => p.png() },
  { name: 'WebP', mediaType: 'image/webp', within: 5, encode: (p) => p.webp({ quality: 95 }) },
];

export const ORIENTATIONS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
export type Orientation = (typeof ORIENTATIONS)[number];

/** The orientation that undoes another: quarter turns undo each other, mirrors themselves. */
const undoing = (orientation: Orientation): Orientation =>
  orientation === 6 ? 8 : orientation === 8 ? 6 : orientation;

const SHIRT = { width: 400, height: 400, format: 'png' } as const;
/** Wider than high, with the subject off the centre: every rotation and mirroring shows. */
const ASIDE = { right: 100, bottom: 60 };
const GROUND = { r: 233, g: 229, b: 221 };

const turned = async (png: Buffer, orientation: Orientation): Promise<Buffer> =>
  sharp(await sharp(png).withMetadata({ orientation }).png().toBuffer())
    .autoOrient()
    .png()
    .toBuffer();

const rgb = (picture: Sharp): Promise<Buffer> =>
  picture.toColourspace('srgb').removeAlpha().raw().toBuffer();

/** The minimum intersection over union of cut-out and drawing. */
const FOUND_IOU = 0.9;
const HALF = 127;
/** Some programs never write fully opaque pixels. */
const OPAQUE = 250;

/** Returns the largest mean difference of a channel, 1/255, where the drawing is opaque. */
function colourDistance(seen: Uint8Array, wanted: Uint8Array, alpha: Uint8Array): number {
  const sums = [0, 0, 0];
  let count = 0;
  alpha.forEach((value, i) => {
    if (value < 255 || seen[4 * i + 3]! < OPAQUE) return;
    count++;
    sums.forEach((_, c) => {
      sums[c]! += Math.abs(seen[4 * i + c]! - wanted[3 * i + c]!);
    });
  });
  return count === 0 ? 255 : Math.max(...sums) / count;
}

function sharedArea(seen: Uint8Array, alpha: Uint8Array): number {
  let [shared, joint] = [0, 0];
  alpha.forEach((wanted, i) => {
    const isSeen = seen[4 * i + 3]! > HALF;
    if (isSeen && wanted > HALF) shared++;
    if (isSeen || wanted > HALF) joint++;
  });
  return shared / joint;
}

/** Draws the image; returns functions to encode it in every form and to check its cut-out. */
export async function drawForms() {
  const photo = await sharp(await drawnShirt(SHIRT))
    .extend({ ...ASIDE, background: GROUND })
    .png()
    .toBuffer();
  const clear = await sharp(await transparentShirt(SHIRT))
    .extend({ ...ASIDE, background: { ...GROUND, alpha: 0 } })
    .png()
    .toBuffer();
  const { width, height } = await sharp(photo).metadata();
  const alpha = await sharp(clear).extractChannel('alpha').raw().toBuffer();
  const colours = await rgb(sharp(photo));
  const greys = await rgb(sharp(await sharp(photo).toColourspace('b-w').png().toBuffer()));
  return {
    /** The file; displayed upright it always shows the same. */
    async stored({ isClear, encode }: Form, orientation: Orientation): Promise<Buffer> {
      const lying = await turned(isClear ? clear : photo, undoing(orientation));
      const tagged = await sharp(lying).withMetadata({ orientation }).png().toBuffer();
      return encode(sharp(tagged).keepExif()).toBuffer();
    },
    /** Returns what is wrong with the cut-out of that file, one word each; empty if it is right. */
    async faultsOf({ isGrey, within }: Form, cutOut: Uint8Array): Promise<string[]> {
      const { data, info } = await sharp(cutOut)
        .ensureAlpha()
        .toColourspace('srgb')
        .raw()
        .toBuffer({ resolveWithObject: true });
      if (info.width !== width || info.height !== height) return ['size'];
      const faults = [];
      if (sharedArea(data, alpha) < FOUND_IOU) faults.push('position');
      if (colourDistance(data, isGrey ? greys : colours, alpha) > within) faults.push('colours');
      return faults;
    },
  };
}
