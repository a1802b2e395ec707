import type { ProbabilityMap } from '../../../src/imaging/matte.ts';
import type { Box, Matte, Rotation, Size } from '../../../src/imaging/picture.ts';
import { type GarmentRegion, GROUPS } from './groups.ts';
import type { GroupMap } from './parse.ts';
import {
  dropFalseHats,
  dropSmallPieces,
  findPieces,
  groupsOfPart,
  layOut,
  maskOf,
  type Piece,
} from './pieces.ts';
import { smoothParts } from './smooth.ts';
import {
  areaOf,
  joinWithMatte,
  meanOver,
  piecesOfSubject,
  type Subject,
  type SubjectPiece,
  visitNeighbours,
} from './subject.ts';

/** A garment is hidden by another that is over it along such a share of its edge. */
const MIN_EDGE_SHARE = 0.12;
/** By fewer layers a garment does not hide another: it meets it, as a jumper does trousers. */
const MIN_LAYERS = 2;

/** Returns the groups of the garments that hide some of a garment. */
function hidingGroups(piece: Piece, owners: ReadonlyMap<number, Piece>, map: Size): string[] {
  const minLayer = GROUPS[piece.group]!.layer + MIN_LAYERS;
  const counts = new Map<string, number>();
  let edge = 0;
  for (const cell of piece.cells) {
    let isEdge = false;
    const over = new Set<string>();
    visitNeighbours(cell, map, (near) => {
      const owner = owners.get(near);
      if (owner === piece) return;
      isEdge = true;
      const group = owner && GROUPS[owner.group];
      if (group && group.layer >= minLayer) over.add(group.id);
    });
    if (isEdge) edge++;
    for (const id of over) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= MIN_EDGE_SHARE * edge).map(([id]) => id);
}

/** First and last column and row of some cells. */
function extentOf(cells: readonly number[], width: number) {
  const extent = { left: width, top: Number.POSITIVE_INFINITY, right: -1, bottom: -1 };
  for (const cell of cells) {
    const x = cell % width;
    const y = (cell - x) / width;
    extent.left = Math.min(extent.left, x);
    extent.right = Math.max(extent.right, x);
    extent.top = Math.min(extent.top, y);
    extent.bottom = Math.max(extent.bottom, y);
  }
  return extent;
}

/** Returns whether a garment lies at a side of the image. @param region that the cells cover */
function isCutByFrame({ cells }: Piece, region: Box, image: Size, map: Size): boolean {
  const { left, top, right, bottom } = extentOf(cells, map.width);
  return (
    (left === 0 && region.left <= 0) ||
    (top === 0 && region.top <= 0) ||
    (right === map.width - 1 && region.left + region.width >= image.width) ||
    (bottom === map.height - 1 && region.top + region.height >= image.height)
  );
}

export interface Garment {
  /** Id of its group. */
  group: string;
  region: GarmentRegion;
  /** The groups it may be, the likeliest first, with their mean probabilities; unlikely ones are left out. */
  alternatives: { group: string; probability: number }[];
  /** Contains all of the garment, with up to two cells around it; pixels of the image. */
  box: Box;
  /** Share of the subject's area, 0..1. */
  areaShare: number;
  /** Mean probability over its area that it is what it is taken for, or easily taken for, 0..1. */
  confidence: number;
  /** Groups of the garments over it, and `frame` if the image's border cuts it. */
  occludedBy: string[];
  /** How much of each cell of the map is this garment and no other, 0..1; see `matteOfMask`. */
  mask: ProbabilityMap;
}

export interface Outfit {
  /** Whether skin or hair show. Laid-out garments have none: all of them is garment. */
  person: boolean;
  /** Whether there are several people; only the largest is separated. */
  severalPeople: boolean;
  /** The largest first. */
  garments: Garment[];
  /** The part of the image that the masks cover. */
  region: Box;
  /** After which the person stands. */
  rotation: Rotation;
}

/** A subject with less skin and hair is no person. */
const MIN_BODY_SHARE = 0.02;
/**
 * Another component of the subject with skin or hair is another person if it is so large beside the largest, a dressed
 * one also if it is smaller: a hand or an arm of the same person is mostly skin.
 */
const MIN_PERSON_SHARE = { any: 0.25, dressed: 0.08 };
const MAX_DRESSED_BODY_SHARE = 0.6;
const MIN_ALTERNATIVE = 0.05;

/** With several people, what lies farther from the largest one than this share of their box belongs to others. */
const PERSON_MARGIN = 0.1;

function liesApart(piece: SubjectPiece, largest: SubjectPiece, map: Size): boolean {
  const own = extentOf(piece.cells, map.width);
  const { left, right, top, bottom } = extentOf(largest.cells, map.width);
  const across = PERSON_MARGIN * (right + 1 - left);
  const down = PERSON_MARGIN * (bottom + 1 - top);
  return (
    own.right < left - across ||
    own.left > right + across ||
    own.bottom < top - down ||
    own.top > bottom + down
  );
}

