import { type ProbabilityMap, SUBJECT } from './matte.ts';
import type { Box, Pixels, Size } from './picture.ts';
import { regionsFrom } from './regions.ts';
import { shareAlong, shareCutByFrame } from './views.ts';

/** Pixels below this probability are background and do not count. */
export const CANDIDATE = 0.05;

/** Returns the mean of |2p - 1| over all pixels that may be subject; 0 if there are none. */
export function decisivenessOf(probabilities: Float32Array): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < probabilities.length; i++) {
    const p = probabilities[i]!;
    if (p < CANDIDATE) continue;
    sum += Math.abs(2 * p - 1);
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** From this share of the border on that is subject, no background shows. */
const FILLED_BORDER = 0.95;

/** Whether no background shows at the border of a map. */
export const isFilled = (map: ProbabilityMap): boolean => shareCutByFrame(map) >= FILLED_BORDER;

/** Logistic fit: the decisiveness at which a matte is as likely right as wrong, and the slope there. */
const MIDPOINT = 0.843;
const STEEPNESS = 32;

/** The most that is said of a matte without a background. */
const MAX_WITHOUT_BACKGROUND = 0.5;

/**
 * Estimates how likely a network's matte is right, 0..1. Right means an IoU of at least .85 with a matte drawn by
 * a person. Fitted to the default model on photos and on degraded copies of them; for other models the value ranks
 * mattes but is no probability. A network can be confident and wrong: of garments turned on their side it may keep
 * only what looks worn. Of an image that its subject fills to all sides the value is at most .5: a close-up may be
 * all subject, but so is noise to a network, or one even colour.
 * @param map the network's output for a whole image
 * @see docs/adr/0016-pixel-processing.md
 */
export function estimateConfidence(map: ProbabilityMap): number {
  const confidence = 1 / (1 + Math.exp(STEEPNESS * (MIDPOINT - decisivenessOf(map.data))));
  return isFilled(map) ? Math.min(MAX_WITHOUT_BACKGROUND, confidence) : confidence;
}

/**
 * Returns the confidence in a map after cells of it were decided otherwise: never less than before.
 * @param confidence in the map as it was, or in an earlier view
 */
export function raiseConfidence(
  confidence: number,
  before: ProbabilityMap,
  after: ProbabilityMap,
): number {
  const rise = decisivenessOf(after.data) - decisivenessOf(before.data);
  const odds = (confidence / (1 - confidence)) * Math.exp(STEEPNESS * Math.max(0, rise));
  return odds === Number.POSITIVE_INFINITY ? 1 : odds / (1 + odds);
}

/** What a cut-out's ground says of it, in shares of the subject. */
export interface GroundEvidence {
  /** Area within the subject that was left out and may belong to it. */
  holeShare: number;
  /** Area of the subject that may be ground. */
  groundShare: number;
}

/** Nothing speaks against a cut-out whose ground is not even. */
const NO_GROUND_EVIDENCE: GroundEvidence = { holeShare: 0, groundShare: 0 };

/** A network's output for an image or a region of it, and what it saw. */
export interface View {
  map: ProbabilityMap;
  /** In the size of the map. */
  pixels: Pixels;
  /** The part of the image that both cover, pixels of the image. */
  region: Box;
  image: Size;
}

/** What speaks for and against a cut-out, in numbers. */
export interface Evidence extends GroundEvidence {
  /** See `estimateConfidence`. */
  confidence: number;
  /** Area that is neither subject nor background and lies within the subject, as a share of the subject. */
  unsureGapShare: number;
  /** Area of the largest separate piece but the main one and its twin, as a share of the main one. */
  otherShare: number;
  /** Area of the subject, as a share of the image. */
  subjectShare: number;
  /** How fine the detail is: about .25 in a blurred photo, .4 in a sharp one; 1 if that cannot be told. */
  sharpness: number;
  /** Share of the outline with nearly the same colour on both sides, 0..1. */
  blendedShare: number;
  /** Share of one side of the image that is subject, 0..1; of the side with the most. */
  cutShare: number;
}

/** Probabilities between these are unsure. */
const UNSURE = { above: 0.2, below: 0.8 };
/** Cells along a block's side: an outline that is merely soft is thinner. */
const BLOCK = 4;
/** Of a block's 16 cells, how many decide what it is. */
const MIN_CELLS = 14;
/** A block lies within the subject if it has subject in so many of the four directions. */
const MIN_DIRECTIONS = 3;

/** Blocks of cells, rows from the top: 1 where they are unsure, or subject. */
interface Blocks {
  columns: number;
  rows: number;
  unsure: Uint8Array;
  subject: Uint8Array;
}

function toBlocks({ data, width, height }: ProbabilityMap): Blocks {
  const [columns, rows] = [Math.floor(width / BLOCK), Math.floor(height / BLOCK)];
  const unsure = new Uint8Array(columns * rows);
  const subject = new Uint8Array(columns * rows);
  for (let block = 0; block < columns * rows; block++) {
    const first = BLOCK * (Math.floor(block / columns) * width + (block % columns));
    let unsureCells = 0;
    let subjectCells = 0;
    for (let row = first; row < first + BLOCK * width; row += width)
      for (let cell = row; cell < row + BLOCK; cell++) {
        const probability = data[cell]!;
        if (probability >= SUBJECT) subjectCells++;
        if (probability > UNSURE.above && probability < UNSURE.below) unsureCells++;
      }
    unsure[block] = Number(unsureCells >= MIN_CELLS);
    subject[block] = Number(subjectCells >= MIN_CELLS && unsureCells < MIN_CELLS);
  }
  return { columns, rows, unsure, subject };
}

/** Adds 1 to every block of a line that has subject before it. */
function lookAlong(
  { subject }: Blocks,
  first: number,
  step: number,
  count: number,
  directions: Uint8Array,
): void {
  let isBehind = 0;
  for (let n = 0, block = first; n < count; n++, block += step) {
    directions[block]! += isBehind;
    isBehind |= subject[block]!;
  }
}

/** Returns for each block in how many of the four directions there is subject. */
function directionsOf(blocks: Blocks): Uint8Array {
  const { columns, rows } = blocks;
  const directions = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    lookAlong(blocks, row * columns, 1, columns, directions);
    lookAlong(blocks, (row + 1) * columns - 1, -1, columns, directions);
  }
  for (let column = 0; column < columns; column++) {
    lookAlong(blocks, column, columns, rows, directions);
    lookAlong(blocks, (rows - 1) * columns + column, -columns, rows, directions);
  }
  return directions;
}

