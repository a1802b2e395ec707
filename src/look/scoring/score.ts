import { type Outside, withTail } from '../comfort/comfort.ts';
import { clamp } from '../numeric.ts';
import type { Term } from '../tables.ts';
import { type Form, formOf, isDress, isSet, type Worn } from '../wardrobe/ensemble.ts';
import type { Judgement, Piece } from './context.ts';

export type Terms = Record<Term, number>;

/** Parts of an outfit by which it is judged. */
export interface Parts {
  outside: Outside;
  /** All garments in the weather, thousandths of a clo. */
  milli: number;
  /** Garments of a region, dry, thousandths of a clo. */
  top: number;
  bottom: number;
  outer: number;
  shoes: number;
  accessory: number;
  form: Form;
}

const dry = (piece: Piece | undefined): number => piece?.milli ?? 0;
const wet = (judgement: Judgement, piece: Piece | undefined, cover: number): number =>
  piece ? judgement.wetMilli(piece, cover) : 0;
const waterOf = (piece: Piece | undefined): number => piece?.garment.water ?? 0;

/** The outermost piece on the torso: it decides on wind, and shelters what is beneath. */
const outermost = ({ outer, mid, main }: Worn<Piece>): Piece | undefined => outer ?? mid ?? main;

/** The outermost piece on the legs. */
const legPiece = ({ over, bottom, mid, main }: Worn<Piece>): Piece | undefined =>
  over ?? bottom ?? (mid && isSet(mid.garment) ? mid : main);

/** Clo that listed socks add to the socks everybody is taken to wear. */
export const sockMilli = (judgement: Judgement, socks: Piece | undefined): number =>
  socks ? Math.max(0, socks.milli - Math.round(1000 * judgement.model.k.region.socks)) : 0;

/** Adds up an outfit. */
export function partsOf(judgement: Judgement, worn: Worn<Piece>): Parts {
  const { outer, mid, main, over, bottom, shoes, underTop, underBottom, socks } = worn;
  const front = outermost(worn)?.garment;
  const torsoCover = front?.water ?? 0;
  const under = dry(underTop) + dry(underBottom) + sockMilli(judgement, socks);
  const accessory = dry(worn.head) + dry(worn.neck) + dry(worn.hands);
  return {
    outside: { wind: front?.wind ?? 0, breath: front?.breath ?? 1 },
    milli:
      wet(judgement, outer, torsoCover) +
      wet(judgement, mid, torsoCover) +
      wet(judgement, main, torsoCover) +
      wet(judgement, over, 0) +
      wet(judgement, bottom, waterOf(over)) +
      wet(judgement, shoes, 0) +
      under +
      accessory,
    top: dry(mid) + dry(main) + dry(underTop),
    bottom: dry(over) + dry(bottom) + dry(underBottom),
    outer: dry(outer),
    shoes: dry(shoes) + sockMilli(judgement, socks),
    accessory,
    form: formOf(worn),
  };
}

/** How well `milli` thousandths of a clo meet a target in clo, 0-1. */
export function regionFit(judgement: Judgement, milli: number, target: number): number {
  const { regionMin, regionShare, hotStrict } = judgement.model.k.fit;
  const z = (milli / 1000 - target) / Math.max(regionMin, regionShare * target);
  const strict = z > 0 && judgement.situation.isHot ? hotStrict : 1;
  const far = strict * z;
  return withTail(judgement.model, Math.exp(-0.5 * far * far), far);
}

/** Mean fit over regions; a dress counts for top and bottom. */
function regionsTerm(judgement: Judgement, parts: Parts): number {
  const { regions, plan } = judgement;
  const body =
    parts.form === 'one-piece'
      ? 2 * regionFit(judgement, parts.top + parts.bottom, regions.dress)
      : regionFit(judgement, parts.top, regions.top) +
        regionFit(judgement, parts.bottom, regions.bottom);
  const inner = body + regionFit(judgement, parts.shoes, regions.shoes);
  if (plan === 'indoor') return inner / 3;
  const outer = regionFit(judgement, parts.outer, regions.outerwear);
  return (inner + outer + regionFit(judgement, parts.accessory, regions.accessory)) / 5;
}