/** Returns all people but the largest, with the pieces that they are in. @param pieces the largest first */
function otherPeople(pieces: readonly SubjectPiece[], map: Size): SubjectPiece[] {
  const largest = pieces[0]?.area ?? 0;
  const isPerson = ({ area, bodyShare }: SubjectPiece): boolean => {
    const { any, dressed } = MIN_PERSON_SHARE;
    const minShare = bodyShare <= MAX_DRESSED_BODY_SHARE ? dressed : any;
    return bodyShare >= MIN_BODY_SHARE && area >= minShare * largest;
  };
  const [person, ...others] = pieces.filter(isPerson);
  if (!person || others.length === 0) return [];
  return pieces.filter((piece) => others.includes(piece) || liesApart(piece, person, map));
}

/** Returns the box of cells in the image, a cell wider on each side. */
function boxOf(cells: readonly number[], { width, height }: Size, region: Box): Box {
  const { left, top, right, bottom } = extentOf(cells, width);
  const span = (first: number, last: number, count: number, start: number, length: number) => {
    const from = start + Math.floor((Math.max(0, first - 1) * length) / count);
    const to = start + Math.ceil((Math.min(count, last + 2) * length) / count);
    return { from, size: to - from };
  };
  const across = span(left, right, width, region.left, region.width);
  const down = span(top, bottom, height, region.top, region.height);
  return { left: across.from, top: down.from, width: across.size, height: down.size };
}

/** Returns the mean probabilities of the groups a garment may be, the likeliest first. */
const alternativesOf = (subject: Subject, { part, cells, rivals }: Piece) =>
  groupsOfPart(part)
    .filter((group) => !rivals.includes(group))
    .map((group) => ({
      group: GROUPS[group]!.id,
      probability: meanOver(cells, subject, (cell) => subject.groups[group]![cell]!),
    }))
    .sort((a, b) => b.probability - a.probability);

/** The subject, ready to be divided. */
interface PreparedSubject extends Pick<Outfit, 'person' | 'severalPeople'> {
  subject: Subject;
  /** Cells, by their coverage. */
  wholeArea: number;
}

/**
 * Joins the parse network's output with the matte of the subject, and decides what is a person.
 * @param keepsOthers whether people beside the largest belong to the subject
 */
export function prepareSubject(map: GroupMap, matte: Matte, keepsOthers = false): PreparedSubject {
  const subject = joinWithMatte(map, matte);
  const pieces = piecesOfSubject(subject);
  const others = otherPeople(pieces, map);
  const severalPeople = others.length > 0;
  if (keepsOthers) others.length = 0;
  for (const { cells } of others) for (const cell of cells) subject.coverage[cell] = 0;
  const own = pieces.filter((piece) => !others.includes(piece));
  const wholeArea = own.reduce((sum, { area }) => sum + area, 0);
  const bodyArea = own.reduce((sum, { area, bodyShare }) => sum + area * bodyShare, 0);
  const person = bodyArea > MIN_BODY_SHARE * wholeArea;
  if (person) {
    if (map.seen) smoothParts(subject, map.seen);
    dropFalseHats(subject, !map.rotation);
    dropSmallPieces(subject, wholeArea);
  } else layOut(subject, own);
  return { subject, wholeArea, person, severalPeople };
}

/**
 * Turns the parse network's output into the garments of the subject.
 * @param matte of the subject, of the image's size
 */
export function separateGarments(map: GroupMap, matte: Matte): Outfit {
  const { region } = map;
  const { subject, wholeArea, ...facts } = prepareSubject(map, matte);
  const found = findPieces(subject);
  const owners = new Map(found.flatMap((piece) => piece.cells.map((cell) => [cell, piece])));
  const toGarment = (piece: Piece): Garment => {
    const alternatives = alternativesOf(subject, piece);
    const occludedBy = hidingGroups(piece, owners, map);
    if (isCutByFrame(piece, region, matte, map)) occludedBy.push('frame');
    return {
      group: GROUPS[piece.group]!.id,
      region: GROUPS[piece.group]!.region!,
      alternatives: alternatives.filter(({ probability }) => probability >= MIN_ALTERNATIVE),
      box: boxOf(piece.cells, map, region),
      areaShare: areaOf(piece.cells, subject) / wholeArea,
      confidence: alternatives.reduce((sum, { probability }) => sum + probability, 0),
      occludedBy,
      mask: maskOf(subject, piece),
    };
  };
  const garments = found.map(toGarment).sort((a, b) => b.areaShare - a.areaShare);
  return { ...facts, garments, region, rotation: map.rotation ?? 0 };
}
