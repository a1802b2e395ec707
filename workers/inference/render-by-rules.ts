import { fringeShare, trimFringe } from '../../src/imaging/compliance/fringe.ts';
import {
  clearHaze,
  clearLoosePieces,
  loosePieceShare,
  VISIBLE_ALPHA,
} from '../../src/imaging/compliance/ground.ts';
import {
  type Box,
  evenMatte,
  fullBox,
  type MattedImage,
  type Rgb,
  type Size,
  subjectBox,
} from '../../src/imaging/picture.ts';
import { recoverForeground } from '../../src/imaging/soft-pixels.ts';
import { FORMATS } from '../../src/output/formats.ts';
import { type Layout, parseRegion, regionOf } from '../../src/output/geometry.ts';
import { type CutOutOptions, formatOf } from '../../src/output/options.ts';
import { layoutWithin, meetsBounds } from '../../src/output/rules/layout.ts';
import type { RulePack } from '../../src/output/rules/pack.ts';
import {
  boundsOf,
  type JudgedPicture,
  looksAtPixels,
  MAX_FRINGE_SHARE,
  MAX_LOOSE_SHARE,
  measurePicture,
  reportOf,
} from '../../src/output/rules/verdicts.ts';
import type { RenderedFile } from './child-results.ts';
import { decode, resizeMattedImage } from './codec.ts';
import { compose, encode, encodeJpeg, LOWER_JPEG_QUALITIES, parseHexColor } from './compose.ts';

/** A cut-out, and how it is to be drawn. */
interface Drawing {
  cutOut: MattedImage;
  /** The subject's; absent if there is none. */
  box: Box | undefined;
  layout: Layout;
  options: CutOutOptions;
  background: Uint8Array | undefined;
}

/** A drawing on its canvas, with the alpha of the subject there. */
interface Drawn {
  picture: MattedImage;
  subject: MattedImage['matte'];
}

/** Returns the colour behind the subject, if it is one. */
function groundColour({ options, background }: Drawing): Rgb | undefined {
  if (background || options.shadow) return undefined;
  const color =
    options.backgroundColor ?? (FORMATS[options.format ?? 'png'].hasAlpha ? undefined : '#ffffff');
  if (color === undefined) return undefined;
  const [r, g, b, alpha] = parseHexColor(color);
  return alpha === 255 ? { r, g, b } : undefined;
}

/** Puts the subject on the colour that a pack wants, in the place of all that is behind it. */
function withGround({ options, background }: Drawing, { rules }: RulePack) {
  if (!rules.background) return { options, background };
  const { backgroundImageUrl, backgroundImageSha256, shadow, ...rest } = options;
  return { options: { ...rest, backgroundColor: rules.background.color }, background: undefined };
}

/** Returns the largest share of an output, cropped to the subject, that its loose pieces may take. */
function maxLooseShare({ matte }: MattedImage): number {
  const { data, width, height } = matte;
  const box = subjectBox(data, width, VISIBLE_ALPHA);
  return box ? (loosePieceShare(matte) * width * height) / (box.width * box.height) : 0;
}

/** Takes a fringe of the old ground, letters and haze off the matte, in place. */
function cleanMatte(cutOut: MattedImage, pack: RulePack, newGround: Rgb | undefined): void {
  const isFringed =
    pack.rules.fringe === false && fringeShare(cutOut, newGround) > MAX_FRINGE_SHARE;
  if (isFringed) trimFringe(cutOut, newGround, MAX_FRINGE_SHARE / 2);
  // After the fringe: what hung together by it alone is a piece of its own now.
  if (pack.rules.overlay === false && maxLooseShare(cutOut) > MAX_LOOSE_SHARE)
    clearLoosePieces(cutOut.matte);
  if (pack.rules.background) clearHaze(cutOut.matte);
  if (!isFringed) return;
  const scene = { ...cutOut, opacity: undefined };
  recoverForeground(scene);
}

/**
 * Changes a drawing so that it meets a pack as far as that needs no new pixels: its ground, format, edge and layout.
 * The matte and the colours of its edge are overwritten.
 */
function fixDrawing(drawing: Drawing, pack: RulePack, maxPixels: number): Drawing {
  const { options, background } = withGround(drawing, pack);
  const fixed = { ...drawing, options, background };
  const { cutOut } = drawing;
  cleanMatte(cutOut, pack, groundColour(fixed));
  const box = subjectBox(cutOut.matte.data, cutOut.matte.width, VISIBLE_ALPHA);
  if (!box) return fixed;
  const bounds = boundsOf(pack);
  const hasMoved =
    !drawing.box || Object.entries(drawing.box).some(([k, v]) => box[k as keyof Box] !== v);
  const isKept = !hasMoved && meetsBounds(drawing.layout, bounds);
  return { ...fixed, box, layout: isKept ? drawing.layout : layoutWithin(box, bounds, maxPixels) };
}

const copyOf = ({ pixels, matte }: MattedImage): MattedImage => ({
  pixels: { ...pixels, data: pixels.data.slice() },
  matte: { ...matte, data: matte.data.slice() },
});

