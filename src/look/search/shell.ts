import type { Situation } from '../comfort/targets.ts';
import { round } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { Shell } from '../responses.ts';
import { type Judgement, judgementOf, type Piece } from '../scoring/context.ts';
import { termsOf } from '../scoring/score.ts';
import { mapWorn, slotsOf, type Worn, wornItems } from '../wardrobe/ensemble.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';
import { fingerprint } from '../wardrobe/wardrobe.ts';
import { exactScore } from './search.ts';

/** Finds what to put on over a base outfit for outside. */
export type ShellFinder = (base: Worn<Piece>) => Shell;

const byId = (a: Piece, b: Piece): number => (a.garment.id < b.garment.id ? -1 : 1);

/** Why something has to be put on, as codes. */
function reasonsFor({ k }: Model, needClo: number, { shelter }: Judgement): string[] {
  const reasons: [string, boolean][] = [
    ['colder-outside', needClo >= k.shell.fromClo],
    ['rain', shelter.torso.water >= k.shell.fromNeed],
    ['wind', shelter.torso.wind >= k.shell.fromNeed],
  ];
  return reasons.filter(([, holds]) => holds).map(([code]) => code);
}

/** The hat, scarf and gloves that make an outfit better, one after the other. */
function addSmallThings(judgement: Judgement, worn: Worn<Piece>, things: readonly Piece[]) {
  let best = { worn, score: exactScore(judgement, worn) };
  for (const slot of ['head', 'neck', 'hands'] as const) {
    if (worn[slot]) continue;
    for (const piece of things.filter(
      ({ garment }) => slotsOf(judgement.model, garment)[0] === slot,
    )) {
      const tried = { ...best.worn, [slot]: piece };
      const score = exactScore(judgement, tried);
      if (score > best.score) best = { worn: tried, score };
    }
  }
  return best.worn;
}

/** Pieces that the score cannot tell apart, in their order and no more of each than an answer holds. */
function alike(judgement: Judgement, pieces: readonly Piece[]): Piece[][] {
  const byLook = new Map<string, Piece[]>();
  for (const piece of pieces) {
    const look = fingerprint(judgement, piece);
    const equals = byLook.get(look);
    if (!equals) byLook.set(look, [piece]);
    else if (equals.length < MOST_ITEMS) equals.push(piece);
  }
  return [...byLook.values()];
}

/**
 * Prepares the search for shells among these garments; each base outfit is then one call.
 * @param most what no base outfit with a shell exceeds, thousandths of a clo
 */
export function shellFinder(
  model: Model,
  situation: Situation,
  garments: readonly Garment[],
  most: number,
): ShellFinder {
  const judgement = judgementOf(model, situation, 'outdoor', most);
  const { outdoor, indoor } = situation;
  const trunk = outdoor.regions.top + outdoor.regions.outerwear;
  const needClo = Math.max(0, trunk - indoor.regions.top);
  const reasons = reasonsFor(model, needClo, judgement);
  const pieces = garments.map((garment) => judgement.pieceOf(garment)).sort(byId);
  const isIn = (slot: string) => (piece: Piece) => slotsOf(model, piece.garment)[0] === slot;
  const coats = alike(judgement, pieces.filter(isIn('outer')));
  const isCold = outdoor.regions.accessory >= model.k.layering.extraClo;
  const things = isCold
    ? pieces.filter((piece) => ['head', 'neck', 'hands'].some((slot) => isIn(slot)(piece)))
    : [];
  const frame = {
    needed: reasons.length > 0,
    needClo: round(needClo, 3),
    needTotalIcl: round(Math.max(0, outdoor.iclRequired - indoor.iclRequired), 3),
    waterResistanceMin: round(judgement.shelter.torso.water, 2),
    windResistanceMin: round(judgement.shelter.torso.wind, 2),
  };
  return (base) => {
    if (!frame.needed) return { ...frame, items: [], addIds: [], reasons };
    const outside = mapWorn(base, ({ garment }) => judgement.pieceOf(garment));
    const bare = { score: exactScore(judgement, outside), worn: outside };
    const tried = coats
      .flatMap((equals) => {
        const worn = { ...outside, outer: equals[0]! };
        const score = exactScore(judgement, worn);
        return equals.map((coat) => ({ coat, worn: { ...worn, outer: coat }, score }));
      })
      .filter(({ score }) => score > bare.score)
      .sort((a, b) => b.score - a.score || byId(a.coat, b.coat));
    const best = (tried[0] ?? bare).worn;
    const added = addSmallThings(judgement, best, things);
    const known = new Set(wornItems(best));
    const isEnough = termsOf(judgement, added).thermal >= model.k.shell.enough;
    return {
      ...frame,
      needed: tried.length > 0 || !isEnough,
      items: tried.slice(0, MOST_ITEMS).map(({ coat, score }) => ({
        itemId: coat.garment.id,
        residualClo: round(needClo - coat.milli / 1000, 3),
        score: round(100 * score, 1),
      })),
      addIds: wornItems(added)
        .filter((piece) => !known.has(piece))
        .map(({ garment }) => garment.id),
      reasons: isEnough ? reasons : [...reasons, 'no-sufficient-outerwear'],
    };
  };
}

/** What an answer holds at most. */
const MOST_ITEMS = 3;
