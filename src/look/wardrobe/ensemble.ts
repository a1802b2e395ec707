import type { Model } from '../params.ts';
import type { Garment } from './garment-clo.ts';

/** Slots of the visible outfit; `main` is a top or a dress, `mid` may be a set that covers the legs. */
export const CORE_SLOTS = ['outer', 'mid', 'main', 'over', 'bottom', 'shoes'] as const;
/** Slots that add warmth and are hardly visible. */
export const EXTRA_SLOTS = ['underTop', 'underBottom', 'socks', 'head', 'neck', 'hands'] as const;
/** Slots of accessories without warmth, worn only on request: they count for looks and occasion. */
export const STYLE_SLOTS = ['belt', 'tie', 'eyes', 'bag'] as const;
/** Slots whose garments are seen: common sense judges them. */
export const SEEN_SLOTS = [...CORE_SLOTS, ...STYLE_SLOTS] as const;
export const SLOTS = [...CORE_SLOTS, ...EXTRA_SLOTS, ...STYLE_SLOTS] as const;
export type Slot = (typeof SLOTS)[number];

export type Form = 'separates' | 'one-piece';

/** Items worn together, by slot. */
export type Ensemble<T> = { readonly [S in Slot]?: T | undefined };

export function itemsOf<T>(ensemble: Ensemble<T>): T[] {
  const items: T[] = [];
  for (const slot of SLOTS) {
    const item = ensemble[slot];
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** The same slots with each item mapped. */
export function mapEnsemble<T, U>(
  ensemble: Ensemble<T>,
  transform: (item: T) => U,
): { [S in Slot]?: U } {
  const mapped: { [S in Slot]?: U } = {};
  for (const slot of SLOTS) {
    const item = ensemble[slot];
    if (item !== undefined) mapped[slot] = transform(item);
  }
  return mapped;
}

/** Whether a garment is a dress or jumpsuit: worn as `main`, without a bottom. */
export const isDress = ({ category, layer }: Garment): boolean =>
  category.region === 'dress' && layer === 'base';

/** Whether a garment is a suit or tracksuit: worn over a top as `mid`, without a bottom. */
export const isSet = ({ category, layer }: Garment): boolean =>
  category.region === 'dress' && layer !== 'base';

const BY_BODY_SLOT: Readonly<Record<string, Slot>> = {
  legs: 'underBottom',
  feet: 'socks',
  head: 'head',
  neck: 'neck',
  hands: 'hands',
  waist: 'belt',
  eyes: 'eyes',
  carry: 'bag',
};

/** Accessories that share a part of the body with warmer ones. */
const BY_CATEGORY: Readonly<Record<string, Slot>> = { tie: 'tie' };

const BY_REGION_AND_LAYER: Readonly<Record<string, Readonly<Record<string, Slot>>>> = {
  top: { underwear: 'underTop', base: 'main', mid: 'mid' },
  bottom: { underwear: 'underBottom', base: 'bottom', outer: 'over' },
  dress: { base: 'main', mid: 'mid' },
  outerwear: { mid: 'outer', outer: 'outer' },
  shoes: { footwear: 'shoes' },
};

const ALONE: Readonly<Partial<Record<Slot, Slot>>> = { mid: 'main', over: 'bottom' };

/**
 * Slots in which a garment can be worn, the preferred one first. A
 * pullover is worn over a top or as one.
 */
export function slotsOf(model: Model, garment: Garment): Slot[] {
  const { category, layer } = garment;
  if (category.region === 'accessory') {
    const slot = BY_CATEGORY[category.id] ?? BY_BODY_SLOT[category.bodySlot];
    return slot ? [slot] : [];
  }
  const slot = BY_REGION_AND_LAYER[category.region]?.[layer];
  if (!slot) return [];
  const alone = ALONE[slot];
  return alone && model.tables.layering.alone.includes(category.id) ? [slot, alone] : [slot];
}

/** Insulation of the thickest garment of every slot together, milliclo: no outfit has more. */
export function maxMilliClo(model: Model, garments: readonly Garment[]): number {
  const thickest = new Map<Slot, number>();
  for (const garment of garments) {
    for (const slot of slotsOf(model, garment))
      thickest.set(slot, Math.max(thickest.get(slot) ?? 0, garment.milliClo));
  }
  return [...thickest.values()].reduce((sum, milliClo) => sum + milliClo, 0);
}

/** Whether other pullovers are worn over a garment of the middle layer: a thin one. */
const isThin = ({ tables }: Model, { category, layer }: Garment): boolean =>
  layer === 'mid' && tables.layering.thin.includes(category.id);

/** Whether a garment is worn under any that is worn over a top. */
export const isBeneath = (model: Model, main: Garment): boolean =>
  !isDress(main) && (main.layer === 'base' || isThin(model, main));

/** Whether `mid` fits over `main`: over a base or thin pullover, over a thick one or a dress only if it opens. */
export function goesOver(model: Model, mid: Garment, main: Garment): boolean {
  if (isSet(mid)) return !isDress(main);
  if (model.tables.layering.open.includes(mid.category.id)) return true;
  return isBeneath(model, main) && !(isThin(model, mid) && isThin(model, main));
}

/**
 * Assigns garments to slots; garments without a slot are dropped.
 * @returns the ensemble, or a sentence that says why there is none
 */
export function assembleEnsemble(
  model: Model,
  garments: readonly Garment[],
): Ensemble<Garment> | string {
  const ensemble: { [S in Slot]?: Garment } = {};
  const ambiguous: { garment: Garment; preferred: Slot; alone: Slot }[] = [];
  for (const garment of garments) {
    const [preferred, alone] = slotsOf(model, garment);
    if (!preferred) continue;
    if (alone) ambiguous.push({ garment, preferred, alone });
    else if (ensemble[preferred]) return conflict(ensemble[preferred], garment);
    else ensemble[preferred] = garment;
  }
  // A thin pullover is beneath a thick one.
  ambiguous.sort((a, b) => Number(isThin(model, b.garment)) - Number(isThin(model, a.garment)));
  for (const { garment, preferred, alone } of ambiguous) {
    const slot = ensemble[alone] ? preferred : alone;
    if (ensemble[slot]) return conflict(ensemble[slot], garment);
    ensemble[slot] = garment;
  }
  return findConflict(model, ensemble) ?? ensemble;
}

const conflict = (one: Garment, other: Garment): string =>
  `\`${one.id}\` and \`${other.id}\` cannot be worn together`;

/** Why these garments are not an outfit; undefined if they are. */
function findConflict(model: Model, ensemble: Ensemble<Garment>): string | undefined {
  const { mid, main, bottom } = ensemble;
  if (!main) return 'There is no top or dress';
  const coversLegs = isDress(main) || (mid && isSet(mid));
  if (!bottom && !coversLegs) return 'There is no bottom';
  if (bottom && coversLegs) return conflict(isDress(main) ? main : (mid ?? main), bottom);
  if (mid && !goesOver(model, mid, main)) return `\`${mid.id}\` cannot be worn over \`${main.id}\``;
  return undefined;
}

/** Whether some outfit contains all of these garments. */
export function canCombine(
  model: Model,
  garments: readonly Garment[],
  ensemble: Ensemble<Garment> = {},
): boolean {
  const [first, ...rest] = garments;
  if (!first) return isConsistent(model, ensemble);
  return slotsOf(model, first).some(
    (slot) => !ensemble[slot] && canCombine(model, rest, { ...ensemble, [slot]: first }),
  );
}

/** Whether the slots filled so far can be part of one outfit. */
function isConsistent(model: Model, { mid, main, bottom, over }: Ensemble<Garment>): boolean {
  const coversLegs = (main && isDress(main)) || (mid && isSet(mid));
  if (coversLegs && (bottom || over)) return false;
  return !(mid && main) || goesOver(model, mid, main);
}

interface HasGarment {
  readonly garment: Garment;
}

/** An ensemble with a dress or a set is one piece. */
export const formOf = ({ mid, main }: Ensemble<HasGarment>): Form =>
  (main && isDress(main.garment)) || (mid && isSet(mid.garment)) ? 'one-piece' : 'separates';
