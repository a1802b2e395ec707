import { matteOf } from '../../src/imaging/matte.ts';
import { type Box, subjectBox, wholeOf } from '../../src/imaging/subject-box.ts';
import { type Pixels, toTensor } from '../../src/imaging/tensor.ts';
import { type MeasuredColor, measureColors } from '../../src/taxonomy/photo/color.ts';
import { decodeSmall, interleave, onWhiteSquare } from './codec.ts';
import { segment } from './segment.ts';
import type { Session } from './session.ts';
import { LEVELS } from './subject.ts';

/** Class and colours need no more than this many pixels a side. */
const SIDE_PIXELS = 320;
/** Space around the subject, as a share of its longer side: how the classifier was trained. */
const MARGIN = 0.06;

/** What can be seen of a garment in a picture. */
export interface GarmentView {
  /** Of each of `IMAGE_CLASSES`, in that order; sum to 1. */
  probabilities: number[];
  /** Of the subject, the largest share first. */
  colors: MeasuredColor[];
  /** Of the upright picture as it came. */
  width: number;
  height: number;
  /** It came with transparency, so nothing had to be cut out. */
  hasAlpha: boolean;
  /** `id@version` of the classifier. */
  model: string;
  timings: { decodeMillis: number; inferenceMillis: number; totalMillis: number };
}

const withMargin = ({ left, top, width, height }: Box): Box => {
  const margin = Math.round(MARGIN * Math.max(width, height));
  return {
    left: left - margin,
    top: top - margin,
    width: width + 2 * margin,
    height: height + 2 * margin,
  };
};

/** How much of each pixel is subject, as a cut-out would have it. */
async function subjectAlpha(session: Session, pixels: Pixels): Promise<Uint8Array> {
  const { seen } = await segment(session, pixels, undefined);
  return matteOf(seen, pixels, LEVELS).data;
}

/**
 * Looks at a garment: cuts it out where nobody has, tells its class and its colours.
 * @throws Undecodable
 */
export async function viewGarment(
  cutOut: Session,
  classifier: Session,
  image: Uint8Array,
  maxPixels: number,
  model: string,
): Promise<GarmentView> {
  const startedAt = performance.now();
  const { pixels, opacity, width, height } = await decodeSmall(image, maxPixels, SIDE_PIXELS);
  const decodedAt = performance.now();
  const alpha = opacity ?? (await subjectAlpha(cutOut, pixels));
  const box = subjectBox(alpha, pixels.width) ?? wholeOf(pixels);
  const rgba = interleave(pixels, alpha);
  const { size } = classifier.model.input;
  const square = await onWhiteSquare({ ...pixels, data: rgba }, withMargin(box), size);
  const probabilities = await classifier.run(toTensor(square, classifier.model.input));
  const seenAt = performance.now();
  return {
    probabilities: [...probabilities],
    colors: measureColors(rgba),
    width,
    height,
    hasAlpha: opacity !== undefined,
    model,
    timings: {
      decodeMillis: decodedAt - startedAt,
      inferenceMillis: seenAt - decodedAt,
      totalMillis: performance.now() - startedAt,
    },
  };
}
