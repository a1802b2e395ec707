import { type Evidence, measureEvidence, raiseConfidence } from '../../src/imaging/evidence.ts';
import { fingerprintOf } from '../../src/imaging/fingerprint.ts';
import { correctByGround } from '../../src/imaging/ground/correct.ts';
import { hardenMatte, type Levels, toMatte, withOpacity } from '../../src/imaging/matte.ts';
import {
  cropMatte,
  cropPixels,
  evenMatte,
  fullBox,
  type MattedImage,
  paste,
  type Size,
  subjectBox,
} from '../../src/imaging/picture.ts';
import { correctAlpha, recoverForeground } from '../../src/imaging/soft-pixels.ts';
import { FORMATS, type Format } from '../../src/output/formats.ts';
import {
  type Layout,
  layoutOf,
  parseRegion,
  regionOf,
  toGeometry,
} from '../../src/output/geometry.ts';
import {
  DEFAULT_QUALITY,
  type PartialSubject,
  type Quality,
} from '../../src/output/option-table.ts';
import { type CutOutOptions, formatOf } from '../../src/output/options.ts';
import { reviewOf, withReason, withRules } from '../../src/output/review.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Refinement, refineEdges } from './assembly.ts';
import type { CutOut, RenderedFile } from './child-results.ts';
import { type DecodedImage, decode } from './codec.ts';
import { compose, encode } from './compose.ts';
import type { Selection } from './garments/cut-out.ts';
import type { GarmentRegion } from './garments/groups.ts';
import { type SecondPassCriteria, segment } from './segment.ts';
import type { Session } from './session.ts';

/** How edges are refined by default: as far as it takes little time. */
export const QUICK_EDGES: Refinement = {
  tolerance: 1e-2,
  maxIterations: 40,
  reweightings: 1,
  limits: { pixels: 2 ** 19, unknowns: 60_000, share: 0.25 },
  minCell: 0.8,
};
const THOROUGH_EDGES: Refinement = {
  tolerance: 1e-3,
  maxIterations: 40,
  reweightings: 2,
  limits: { pixels: 2 ** 20, unknowns: 120_000, share: 1 },
  minCell: 0,
};

/** What is done for a quality. */
export interface QualitySettings {
  /** Selects the images that get a second pass; none if absent. */
  secondPass?: SecondPassCriteria;
  /** How edges are refined by the colours of the photo; they are not if absent. */
  edges?: Refinement;
  /** How thoroughly the edges between garments are solved for; see `refineGarment`. */
  garmentEdges?: Refinement;
}

/** What each quality does; see docs/adr/0019-quality.md. */
export const QUALITY_SETTINGS = {
  fast: {},
  balanced: {
    secondPass: { maxShare: 0.6, maxConfidence: 0.982 },
    edges: QUICK_EDGES,
  },
  high: {
    secondPass: { maxShare: 0.6, maxConfidence: 1 },
    edges: THOROUGH_EDGES,
    garmentEdges: THOROUGH_EDGES,
  },
} as const satisfies Record<Quality, QualitySettings>;

/** Lower levels: `min` up to an enlargement of `from` times, then rising with it to `max`. */
const LOW_LEVEL = { min: 0.03, max: 0.3, from: 1.5, perEnlargement: 0.2 };
/** For edges that were refined since; they need less hardening. */
export const REFINED_LOW_LEVEL = { min: 0.04, max: 0.25, from: 1.4, perEnlargement: 0.25 };

/** Returns the length of a map's cell, pixels of the region that the map covers. */
export const cellOf = (map: Size, region: Size): number =>
  Math.max(region.width / map.width, region.height / map.height);

/**
 * Returns the levels for a map that covers a region of an image. An edge is as soft as a cell of the map is wide:
 * the more it is enlarged, the more it must be hardened. See docs/adr/0005-levels-and-foreground.md.
 */
export function levelsFor(map: Size, region: Size, level = LOW_LEVEL): Levels {
  const { min, max, from, perEnlargement } = level;
  const low = Math.min(max, Math.max(min, perEnlargement * (cellOf(map, region) - from)));
  return [low, 1 - low];
}

/** An image with the matte of its subject, and its colours free of the background's. */
interface Subject extends MattedImage {
  evidence: Evidence;
  inferenceMillis: number;
}

