import type { ProbabilityMap } from '../../../src/imaging/matte.ts';
import { BACKGROUND, GROUPS, HAIR, HAT, IS_WORN, PART_OF, PARTS, SKIN } from './groups.ts';
import {
  areaOf,
  bestOf,
  componentsOf,
  labelParts,
  meanOver,
  ruleOut,
  type Subject,
  type SubjectPiece,
  visitNeighbours,
} from './subject.ts';

export interface Piece {
  part: number;
  group: number;
  cells: readonly number[];
  /** Other groups of the part that are garments of their own. */
  rivals: readonly number[];
}

/**
 * Smaller pieces are dropped, shares of the subject. Of what the network saw below, on 58 held-out photos, nine of ten
 * were something else, such as an eye, a fold or a shadow; shoes and socks were too few to tell.
 */
const MIN_SHARES: Readonly<Record<string, number>> = {
  small_things: 0.002,
  scarf_tie: 0.002,
  belt: 0.002,
  socks: 0.0006,
  shoes: 0.0006,
  hat: 0.01,
  bag: 0.01,
};
/** Of every other part. */
const MIN_LARGE_SHARE = 0.003;
/** Dropped too: smaller ones than this share of the largest piece of the part. */
const MIN_SHARE_OF_PART = 0.05;
/** A part with a smaller share of a laid-out garment is an error. */
const MIN_LAID_OUT_SHARE = 0.2;
/** A second group within a part is another garment if it has such a share, and is so likely there. */
const SECOND_GROUP = { minShare: 0.25, minProbability: 0.55 };

/**
 * Below this mean probability a hat is hair. The network takes hair seen from behind for a hat at .69 to .77; true hats
 * have .93 and more. See docs/adr/0126-thin-evidence.md.
 */
const MIN_HAT_PROBABILITY = 0.85;
const HAT_GROUP = PART_OF.indexOf(HAT);

/**
 * Gives hats of which the network is not sure to the hair, and those that are wholly below it to what is likeliest
 * there otherwise: nobody wears one there.
 * @param isUpright whether the person's head is up
 */
export function dropFalseHats(subject: Subject, isUpright: boolean): void {
  const { groups, parts, width, height } = subject;
  const rowOf = (cell: number): number => Math.floor(cell / width);
  const labels = labelParts(subject);
  const lastHairRow = isUpright ? rowOf(labels.lastIndexOf(HAIR)) : -1;
  for (const { label, cells } of componentsOf(labels, subject)) {
    if (label !== HAT) continue;
    const top = cells.reduce((min, cell) => Math.min(min, rowOf(cell)), height);
    const isLow = lastHairRow >= 0 && top > lastHairRow;
    const probability = meanOver(cells, subject, (cell) => groups[HAT_GROUP]![cell]!);
    if (!isLow && probability >= MIN_HAT_PROBABILITY) continue;
    if (!isLow) for (const cell of cells) parts[HAIR]![cell] = parts[HAT]![cell]!;
    ruleOut(subject, HAT, cells);
  }
}

/** Gives pieces of garments that are too small to what is likeliest there otherwise. */
export function dropSmallPieces(subject: Subject, wholeArea: number): void {
  const pieces = componentsOf(labelParts(subject), subject)
    .filter(({ label }) => IS_WORN[label])
    .map((piece) => ({ ...piece, area: areaOf(piece.cells, subject) }));
  const largest = PARTS.map(() => 0);
  for (const { label, area } of pieces) largest[label] = Math.max(largest[label]!, area);
  const isTooSmall = ({ label, area }: (typeof pieces)[number]) => {
    const minShare = MIN_SHARES[PARTS[label]!] ?? MIN_LARGE_SHARE;
    return area < Math.max(minShare * wholeArea, MIN_SHARE_OF_PART * largest[label]!);
  };
  for (const { label, cells } of pieces.filter(isTooSmall)) ruleOut(subject, label, cells);
}

/** Makes all of a subject without a person garment, and each of its pieces one of few parts. */
export function layOut(subject: Subject, pieces: readonly SubjectPiece[]): void {
  for (const { cells, area } of pieces) {
    for (const part of [BACKGROUND, SKIN, HAIR]) ruleOut(subject, part, cells);
    const areas = PARTS.map(() => 0);
    for (const cell of cells) areas[bestOf(subject.parts, cell)]! += subject.coverage[cell]!;
    const minArea = Math.min(MIN_LAID_OUT_SHARE * area, Math.max(...areas));
    for (const part of PARTS.keys()) if (areas[part]! < minArea) ruleOut(subject, part, cells);
  }
}

