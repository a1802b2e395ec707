import type { Box, Size } from '../../../src/imaging/picture.ts';

/** Width by height of what the network sees; it was trained in these proportions (models/training/frames.py). */
const ASPECTS = [1 / 2, 2 / 3, 1, 3 / 2, 2];
/** Around the subject's box, on each side, as a share of the box. */
const MARGIN = 0.06;
/** Sides of the network's input are multiples of this. */
const STEP = 32;

/** What the parse network is shown of an image. */
interface ParseFrame {
  /** Whole pixels within the image. */
  region: Box;
  /** What the region is stretched to. */
  input: Size;
}

const distance = (a: number, b: number): number => Math.abs(Math.log(a / b));

/** Returns a span of `wanted` pixels around a centre, moved into the image. */
function spanAround(centre: number, wanted: number, length: number) {
  const start = Math.round(Math.max(0, Math.min(length - wanted, centre - wanted / 2)));
  return { start, length: Math.max(1, Math.min(length - start, Math.round(wanted))) };
}

/**
 * Frames a subject for the parse network: its box with a margin, grown to the nearest of a few proportions as far as
 * the image reaches.
 * @param subject its box, within the image
 * @param size side of a square of about as many pixels as the input gets
 */
export function frameSubject(subject: Box, image: Size, size: number): ParseFrame {
  const margin = { across: subject.width * MARGIN, down: subject.height * MARGIN };
  const left = Math.max(0, subject.left - margin.across);
  const top = Math.max(0, subject.top - margin.down);
  const width = Math.min(image.width, subject.left + subject.width + margin.across) - left;
  const height = Math.min(image.height, subject.top + subject.height + margin.down) - top;
  const nearest = ASPECTS.toSorted(
    (a, b) => distance(a, width / height) - distance(b, width / height),
  );
  const root = Math.sqrt(nearest[0]!);
  const input = {
    width: Math.round((size * root) / STEP) * STEP,
    height: Math.round(size / root / STEP) * STEP,
  };
  const aspect = input.width / input.height;
  const across = spanAround(
    left + width / 2,
    Math.min(image.width, Math.max(width, height * aspect)),
    image.width,
  );
  const down = spanAround(
    top + height / 2,
    Math.min(image.height, Math.max(height, width / aspect)),
    image.height,
  );
  return {
    region: { left: across.start, top: down.start, width: across.length, height: down.length },
    input,
  };
}