/**
 * Returns the area that is neither subject nor background and lies within the subject, as a share of both: a gap
 * between arm and body, the inside of a handle, or a part of the garment that may be missing.
 */
function unsureGapShareOf(map: ProbabilityMap): number {
  const blocks = toBlocks(map);
  const directions = directionsOf(blocks);
  let gaps = 0;
  let all = 0;
  for (let i = 0; i < directions.length; i++) {
    all += blocks.unsure[i]! + blocks.subject[i]!;
    if (blocks.unsure[i] && directions[i]! >= MIN_DIRECTIONS) gaps++;
  }
  return all === 0 ? 0 : gaps / all;
}

/** A separate piece of a subject: its cells, and the sums of their red, green and blue. */
interface Piece {
  cells: number;
  sums: [number, number, number];
}

function measurePiece(cells: Int32Array, { data }: Pixels): Piece {
  const sums: Piece['sums'] = [0, 0, 0];
  for (const cell of cells) for (let c = 0; c < 3; c++) sums[c]! += data[3 * cell + c]!;
  return { cells: cells.length, sums };
}

/**
 * Twins, such as two shoes or earrings, have about the same size and colour, 0..255. One of them may be in the shade,
 * so brightness may differ by more than the channels do from each other.
 */
const TWINS = { minShare: 0.75, maxBrightness: 30, maxHue: 20 };

function areTwins(larger: Piece, smaller: Piece): boolean {
  const difference = (c: 0 | 1 | 2) =>
    larger.sums[c] / larger.cells - smaller.sums[c] / smaller.cells;
  const [red, green, blue] = [difference(0), difference(1), difference(2)];
  const hue = Math.hypot(red - green, green - blue);
  const brightness = Math.abs(red + green + blue) / 3;
  const isAlike = brightness <= TWINS.maxBrightness && hue <= TWINS.maxHue;
  return isAlike && smaller.cells >= TWINS.minShare * larger.cells;
}

function otherShareOf([main, second, third]: readonly Piece[]): number {
  if (!main || !second) return 0;
  const other = areTwins(main, second) ? third : second;
  return other ? other.cells / main.cells : 0;
}

/**
 * Returns the area of all pieces, as a share of the map, and that of the largest but the main one and its twin, as a
 * share of the main one.
 */
function measurePieces(map: ProbabilityMap, pixels: Pixels) {
  const pieces = regionsFrom(map, SUBJECT)
    .map((cells) => measurePiece(cells, pixels))
    .sort((a, b) => b.cells - a.cells);
  const cells = pieces.reduce((sum, piece) => sum + piece.cells, 0);
  return { share: cells / map.data.length, otherShare: otherShareOf(pieces) };
}

/** Colours are compared this many cells inside the outline, and as many outside. */
const DISTANCE = 3;
/** Of so many lines one is read, which is enough. */
const LINE_STEP = 2;
/** Colours closer than this, of 441, look the same. */
const SAME_COLOUR = 20;

function areAlike({ data }: Pixels, one: number, other: number): boolean {
  const red = data[3 * one]! - data[3 * other]!;
  const green = data[3 * one + 1]! - data[3 * other + 1]!;
  const blue = data[3 * one + 2]! - data[3 * other + 2]!;
  return red * red + green * green + blue * blue < SAME_COLOUR * SAME_COLOUR;
}

