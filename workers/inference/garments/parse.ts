import { ModelError } from '../../../models/catalog.ts';
import {
  type Box,
  inverseOf,
  mirrorPixels,
  type Pixels,
  type Rotation,
  rotatedSize,
  rotatePixels,
  rotatePlanes,
  type Size,
  toTensor,
} from '../../../src/imaging/picture.ts';
import { mirror } from '../../../src/imaging/views.ts';
import { stretch } from '../codec.ts';
import type { Session } from '../session.ts';
import { GROUPS } from './groups.ts';

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

const indicesOf = (ids: readonly string[]): number[] =>
  GROUPS.flatMap(({ id }, i) => (ids.includes(id) ? [i] : []));

const HEAD = indicesOf(['hair', 'hat']);
const BODY = indicesOf(['skin', 'hair']);
const BACKGROUND = indicesOf(['background']);
const FEET = indicesOf(['shoes', 'boots']);

/** Returns the mean row of some groups as a share of the height, 0..1; undefined if they are nowhere. */
function meanRow(probabilities: Float32Array, { width, height }: Size, groups: readonly number[]) {
  let sum = 0;
  let all = 0;
  for (const group of groups) {
    const start = group * width * height;
    for (let cell = 0; cell < width * height; cell++) {
      const probability = probabilities[start + cell]!;
      sum += probability * Math.floor(cell / width);
      all += probability;
    }
  }
  return all > 0 ? sum / all / height : undefined;
}

/** Returns how much of what is not background is skin or hair, 0..1. */
function bodyShare(probabilities: Float32Array, { width, height }: Size): number {
  const cells = width * height;
  const sumOf = (groups: readonly number[]): number =>
    groups.reduce(
      (sum, group) =>
        probabilities.subarray(group * cells, (group + 1) * cells).reduce((a, b) => a + b, sum),
      0,
    );
  return sumOf(BODY) / Math.max(1, cells - sumOf(BACKGROUND));
}

/** A share of skin and hair from which on somebody may lie there: 9 of 10 laid-out goods show less, 1 of 100 people who lie. */
const MIN_TRACE = 0.00015;

/** With less skin and hair nobody is seen, and what looks like feet or a head is none. */
const MIN_BODY_SHARE = 0.02;

/**
 * Returns how far the feet of a person are below the head by the parse network's output, as a share of the height: near
 * 1 for who stands, 0 if nobody is seen.
 * @param size of each plane of `probabilities`
 */
function uprightness(probabilities: Float32Array, size: Size): number {
  if (bodyShare(probabilities, size) < MIN_BODY_SHARE) return 0;
  const head = meanRow(probabilities, size, HEAD);
  const feet = meanRow(probabilities, size, FEET);
  return head === undefined || feet === undefined ? 0 : feet - head;
}

/** A cell of the network's output is so many pixels of its input a side. */
export const CELL_PIXELS = 4;

/** The parse network's output for a region of an image: the probability of each group in each cell. */
export interface GroupMap extends Size {
  /** What the map covers, pixels of the image. */
  region: Box;
  /** After which somebody stands in it; 0 for most. */
  rotation?: Rotation;
  /** What the network was shown of it, if cells of one colour are to agree about their part. */
  seen?: Pixels;
  /** One plane of `width` x `height` cells for each of `GROUPS`; those of a cell sum to 1. */
  probabilities: Float32Array;
}

/** A picture of the subject, and what the network says of it. */
interface Look extends Size {
  seen: Pixels;
  probabilities: Float32Array;
}

/** Runs the network on one picture. @throws ModelError */
async function lookAt({ model, run }: Session, seen: Pixels): Promise<Look> {
  const { width, height } = seen;
  const probabilities = await run(toTensor(seen, model.input), { width, height });
  if (probabilities.length * CELL_PIXELS ** 2 !== GROUPS.length * width * height)
    throw new ModelError(`${model.id} does not tell ${GROUPS.length} groups apart`);
  return { seen, width: width / CELL_PIXELS, height: height / CELL_PIXELS, probabilities };
}

/**
 * A subject that is wider than tall may be somebody who lies, or a photo on its side. It counts as that if the network,
 * which knows people who stand, sees the feet so far below the head after a quarter rotation, and farther by so much.
 */
const MIN_ROTATED = { uprightness: 0.2, gain: 0.1 };
const ROTATIONS: readonly Rotation[] = [1, 3];

/**
 * Looks at a subject as it is and, if it is wider than tall and shows a trace of a person, rotated; returns the look in
 * which somebody stands best.
 */
async function bestLook(session: Session, seen: Pixels, subject: Box) {
  const own = { rotation: 0 as Rotation, ...(await lookAt(session, seen)) };
  const isWide = subject.width > subject.height;
  if (!isWide || bodyShare(own.probabilities, own) < MIN_TRACE) return own;
  let best = own;
  const ownUprightness = uprightness(own.probabilities, own);
  let toBeat = Math.max(MIN_ROTATED.uprightness, ownUprightness + MIN_ROTATED.gain);
  for (const rotation of ROTATIONS) {
    const rotated = await lookAt(session, rotatePixels(seen, rotation));
    const value = uprightness(rotated.probabilities, rotated);
    if (value < toBeat) continue;
    toBeat = value;
    best = { rotation, ...rotated };
  }
  return best;
}

/** Runs the network on a subject in its frame. */
async function firstLook(session: Session, pixels: Pixels, subject: Box) {
  const { region, input } = frameSubject(subject, pixels, session.model.input.size);
  const seen = await stretch(pixels, input, { region });
  return { region, seen, best: await bestLook(session, seen, subject) };
}

/** Returns a look's probabilities as the image has them. */
function rotatedBack({ rotation, width, height, probabilities }: Look & { rotation: Rotation }) {
  const size = { width, height };
  return {
    rotation,
    ...rotatedSize(size, rotation),
    probabilities: rotatePlanes(probabilities, size, inverseOf(rotation)),
  };
}

/**
 * Tells the garments of a subject apart in one look, cell by cell. For naming photos, whose calibration was fitted to it
 * (docs/adr/0068-one-cloth.md).
 * @param session of a model whose task is `parsing`
 * @param subject its box, within the image
 * @throws ModelError if the network does not answer with one probability for each group
 */
export async function parseOnce(
  session: Session,
  pixels: Pixels,
  subject: Box,
): Promise<Omit<GroupMap, 'seen'>> {
  const { region, best } = await firstLook(session, pixels, subject);
  return { region, ...rotatedBack(best) };
}

/**
 * Tells the garments of a subject apart, cell by cell: the mean of what the network says of it and of its mirror image.
 * Parameters and errors as of `parseOnce`.
 */
export async function parseGarments(
  session: Session,
  pixels: Pixels,
  subject: Box,
): Promise<GroupMap> {
  const { region, seen, best } = await firstLook(session, pixels, subject);
  const { width, height, probabilities } = best;
  const { probabilities: mirrored } = await lookAt(session, mirrorPixels(best.seen));
  // All planes at once: they lie one below the other.
  mirror({ data: mirrored, width, height: GROUPS.length * height });
  for (let i = 0; i < probabilities.length; i++)
    probabilities[i] = (probabilities[i]! + mirrored[i]!) / 2;
  return { region, seen, ...rotatedBack(best) };
}
