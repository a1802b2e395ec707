import { indexOfMax } from '../odds.ts';
import type { MeasuredColor } from './color.ts';
import { IMAGE_CLASSES, imageLikelihoods, supportOf } from './image-classes.ts';

/** A garment by itself, as the image model sees it. */
export interface SeenGarment {
  /** Of `IMAGE_CLASSES`, calibrated; they sum to 1. */
  probabilities: readonly number[];
  /** The largest share first. */
  colors: readonly MeasuredColor[];
}

/** What a person wears on one part of the body. */
export interface WornGarment extends SeenGarment {
  /** Of all that is worn, 0..1. */
  share: number;
}

/** What a photo shows, for a text about one article. */
interface ShownTo {
  /** Classes of all that may be meant: evidence beside the text. */
  probabilities: readonly number[];
  /** What the text most likely means. */
  meant: SeenGarment;
}

/**
 * A text decides which garment of a worn outfit is meant, so areas count for less than they do without one. With 1, a
 * photo of a jumper hardly ever contradicts "trousers", because its model wears some.
 */
const AREA_POWER = 2;
/** Shoes are small on any model: what is smaller counts as so much of what is worn. */
const MIN_SHARE = 0.15;

/** Below this share of all that is worn, the largest garment is not clearly the one that is sold. */
const MIN_SOLD_SHARE = 0.6;

/** Whether a photo may sell one of several garments. @param worn the largest first */
export const showsSeveral = ([largest]: readonly WornGarment[] = []): boolean =>
  largest !== undefined && largest.share < MIN_SOLD_SHARE;

/**
 * Returns what a photo of a person shows of the article of a text.
 * @param worn at least one
 * @param beliefs of the text in each category
 */
export function shownTo(beliefs: readonly number[], worn: readonly WornGarment[]): ShownTo {
  const areas = worn.map(({ share }) => Math.max(MIN_SHARE, share) ** AREA_POWER);
  const total = areas.reduce((sum, area) => sum + area, 0);
  const fits = worn.map(
    ({ probabilities }, i) =>
      (areas[i] ?? 0) * supportOf(beliefs, imageLikelihoods({ probabilities, isWorn: true })),
  );
  const probabilities = IMAGE_CLASSES.map((_, k) =>
    worn.reduce(
      (sum, each, i) => sum + ((areas[i] ?? 0) * (each.probabilities[k] ?? 0)) / total,
      0,
    ),
  );
  return { probabilities, meant: worn[indexOfMax(fits)] ?? { probabilities, colors: [] } };
}