/** Draws a picture. The cut-out stays as it is: rules look at it, too. */
async function draw(drawing: Drawing, maxPixels: number): Promise<Drawn> {
  const { cutOut, layout, options, background } = drawing;
  let subject = cutOut.matte;
  const keepAlpha = ({ matte }: MattedImage) => {
    subject = { ...matte, data: matte.data.slice() };
  };
  const copy = copyOf(cutOut);
  const picture = await compose(copy, layout, options, background, maxPixels, keepAlpha);
  return { picture, subject };
}

/** A file, and what it shows. */
interface Encoded extends Drawn {
  file: Uint8Array;
}

/** Sides shrink by `max` or less at a time: by what the bytes need, times `margin`. */
const SHRINK = { max: 0.9, margin: 0.95, attempts: 6 } as const;

async function resizeDrawn({ picture, subject }: Drawn, size: Size): Promise<Drawn> {
  const [smaller, alpha] = await Promise.all([
    resizeMattedImage(picture, size),
    resizeMattedImage({ pixels: picture.pixels, matte: subject }, size),
  ]);
  return { picture: smaller, subject: alpha.matte };
}

/** Returns the size for a file of at most `maxBytes`; undefined if the pack forbids so small a picture. */
function smallerSize(
  { width, height }: Size,
  bytes: number,
  maxBytes: number,
  { rules }: RulePack,
): Size | undefined {
  const needed = Math.min(SHRINK.max, Math.sqrt(maxBytes / bytes) * SHRINK.margin);
  const longest = (rules['longest-side']?.min ?? 1) / Math.max(width, height);
  const shortest = (rules['shortest-side']?.min ?? 1) / Math.min(width, height);
  const factor = Math.max(needed, longest, shortest);
  if (factor >= 1) return undefined;
  return { width: Math.ceil(width * factor), height: Math.ceil(height * factor) };
}

/** Makes the file smaller until it is as small as the pack wants, or cannot be: by quality first, then by size. */
async function shrinkFile(
  encoded: Encoded,
  options: CutOutOptions,
  pack: RulePack,
): Promise<Encoded> {
  const maxBytes = pack.rules['file-bytes']?.max ?? Number.POSITIVE_INFINITY;
  let { file, ...drawn } = encoded;
  if (options.format === 'jpeg')
    for (const quality of LOWER_JPEG_QUALITIES)
      if (file.length > maxBytes) file = await encodeJpeg(drawn.picture, quality);
  for (let attempt = 0; attempt < SHRINK.attempts && file.length > maxBytes; attempt++) {
    const size = smallerSize(drawn.picture.pixels, file.length, maxBytes, pack);
    if (!size) break;
    drawn = await resizeDrawn(drawn, size);
    file = await encode(drawn.picture, options);
  }
  return { ...drawn, file };
}

/** Returns what a file shows: lossy formats change the pixels. */
async function readBack(
  { file, picture }: Encoded,
  { format }: CutOutOptions,
  maxPixels: number,
): Promise<MattedImage> {
  if (format === undefined) return picture;
  const { pixels, opacity } = await decode(file, maxPixels);
  return { pixels, matte: opacity ? { ...pixels, data: opacity } : evenMatte(pixels, 255) };
}

/** Returns the part of a photo that is searched for the subject. */
function searchedRegion({ cutOut: { pixels }, options: { roi } }: Drawing): Box {
  const corners = roi === undefined ? undefined : parseRegion(roi);
  return (corners && regionOf(corners, pixels)) ?? fullBox(pixels);
}

/**
 * Renders a cut-out and judges the file by the rules of a pack. With the option `fixRules` it first makes right what can
 * be made right.
 * @returns `isFixed` if the output may differ from what the other options say
 */
export async function renderByRules(
  asked: Drawing,
  pack: RulePack,
  maxPixels: number,
): Promise<Omit<RenderedFile, 'whole'> & { isFixed: boolean }> {
  const isFixed = asked.options.fixRules === true;
  const drawing = isFixed ? fixDrawing(asked, pack, maxPixels) : asked;
  const { options, cutOut } = drawing;
  const drawn = await draw(drawing, maxPixels);
  const first = { ...drawn, file: await encode(drawn.picture, options) };
  const encoded = isFixed ? await shrinkFile(first, options, pack) : first;
  const { file, subject } = encoded;
  const { width, height } = encoded.picture.pixels;
  const { mediaType } = formatOf(options);
  const box = drawing.box && subjectBox(subject.data, width, VISIBLE_ALPHA);
  const judged: JudgedPicture = {
    picture: looksAtPixels(pack) ? await readBack(encoded, options, maxPixels) : encoded.picture,
    subject,
    box,
    photo: cutOut,
    region: searchedRegion(drawing),
    newGround: groundColour(drawing),
    file: { bytes: file.length, mediaType },
  };
  const rules = reportOf(measurePicture(judged, pack), options.rules ?? '', pack);
  return { file, mediaType, width, height, ...(box && { foreground: box }), rules, isFixed };
}