/** Finds the subject in the whole image. @param decoded its colours are overwritten */
async function findInImage(
  session: Session,
  decoded: DecodedImage,
  { secondPass, edges }: QualitySettings,
): Promise<Subject> {
  const { pixels, opacity } = decoded;
  const startedAt = performance.now();
  const segmentation = await segment(session, pixels, opacity, secondPass);
  const inferenceMillis = performance.now() - startedAt;
  const { probabilities, seen, region } = segmentation;
  const matte = toMatte(probabilities, pixels, levelsFor(probabilities, region), region);
  const scene = { pixels, matte, opacity };
  correctAlpha(scene);
  const ground = opacity ? undefined : correctByGround(scene);
  const levels = levelsFor(probabilities, region, REFINED_LOW_LEVEL);
  if (edges) refineEdges(pixels, matte, edges, levels, cellOf(probabilities, region));
  ground?.drawPaleOutline(scene);
  const map = ground?.correct(probabilities, region, matte) ?? probabilities;
  const confidence = raiseConfidence(segmentation.confidence, probabilities, map);
  const view = { map, pixels: seen, region, image: pixels };
  const evidence = measureEvidence(view, confidence, ground?.measure(matte));
  recoverForeground(scene);
  const visible = opacity ? withOpacity(matte, opacity) : matte;
  return { pixels, matte: visible, evidence, inferenceMillis };
}

/**
 * Finds the subject of an image, or of a region of it; then everything outside the region is transparent.
 * @param decoded its colours are overwritten
 * @param roi see `parseRegion`
 * @throws Problem invalid-request if the region and the image do not overlap
 */
export async function findSubject(
  session: Session,
  decoded: DecodedImage,
  settings: QualitySettings,
  roi: string | undefined,
): Promise<Subject> {
  const corners = roi === undefined ? undefined : parseRegion(roi);
  if (!corners) return findInImage(session, decoded, settings);
  const { pixels, opacity } = decoded;
  const { width, height } = pixels;
  const region = regionOf(corners, pixels);
  if (!region) {
    throw new Problem(
      'invalid-request',
      `No pixel of the roi is in the image, which is ${width} x ${height} pixels when upright`,
      { errors: [{ pointer: '/roi', detail: 'lies beyond the image' }] },
    );
  }
  const cropped = {
    ...decoded,
    pixels: cropPixels(pixels, region),
    opacity: opacity && cropMatte({ ...pixels, data: opacity }, region).data,
  };
  const subject = await findInImage(session, cropped, settings);
  const whole = { pixels, matte: evenMatte(pixels, 0) };
  paste(subject, region, whole);
  return { ...subject, ...whole };
}

/**
 * The minimum alpha that counts for the bounding box of the subject, a tenth. Below it is the faint haze that a
 * network leaves on backgrounds it is unsure of. See docs/adr/0021-output-options.md.
 */
const MIN_VISIBLE_ALPHA = 26;

/** @throws Problem invalid-request if the canvas is larger than the limits */
function checkCanvas({ canvas }: Layout, format: Format, maxPixels: number): void {
  const { width, height } = canvas;
  const maxSide = FORMATS[format].maxSidePixels;
  if (width * height <= maxPixels && Math.max(width, height) <= maxSide) return;
  const detail = `The output would be ${width} x ${height} pixels; a ${format} may have at most ${maxPixels} pixels, and ${maxSide} a side: set maxOutputMegapixels or a smaller cropMargin`;
  throw new Problem('invalid-request', detail, {
    errors: [{ pointer: '/maxOutputMegapixels', detail: 'is needed for so large an output' }],
  });
}

const sizeOf = ({ width, height }: Size): Size => ({ width, height });

const needsSubject = ({ crop, scale, position }: CutOutOptions): boolean =>
  crop !== undefined || scale !== undefined || position !== undefined;

/**
 * Renders a cut-out into a file according to the options.
 * @param image is overwritten
 * @param maxPixels of the output, and of a background before it is scaled
 * @throws Problem unprocessable-image if there is no subject to crop to, scale or move; invalid-request
 */