/** Calls `visit` with the first cell, the step and the length of every other row and column. */
function eachLine(
  { width, height }: Size,
  visit: (first: number, step: number, length: number) => void,
): void {
  for (let y = 0; y < height; y += LINE_STEP) visit(y * width, 1, width);
  for (let x = 0; x < width; x += LINE_STEP) visit(x, width, height);
}

/** Adds the outline of a line of cells. */
function readOutline(
  data: Float32Array,
  pixels: Pixels,
  first: number,
  step: number,
  length: number,
  outline: { length: number; blended: number },
): void {
  const last = first + (length - DISTANCE) * step;
  for (let cell = first + DISTANCE * step; cell < last; cell += step) {
    if (data[cell]! >= SUBJECT === data[cell + step]! >= SUBJECT) continue;
    outline.length++;
    if (areAlike(pixels, cell - (DISTANCE - 1) * step, cell + DISTANCE * step)) outline.blended++;
  }
}

/** Returns the share of the outline, 0..1, with nearly the same colour on both sides; 0 if there is none. */
function blendedShareOf(map: ProbabilityMap, pixels: Pixels): number {
  const outline = { length: 0, blended: 0 };
  eachLine(map, (first, step, length) =>
    readOutline(map.data, pixels, first, step, length, outline),
  );
  return outline.length === 0 ? 0 : outline.blended / outline.length;
}

/** Smaller differences, 0..255, are mostly rounding. */
const MIN_DIFFERENCE = 4;

/** Adds the squared differences along a line of cells. */
function readDetail(
  data: Float32Array,
  colours: Uint8Array,
  first: number,
  step: number,
  length: number,
  sums: { fine: number; coarse: number },
): void {
  for (let cell = first; cell < first + (length - 2) * step; cell += step) {
    if (data[cell]! < SUBJECT && data[cell + 2 * step]! < SUBJECT) continue;
    const green = colours[3 * cell + 1]!;
    const near = green - colours[3 * (cell + step) + 1]!;
    const far = green - colours[3 * (cell + 2 * step) + 1]!;
    if (Math.abs(far) < MIN_DIFFERENCE) continue;
    sums.fine += near * near;
    sums.coarse += far * far;
  }
}

/**
 * Returns how fine the detail of a subject is: the squared differences of neighbours in relation to those of cells
 * two apart, in green. Of a blurred photo it is .25, because colours change evenly; of a hard edge .5; of noise 1.
 * It does not depend on contrast or brightness.
 * @returns 1 if there is no subject, or if it has one colour with its surroundings
 */
export function sharpnessOf(map: ProbabilityMap, { data: colours }: Pixels): number {
  const sums = { fine: 0, coarse: 0 };
  eachLine(map, (first, step, length) => readDetail(map.data, colours, first, step, length, sums));
  return sums.coarse === 0 ? 1 : sums.fine / sums.coarse;
}

const areaOf = ({ width, height }: Size): number => width * height;

/** A view that is enlarged by more than this is soft whatever the photo is. */
const MAX_ENLARGEMENT = 1.25;

/** Whether a view is enlarged so much that it does not show how sharp the photo is. */
export const isEnlarged = ({ map, region }: Pick<View, 'map' | 'region'>): boolean =>
  Math.max(map.width / region.width, map.height / region.height) > MAX_ENLARGEMENT;

function cutShareOf({ map, region, image }: View): number {
  const { left, top, width, height } = region;
  const [across, down] = [width / image.width, height / image.height];
  const row = (first: number) => across * shareAlong(map, first, 1, map.width, SUBJECT);
  const column = (first: number) => down * shareAlong(map, first, map.width, map.height, SUBJECT);
  return Math.max(
    top === 0 ? row(0) : 0,
    top + height === image.height ? row((map.height - 1) * map.width) : 0,
    left === 0 ? column(0) : 0,
    left + width === image.width ? column(map.width - 1) : 0,
  );
}

/**
 * Measures what speaks for and against a cut-out. Time depends on the size of the map alone: two milliseconds for
 * 352 x 352 cells.
 * @param view the last one that the network had
 * @param ground what the matte was found to be by it
 * @see docs/adr/0045-review-reasons.md
 */
export function measureEvidence(
  view: View,
  confidence: number,
  ground = NO_GROUND_EVIDENCE,
): Evidence {
  const { map, pixels, region, image } = view;
  const { share, otherShare } = measurePieces(map, pixels);
  return {
    confidence,
    unsureGapShare: unsureGapShareOf(map),
    otherShare,
    subjectShare: (share * areaOf(region)) / areaOf(image),
    sharpness: isEnlarged(view) ? 1 : sharpnessOf(map, pixels),
    blendedShare: blendedShareOf(map, pixels),
    cutShare: cutShareOf(view),
    ...ground,
  };
}