/** What an outfit leaves missing of shelter, each part of the body by its share. */
function missing({ model, shelter }: Judgement, kind: 'water' | 'wind', worn: Worn<Piece>): number {
  const { torso, legs, feet } = model.tables.protection;
  return (
    torso * Math.max(0, shelter.torso[kind] - (outermost(worn)?.garment[kind] ?? 0)) +
    legs * Math.max(0, shelter.legs[kind] - (legPiece(worn)?.garment[kind] ?? 0)) +
    feet * Math.max(0, shelter.feet[kind] - (worn.shoes?.garment[kind] ?? 0))
  );
}

/** 1 less the worse of what is missing against water and against wind. */
export const protectionTerm = (judgement: Judgement, worn: Worn<Piece>): number =>
  1 - Math.max(missing(judgement, 'water', worn), missing(judgement, 'wind', worn));

/** Pieces that are seen, with how much of each. */
export function visiblePieces({ model }: Judgement, worn: Worn<Piece>): [Piece, number][] {
  const { outer, torso, beneath, dress, legs, feet } = model.tables.visibleArea;
  const { mid, main } = worn;
  const seen: [Piece, number][] = [];
  if (worn.outer) seen.push([worn.outer, outer]);
  if (mid) seen.push([mid, isSet(mid.garment) ? dress : torso]);
  if (main) seen.push([main, isDress(main.garment) ? dress : mid ? beneath : torso]);
  if (worn.bottom) seen.push([worn.bottom, legs]);
  if (worn.shoes) seen.push([worn.shoes, feet]);
  return seen;
}

/** Mean harmony of pairs, by how much is seen of them; the value of unknowns where there is no pair. */
function colourTerm(judgement: Judgement, worn: Worn<Piece>): number {
  const seen = visiblePieces(judgement, worn);
  let sum = 0;
  let weight = 0;
  for (let i = 0; i < seen.length; i++) {
    for (let j = i + 1; j < seen.length; j++) {
      const pair = seen[i]![1] * seen[j]![1];
      sum += pair * judgement.harmonyOf(seen[i]![0], seen[j]![0]);
      weight += pair;
    }
  }
  return weight > 0 ? sum / weight : judgement.model.k.fit.unknown;
}

/** The core pieces that formality and season are asked of. */
const JUDGED_SLOTS = ['outer', 'mid', 'main', 'bottom', 'shoes'] as const;

/** What an outfit is worth, each 0-1. */
export function termsOf(judgement: Judgement, worn: Worn<Piece>): Terms {
  const parts = partsOf(judgement, worn);
  let judged = 0;
  let occasions = 0;
  let leastOccasion = Number.POSITIVE_INFINITY;
  let seasons = 0;
  for (const slot of JUDGED_SLOTS) {
    const piece = worn[slot];
    if (!piece) continue;
    judged += 1;
    occasions += piece.occasion;
    leastOccasion = Math.min(leastOccasion, piece.occasion);
    seasons += piece.season;
  }
  return {
    thermal: judgement.curveFor(parts.outside).at(parts.milli),
    regions: regionsTerm(judgement, parts),
    protection: protectionTerm(judgement, worn),
    occasion: (occasions / judged) * leastOccasion,
    color: colourTerm(judgement, worn),
    season: seasons / judged,
  };
}

/** The terms as one number, 0-1. */
export function weigh({ model: { tables } }: Judgement, terms: Terms): number {
  const { thermal, regions, protection, occasion, color, season } = tables.weights;
  return clamp(
    thermal * terms.thermal +
      regions * terms.regions +
      protection * terms.protection +
      occasion * terms.occasion +
      color * terms.color +
      season * terms.season,
    0,
    1,
  );
}
