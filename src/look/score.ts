import { type Outside, withTail } from './comfort.ts';
import { CORE_SLOTS, type Form, formOf, isDress, isSet, type Worn } from './ensemble.ts';
import type { Judgement, Piece } from './judgement.ts';
import { clamp } from './numeric.ts';
import type { Term } from './tables.ts';

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
  const torsoCover = waterOf(outermost(worn));
  const wet = (piece: Piece | undefined, cover: number) =>
    piece ? judgement.wetMilli(piece, cover) : 0;
  const under = dry(underTop) + dry(underBottom) + sockMilli(judgement, socks);
  const accessory = dry(worn.head) + dry(worn.neck) + dry(worn.hands);
  const front = outermost(worn)?.garment;
  return {
    outside: { wind: front?.wind ?? 0, breath: front?.breath ?? 1 },
    milli:
      wet(outer, torsoCover) +
      wet(mid, torsoCover) +
      wet(main, torsoCover) +
      wet(over, 0) +
      wet(bottom, waterOf(over)) +
      wet(shoes, 0) +
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
  const meets = (milli: number, target: number) => regionFit(judgement, milli, target);
  const body =
    parts.form === 'one-piece'
      ? 2 * meets(parts.top + parts.bottom, regions.dress)
      : meets(parts.top, regions.top) + meets(parts.bottom, regions.bottom);
  const inner = body + meets(parts.shoes, regions.shoes);
  if (plan === 'indoor') return inner / 3;
  return (
    (inner + meets(parts.outer, regions.outerwear) + meets(parts.accessory, regions.accessory)) / 5
  );
}

/** 1 less the worse of what is missing against water and against wind. */
export function protectionTerm({ model, shelter }: Judgement, worn: Worn<Piece>): number {
  const places = [
    [outermost(worn), shelter.torso, model.tables.protection.torso],
    [legPiece(worn), shelter.legs, model.tables.protection.legs],
    [worn.shoes, shelter.feet, model.tables.protection.feet],
  ] as const;
  let water = 0;
  let wind = 0;
  for (const [piece, need, share] of places) {
    water += share * Math.max(0, need.water - (piece?.garment.water ?? 0));
    wind += share * Math.max(0, need.wind - (piece?.garment.wind ?? 0));
  }
  return 1 - Math.max(water, wind);
}

/** Pieces that are seen, with how much of each. */
export function visiblePieces({ model }: Judgement, worn: Worn<Piece>): [Piece, number][] {
  const { outer, torso, beneath, dress, legs, feet } = model.tables.visibleArea;
  const { mid, main } = worn;
  const areas: [Piece | undefined, number][] = [
    [worn.outer, outer],
    [mid, mid && isSet(mid.garment) ? dress : torso],
    [main, main && isDress(main.garment) ? dress : mid ? beneath : torso],
    [worn.bottom, legs],
    [worn.shoes, feet],
  ];
  return areas.filter((area): area is [Piece, number] => area[0] !== undefined);
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
export const judgedPieces = (worn: Worn<Piece>): Piece[] =>
  CORE_SLOTS.flatMap((slot) => {
    const piece = slot === 'over' ? undefined : worn[slot];
    return piece ? [piece] : [];
  });

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What an outfit is worth, each 0-1. */
export function termsOf(judgement: Judgement, worn: Worn<Piece>): Terms {
  const parts = partsOf(judgement, worn);
  const judged = judgedPieces(worn);
  const occasions = judged.map((piece) => piece.occasion);
  return {
    thermal: judgement.curveFor(parts.outside).at(parts.milli),
    regions: regionsTerm(judgement, parts),
    protection: protectionTerm(judgement, worn),
    occasion: meanOf(occasions) * Math.min(...occasions),
    color: colourTerm(judgement, worn),
    season: meanOf(judged.map((piece) => piece.season)),
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
