import { toMatte } from '../../src/imaging/matte.ts';
import { type Box, fullBox, subjectBox } from '../../src/imaging/subject-box.ts';
import { type Pixels, toTensor } from '../../src/imaging/tensor.ts';
import { type MeasuredColor, measureColors } from '../../src/taxonomy/photo/color.ts';
import { decodeSmall, interleave, onWhiteSquare } from './codec.ts';
import { levelsFor } from './find-subject.ts';
import { segment } from './segment.ts';
import type { Session } from './session.ts';

/** Class and colours need no more than this, pixels a side. */
const SIDE_PIXELS = 320;
/** Margin around the subject, as a share of its longer side; the classifier was trained with it. */
const MARGIN = 0.06;

/** The measurements of a garment in an image. */
export interface GarmentView {
  /** One for each of `IMAGE_CLASSES`, in that order; they sum to 1. */
  probabilities: number[];
  /** Of the subject, the largest share first. */
  colors: MeasuredColor[];
  /** Size of the upright input image. */
  width: number;
  height: number;
  /** Whether the input had transparency, so that nothing had to be cut out. */
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

/** Returns the alpha of the subject, as in a cut-out. */
async function subjectAlpha(session: Session, pixels: Pixels): Promise<Uint8Array> {
  const { probabilities } = await segment(session, pixels, undefined);
  return toMatte(probabilities, pixels, levelsFor(probabilities, pixels)).data;
}

/**
 * Classifies a garment and measures its colours; cuts it out first unless the image has transparency.
 * @throws DecodeError
 */
export async function viewGarment(
  remover: Session,
  classifier: Session,
  image: Uint8Array,
  maxPixels: number,
  model: string,
): Promise<GarmentView> {
  const startedAt = performance.now();
  const { pixels, opacity, width, height } = await decodeSmall(image, maxPixels, SIDE_PIXELS);
  const decodedAt = performance.now();
  const alpha = opacity ?? (await subjectAlpha(remover, pixels));
  const box = subjectBox(alpha, pixels.width) ?? fullBox(pixels);
  const rgba = interleave(pixels, alpha);
  const { size } = classifier.model.input;
  const square = await onWhiteSquare({ ...pixels, data: rgba }, withMargin(box), size);
  const probabilities = await classifier.run(toTensor(square, classifier.model.input));
  const classifiedAt = performance.now();
  return {
    probabilities: [...probabilities],
    colors: measureColors(rgba),
    width,
    height,
    hasAlpha: opacity !== undefined,
    model,
    timings: {
      decodeMillis: decodedAt - startedAt,
      inferenceMillis: classifiedAt - decodedAt,
      totalMillis: performance.now() - startedAt,
    },
  };
}