export async function render(
  { pixels, matte }: MattedImage,
  options: CutOutOptions,
  background: Uint8Array | undefined,
  maxPixels: number,
): Promise<RenderedFile> {
  const cutOut = { pixels, matte: options.semitransparency === false ? hardenMatte(matte) : matte };
  const box = subjectBox(cutOut.matte.data, pixels.width, MIN_VISIBLE_ALPHA);
  if (!box && needsSubject(options)) {
    throw new Problem(
      'unprocessable-image',
      'No subject was found in the image, so there is nothing to crop to, scale or move',
    );
  }
  const subject = box ?? fullBox(pixels);
  const geometry = toGeometry(options);
  const layout = layoutOf(pixels, subject, geometry);
  checkCanvas(layout, options.format ?? 'png', maxPixels);
  const { canvas: whole } = layoutOf(pixels, subject, { ...geometry, maxPixels: undefined });
  if (options.rulePack && !options.asZip) {
    const { renderByRules } = await import('./render-by-rules.ts');
    const { rulePack } = options;
    const drawing = { cutOut, box, layout, options, background };
    const { isFixed, ...rendered } = await renderByRules(drawing, rulePack, maxPixels);
    return { ...rendered, whole: isFixed ? sizeOf(rendered) : whole };
  }
  const composite = await compose(cutOut, layout, options, background, maxPixels);
  const file = await encode(composite, options);
  const { mediaType } = formatOf(options);
  const foreground = box && { foreground: layout.foreground };
  return { file, mediaType, ...layout.canvas, whole, ...foreground };
}

export interface CutOutSettings {
  options?: CutOutOptions | undefined;
  /** The image behind the subject: a JPEG, PNG or WebP. */
  background?: Uint8Array | undefined;
  /** With the subject `garment`: the region to take if the photo shows one of its garments. */
  region?: GarmentRegion | undefined;
  /** Opens the parse network, for the option `subject`. */
  openParser?: (() => Promise<Session>) | undefined;
}

/** Selects a part of the subject. The code for it is loaded with the first one. */
async function selectFrom(
  subject: MattedImage,
  choice: PartialSubject,
  edges: Refinement | undefined,
  { region, openParser }: CutOutSettings,
): Promise<Selection> {
  if (!openParser) throw new Error('A part of the subject needs the parse network');
  const [{ selectPart }, parser] = await Promise.all([
    import('./garments/cut-out.ts'),
    openParser(),
  ]);
  return selectPart(parser, subject, choice, edges, region);
}

/** An image that is transparent somewhere, with its own alpha as the matte. Nothing is estimated. */
async function keepAlpha(
  { pixels, opacity: data, isDamaged }: DecodedImage & { opacity: Uint8Array },
  { options = {}, background }: CutOutSettings,
  maxPixels: number,
): Promise<Omit<CutOut, 'timings'>> {
  const image = { pixels, matte: { ...pixels, data } };
  const rendered = await render(image, options, background, maxPixels);
  const review = withReason({ needed: false, reasons: [] }, 'damaged', isDamaged);
  return { ...rendered, confidence: 1, review, alpha: 'kept' };
}

/**
 * Cuts the subject out of an image, or keeps the image's own alpha if the options say so.
 * @throws DecodeError; Problem if the options cannot be met
 */
export async function cutOut(
  session: Session,
  image: Uint8Array,
  maxPixels: number,
  settings: CutOutSettings = {},
): Promise<CutOut> {
  const { options = {}, background } = settings;
  const { quality = DEFAULT_QUALITY, roi, subject: choice } = options;
  const preset: QualitySettings = QUALITY_SETTINGS[quality];
  const startedAt = performance.now();
  const decoded = await decode(image, maxPixels);
  const decodedAt = performance.now();
  const timingsUntilNow = (foundAt: number, inferenceMillis: number): CutOut['timings'] => ({
    decodeMillis: decodedAt - startedAt,
    inferenceMillis,
    matteMillis: foundAt - decodedAt - inferenceMillis,
    encodeMillis: performance.now() - foundAt,
    totalMillis: performance.now() - startedAt,
  });
  const { opacity } = decoded;
  if (options.alpha === 'keep' && opacity) {
    const kept = await keepAlpha({ ...decoded, opacity }, settings, maxPixels);
    return { ...kept, timings: timingsUntilNow(decodedAt, 0) };
  }
  const subject = await findSubject(session, decoded, preset, roi);
  const { pixels, evidence, inferenceMillis } = subject;
  const selection = choice && (await selectFrom(subject, choice, preset.garmentEdges, settings));
  const selected = { pixels, matte: selection?.matte ?? subject.matte };
  const noticed = withReason(reviewOf(evidence), 'damaged', decoded.isDamaged);
  const review = withReason(noticed, 'several-people', selection?.severalPeople);
  const fingerprint = fingerprintOf(selected);
  const foundAt = performance.now();
  const rendered = await render(selected, options, background, maxPixels);
  return {
    ...rendered,
    confidence: evidence.confidence,
    review: withRules(review, rendered.rules),
    fingerprint,
    timings: timingsUntilNow(foundAt, inferenceMillis),
  };
}
