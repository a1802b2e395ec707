import { blurOf, deblur } from '../../src/imaging/deblur.ts';
import { estimateConfidence, isEnlarged, isFilled } from '../../src/imaging/evidence.ts';
import type { ProbabilityMap } from '../../src/imaging/matte.ts';
import {
  type Box,
  cropPixels,
  flattenOnGrey,
  fullBox,
  mirrorPixels,
  type Pixels,
  toTensor,
} from '../../src/imaging/picture.ts';
import { dropSpecks } from '../../src/imaging/regions.ts';
import {
  borderColour,
  contentRegion,
  mergeViews,
  mirror,
  shareCutByFrame,
  subjectRegion,
  withoutFrame,
} from '../../src/imaging/views.ts';
import { toSquare, type View } from './codec.ts';
import type { Session } from './session.ts';

/**
 * The grey behind transparent pixels in the network's input. Of 42 cut-outs on it, the default model kept all
 * but 0.21 % of the opaque part; on white it lost 0.30 %, on black 0.31 %.
 */
const BACKGROUND_GREY = 128;

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Maps raw network output to 0..1. */
const POST_PROCESSING: Readonly<Record<string, (raw: Float32Array) => Float32Array>> = {
  none: (raw) => raw,
  sigmoid: (raw) => raw.map(sigmoid),
  'min-max': (raw) => {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (const value of raw) {
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
    return raw.map((value) => (value - min) / (max - min || 1));
  },
};

interface Segmentation {
  probabilities: ProbabilityMap;
  /** What the network saw when it found them, in their size. */
  seen: Pixels;
  /** The region of the image that both cover, pixels; it contains the subject. */
  region: Box;
  /** Confidence in the first pass, or in the framed or sharpened one where that was taken; see `estimateConfidence`. */
  confidence: number;
}

/** Selects the images that get a second pass. Both criteria must hold. */
export interface SecondPassCriteria {
  /** The subject's bounding box takes less than this share of the image. */
  maxShare: number;
  /** The confidence of the first pass is below this. */
  maxConfidence: number;
}

/** Selects the images that are looked at in a frame, and says how wide it is; see docs/adr/0040. */
const FRAMED_PASS = { minCutShare: 0.01, maxCutShare: 0.95, maxConfidence: 0.982, margin: 0.15 };

/** One view, and what the network made of it. */
interface Pass {
  square: Pixels;
  probabilities: ProbabilityMap;
}

async function runOn({ model, run }: Session, square: Pixels): Promise<Pass> {
  const { width, height } = square;
  const raw = await run(toTensor(square, model.input), { width, height });
  return {
    square,
    probabilities: { data: POST_PROCESSING[model.output.post]!(raw), width, height },
  };
}

const runPass = async (session: Session, pixels: Pixels, view: View): Promise<Pass> =>
  runOn(session, await toSquare(pixels, session.model.input.size, view));

/**
 * Looks again at a blurred photo, sharpened and smaller, where less of the blur is left.
 * @returns undefined if the photo is sharp, or the network no surer; that it took all for subject, as it does with what is
 *   very blurred, says nothing
 * @see docs/adr/0117-blurred-photos.md
 */
async function runSharpenedPass(
  session: Session,
  pixels: Pixels,
  first: Pass,
  confidence: number,
): Promise<Segmentation | undefined> {
  const { size, blurredSize } = session.model.input;
  const region = fullBox(pixels);
  if (!blurredSize || isEnlarged({ map: first.probabilities, region })) return undefined;
  const { across, down } = blurOf(first.square);
  if (across + down === 0) return undefined;
  const scale = blurredSize / size;
  const seen = await toSquare(pixels, blurredSize);
  const sharp = deblur(seen, { across: scale * across, down: scale * down });
  const { probabilities } = await runOn(session, sharp);
  const sharpConfidence = estimateConfidence(probabilities);
  if (sharpConfidence <= confidence && !isFilled(first.probabilities)) return undefined;
  dropSpecks(probabilities);
  return { probabilities, seen, region, confidence: sharpConfidence };
}

/**
 * Looks again at a subject that the frame cuts, in a wider frame of the backdrop's colour: without it, large pieces of
 * skin or cloth at the frame are taken for a backdrop.
 * @returns undefined if that makes the network no surer
 */
async function runFramedPass(
  session: Session,
  pixels: Pixels,
  first: Pass,
  confidence: number,
): Promise<Segmentation | undefined> {
  const { minCutShare, maxCutShare, maxConfidence, margin } = FRAMED_PASS;
  const cutShare = shareCutByFrame(first.probabilities);
  if (confidence >= maxConfidence || cutShare < minCutShare || cutShare >= maxCutShare) return;
  const colour = borderColour(first.square, first.probabilities);
  if (!colour) return undefined;
  const { size } = session.model.input;
  const cells = Math.round((size * margin) / (1 + 2 * margin));
  const framed = await runPass(session, pixels, { frame: { cells, colour } });
  const probabilities = withoutFrame(framed.probabilities, cells);
  const framedConfidence = estimateConfidence(probabilities);
  if (framedConfidence <= confidence) return undefined;
  dropSpecks(probabilities);
  const { width, height } = probabilities;
  return {
    probabilities,
    seen: cropPixels(framed.square, { left: cells, top: cells, width, height }),
    region: fullBox(pixels),
    confidence: framedConfidence,
  };
}

/** Looks again, closer and mirrored, at a small subject. @returns undefined if it is not small */
async function runCloserPass(
  session: Session,
  pixels: Pixels,
  first: ProbabilityMap,
  maxShare: number,
): Promise<Pick<Segmentation, 'probabilities' | 'seen' | 'region'> | undefined> {
  const region = subjectRegion(first, pixels, maxShare);
  if (!region) return undefined;
  const closer = await runPass(session, pixels, { region, isMirrored: true });
  mirror(closer.probabilities);
  const probabilities = mergeViews(first, closer.probabilities, region, pixels);
  dropSpecks(probabilities);
  return { probabilities, seen: mirrorPixels(closer.square), region };
}

/** @param square what the network sees of `pixels` first */
async function segmentSquare(
  session: Session,
  pixels: Pixels,
  square: Pixels,
  secondPass: SecondPassCriteria | undefined,
): Promise<Segmentation> {
  const first = await runOn(session, square);
  const { probabilities } = first;
  const confidence = estimateConfidence(probabilities);
  const isUnsure =
    secondPass && session.model.input.closer && confidence < secondPass.maxConfidence;
  const again =
    isUnsure &&
    ((await runSharpenedPass(session, pixels, first, confidence)) ??
      (await runFramedPass(session, pixels, first, confidence)));
  if (again) return again;
  dropSpecks(probabilities);
  const closer =
    isUnsure && (await runCloserPass(session, pixels, probabilities, secondPass.maxShare));
  return { probabilities, seen: square, region: fullBox(pixels), ...closer, confidence };
}

/**
 * Segments the subject. If the criteria hold and the model benefits from it, runs a second pass: sharpened for what is
 * blurred, in a frame for what the image's border cuts, or closer for what is small. What is very small on a ground of one colour is looked at alone,
 * as an image of its own.
 * @param secondPass if absent, there is one pass
 * @see docs/adr/0027-second-pass.md, docs/adr/0124-small-content.md
 */
export async function segment(
  session: Session,
  pixels: Pixels,
  opacity: Uint8Array | undefined,
  secondPass?: SecondPassCriteria,
): Promise<Segmentation> {
  const { size } = session.model.input;
  const opaque = opacity ? flattenOnGrey(pixels, opacity, BACKGROUND_GREY) : pixels;
  const square = await toSquare(opaque, size);
  const content = contentRegion(square, opaque);
  if (!content) return segmentSquare(session, opaque, square, secondPass);
  const alone = cropPixels(opaque, content);
  const found = await segmentSquare(session, alone, await toSquare(alone, size), secondPass);
  const { left, top, ...extent } = found.region;
  return { ...found, region: { left: content.left + left, top: content.top + top, ...extent } };
}