export const groupsOfPart = (part: number): number[] =>
  [...GROUPS.keys()].filter((group) => PART_OF[group] === part);

/** Returns the share that the first of several planes has of their sum in a cell. */
function shareOfFirst(planes: readonly Float32Array[], cell: number): number {
  const sum = planes.reduce((total, plane) => total + plane[cell]!, 0);
  return sum > 0 ? planes[0]![cell]! / sum : 0;
}

/** Returns the groups that are garments of their own within some cells of a part, the largest first. */
function groupsWithin(subject: Subject, part: number, cells: readonly number[]): number[] {
  const groups = groupsOfPart(part);
  const planes = groups.map((group) => subject.groups[group]!);
  const found = groups
    .map((group, i) => {
      const own = cells.filter((cell) => bestOf(planes, cell) === i);
      const ordered = [planes[i]!, ...planes.filter((_, other) => other !== i)];
      const probability = meanOver(own, subject, (cell) => shareOfFirst(ordered, cell));
      return { group, area: areaOf(own, subject), probability };
    })
    .sort((a, b) => b.area - a.area);
  const minArea = SECOND_GROUP.minShare * areaOf(cells, subject);
  return found
    .filter(
      ({ area, probability }, rank) =>
        rank === 0 || (area >= minArea && probability >= SECOND_GROUP.minProbability),
    )
    .map(({ group }) => group);
}

/** Splits cells of a part into garments of different groups. */
function splitByGroup(subject: Subject, part: number, cells: readonly number[]): Piece[] {
  const groups = groupsWithin(subject, part, cells);
  const planes = groups.map((group) => subject.groups[group]!);
  return groups.map((group, i) => ({
    part,
    group,
    cells: cells.filter((cell) => bestOf(planes, cell) === i),
    rivals: groups.filter((other) => other !== group),
  }));
}

const isCountable = (part: number): boolean =>
  GROUPS.some((group, i) => PART_OF[i] === part && group.isCountable);

export function findPieces(subject: Subject): Piece[] {
  const components = componentsOf(labelParts(subject), subject);
  return [...PARTS.keys()]
    .filter((part) => IS_WORN[part])
    .flatMap((part) => {
      const lists = components.filter(({ label }) => label === part).map(({ cells }) => cells);
      const items = isCountable(part) ? lists : [lists.flat()].filter(({ length }) => length > 0);
      return items.flatMap((cells) => splitByGroup(subject, part, cells));
    });
}

/** Returns how much of each cell belongs to some of the parts, 0..1; undefined if no cell does. */
export function maskOfParts(
  subject: Subject,
  isKept: readonly boolean[],
): ProbabilityMap | undefined {
  const { parts, width, height } = subject;
  const labels = labelParts(subject);
  const data = new Float32Array(width * height);
  const best = (cell: number, kept: boolean): number =>
    parts.reduce((max, plane, i) => (isKept[i] === kept ? Math.max(max, plane[cell]!) : max), 0);
  const fill = (cell: number): void => {
    const own = best(cell, true);
    data[cell] = own > 0 ? own / (own + best(cell, false)) : 0;
  };
  let isFound = false;
  labels.forEach((label, cell) => {
    if (!isKept[label]) return;
    isFound = true;
    fill(cell);
    // A cell further too, because that is where its edge lies.
    visitNeighbours(cell, subject, fill);
  });
  return isFound ? { data, width, height } : undefined;
}

/** Returns how much of each cell is a garment beside its strongest rival, 0..1. */
export function maskOf(subject: Subject, { part, group, cells, rivals }: Piece): ProbabilityMap {
  const { parts, groups, width, height } = subject;
  const data = new Float32Array(width * height);
  const planes = [group, ...rivals].map((one) => groups[one]!);
  const isDone = new Uint8Array(data.length);
  const fill = (cell: number): void => {
    if (isDone[cell]) return;
    isDone[cell] = 1;
    const whole = parts[part]![cell]!;
    const own = rivals.length > 0 ? whole * shareOfFirst(planes, cell) : whole;
    let rival = whole - own;
    for (let other = 0; other < parts.length; other++)
      if (other !== part) rival = Math.max(rival, parts[other]![cell]!);
    data[cell] = own > 0 ? own / (own + rival) : 0;
  };
  for (const cell of cells) {
    fill(cell);
    // A cell further too, because that is where its edge lies.
    visitNeighbours(cell, subject, fill);
  }
  return { data, width, height };
}
