import type { Box, Matte, Size } from '../../../src/imaging/picture.ts';
import { BACKGROUND, GROUPS, HAIR, PART_OF, PARTS, SKIN } from './groups.ts';
import type { GroupMap } from './parse.ts';

/** The label of a cell that belongs to nothing. */
export const NO_LABEL = 255;

/** Connected cells of one label; diagonal neighbours touch. */
interface Component {
  label: number;
  cells: number[];
}

/** Splits a grid of labels into its connected components; cells of `NO_LABEL` are in none. */
export function componentsOf(labels: Uint8Array, size: Size): Component[] {
  const isSeen = new Uint8Array(labels.length);
  const components: Component[] = [];
  for (let first = 0; first < labels.length; first++) {
    const label = labels[first]!;
    if (label === NO_LABEL || isSeen[first]) continue;
    isSeen[first] = 1;
    const cells = [first];
    // The list grows while it is walked through.
    for (let next = 0; next < cells.length; next++) {
      visitNeighbours(cells[next]!, size, (near) => {
        if (isSeen[near] || labels[near] !== label) return;
        isSeen[near] = 1;
        cells.push(near);
      });
    }
    components.push({ label, cells });
  }
  return components;
}

/** Calls `visit` with each of the up to eight cells around a cell. */
export function visitNeighbours(
  cell: number,
  { width, height }: Size,
  visit: (near: number) => void,
): void {
  const x = cell % width;
  const y = (cell - x) / width;
  for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
    for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++)
      if (row !== y || column !== x) visit(row * width + column);
}

/** Pixels along each side of a cell that are looked at, at most: large photos cost no more than small ones. */
const MAX_SAMPLES = 4;

/** Returns how much of each cell of a map is subject, 0..1. @param region of the matte that the map covers */
export function coverageOf(matte: Matte, region: Box, { width, height }: Size): Float32Array {
  const columns = samplesOf(region.left, region.width, width);
  const rows = samplesOf(region.top, region.height, height);
  const coverage = new Float32Array(width * height);
  for (let cell = 0; cell < coverage.length; cell++) {
    const across = columns[cell % width]!;
    const down = rows[Math.floor(cell / width)]!;
    let sum = 0;
    for (const y of down) for (const x of across) sum += matte.data[y * matte.width + x]!;
    coverage[cell] = sum / (255 * across.length * down.length);
  }
  return coverage;
}

/** Returns the pixels to look at in each of `cells` that make up `length` pixels from `start` on. */
function samplesOf(start: number, length: number, cells: number): number[][] {
  const count = Math.max(1, Math.min(MAX_SAMPLES, Math.floor(length / cells)));
  return Array.from({ length: cells }, (_, cell) =>
    Array.from(
      { length: count },
      (_, i) => start + Math.floor(((cell + (i + 0.5) / count) * length) / cells),
    ),
  );
}

/** The parse network's output within the subject. Cells are numbered row by row. */
export interface Subject extends Size {
  /** How much of each cell is subject, 0..1. */
  coverage: Float32Array;
  /** For each group, its probability in each cell. */
  groups: readonly Float32Array[];
  /** For each part, its weight in each cell; 0 where the part has been ruled out. */
  parts: readonly Float32Array[];
}

/** A connected component of the subject. */
export interface SubjectPiece {
  cells: readonly number[];
  /** Cells, by their coverage. */
  area: number;
  /** Share of skin and hair, 0..1. */
  bodyShare: number;
}

/** The background's probability counts so much where the cut-out network saw the subject. */
const BACKGROUND_WEIGHT = 0.3;
/** A cell with less of the subject belongs to nothing. */
export const MIN_COVERAGE = 0.35;

function sumParts(groups: readonly Float32Array[]): Float32Array[] {
  const parts = PARTS.map(() => new Float32Array(groups[0]!.length));
  groups.forEach((plane, group) => {
    const part = parts[PART_OF[group]!]!;
    const weight = PART_OF[group] === BACKGROUND ? BACKGROUND_WEIGHT : 1;
    for (let cell = 0; cell < plane.length; cell++) part[cell]! += weight * plane[cell]!;
  });
  return parts;
}

/** Joins the parse network's output with the matte of the subject. @param matte of the image's size */
export function joinWithMatte(map: GroupMap, matte: Matte): Subject {
  const { width, height, region, probabilities } = map;
  const cells = width * height;
  const groups = GROUPS.map((_, group) =>
    probabilities.subarray(group * cells, (group + 1) * cells),
  );
  const coverage = coverageOf(matte, region, map);
  return { width, height, coverage, groups, parts: sumParts(groups) };
}

/** Returns the index of the plane with the largest value in a cell. */
export function bestOf(planes: readonly Float32Array[], cell: number): number {
  let best = 0;
  for (let i = 1; i < planes.length; i++) if (planes[i]![cell]! > planes[best]![cell]!) best = i;
  return best;
}

/** Returns the best part of each cell, `NO_LABEL` outside the subject. */
export function labelParts({ parts, coverage }: Subject): Uint8Array {
  const labels = new Uint8Array(coverage.length).fill(NO_LABEL);
  for (let cell = 0; cell < labels.length; cell++)
    if (coverage[cell]! >= MIN_COVERAGE) labels[cell] = bestOf(parts, cell);
  return labels;
}

/** Returns the area of some cells, by their coverage. */
export const areaOf = (cells: readonly number[], { coverage }: Subject): number =>
  cells.reduce((sum, cell) => sum + coverage[cell]!, 0);

/** Returns the mean of a value over some cells, by their coverage. */
export const meanOver = (
  cells: readonly number[],
  subject: Subject,
  read: (cell: number) => number,
): number =>
  cells.reduce((sum, cell) => sum + subject.coverage[cell]! * read(cell), 0) /
  areaOf(cells, subject);

/** Rules a part out in some cells, so that they go to what is likeliest there without it. */
export function ruleOut({ parts }: Subject, part: number, cells: readonly number[]): void {
  for (const cell of cells) parts[part]![cell] = 0;
}

/** Returns the connected components of the subject, the largest first. */
export function piecesOfSubject(subject: Subject): SubjectPiece[] {
  const labels = labelParts(subject);
  const isBody = (cell: number) => labels[cell] === SKIN || labels[cell] === HAIR;
  const inside = labels.map((label) => (label === NO_LABEL ? NO_LABEL : 0));
  return componentsOf(inside, subject)
    .map(({ cells }) => {
      const area = areaOf(cells, subject);
      return { cells, area, bodyShare: areaOf(cells.filter(isBody), subject) / area };
    })
    .sort((a, b) => b.area - a.area);
}
