import type { Model } from '../params.ts';
import type { Garment } from './garment-clo.ts';

/** Pieces that make the look of an outfit; `main` is a top or a dress, a set is a `mid` with legs. */
export const CORE_SLOTS = ['outer', 'mid', 'main', 'over', 'bottom', 'shoes'] as const;
/** Pieces that add warmth and are hardly seen. */
export const EXTRA_SLOTS = ['underTop', 'underBottom', 'socks', 'head', 'neck', 'hands'] as const;
export const SLOTS = [...CORE_SLOTS, ...EXTRA_SLOTS] as const;
export type Slot = (typeof SLOTS)[number];

export type Form = 'separates' | 'one-piece';

/** What is worn where. */
export type Worn<T> = { readonly [S in Slot]?: T | undefined };

export function wornItems<T>(worn: Worn<T>): T[] {
  const items: T[] = [];
  for (const slot of SLOTS) {
    const item = worn[slot];
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** The same places with something else made of what is worn there. */
export function mapWorn<T, U>(worn: Worn<T>, of: (item: T) => U): { [S in Slot]?: U } {
  const made: { [S in Slot]?: U } = {};
  for (const slot of SLOTS) {
    const item = worn[slot];
    if (item !== undefined) made[slot] = of(item);
  }
  return made;
}

/** A dress or jumpsuit: worn as `main`, and no legs with it. */
export const isDress = ({ category, layer }: Garment): boolean =>
  category.region === 'dress' && layer === 'base';

/** A suit or tracksuit: worn over a top as `mid`, and is the legs too. */
export const isSet = ({ category, layer }: Garment): boolean =>
  category.region === 'dress' && layer !== 'base';

const BY_BODY_SLOT: Readonly<Record<string, Slot>> = {
  feet: 'socks',
  head: 'head',
  neck: 'neck',
  hands: 'hands',
};

const BY_REGION_AND_LAYER: Readonly<Record<string, Readonly<Record<string, Slot>>>> = {
  top: { underwear: 'underTop', base: 'main', mid: 'mid' },
  bottom: { underwear: 'underBottom', base: 'bottom', outer: 'over' },
  dress: { base: 'main', mid: 'mid' },
  outerwear: { mid: 'outer', outer: 'outer' },
  shoes: { footwear: 'shoes' },
};

const ALONE: Readonly<Partial<Record<Slot, Slot>>> = { mid: 'main', over: 'bottom' };

/**
 * Where a garment can be worn, the usual place first; none for what keeps nobody warm (belt, tie,
 * bag). A pullover is worn over a top or as one.
 */
export function slotsOf(model: Model, garment: Garment): Slot[] {
  const { category, layer, milliClo } = garment;
  if (category.region === 'accessory') {
    const slot = BY_BODY_SLOT[category.bodySlot];
    return slot && milliClo > 0 ? [slot] : [];
  }
  const slot = BY_REGION_AND_LAYER[category.region]?.[layer];
  if (!slot) return [];
  const alone = ALONE[slot];
  return alone && model.tables.layering.alone.includes(category.id) ? [slot, alone] : [slot];
}

/** What the thickest garment of every slot would add up to, thousandths of a clo. */
export function mostMilli(model: Model, garments: readonly Garment[]): number {
  const most = new Map<Slot, number>();
  for (const garment of garments) {
    for (const slot of slotsOf(model, garment))
      most.set(slot, Math.max(most.get(slot) ?? 0, garment.milliClo));
  }
  return [...most.values()].reduce((sum, milli) => sum + milli, 0);
}

/** Whether `mid` may go over `main`: over a base always, over a pullover or dress only what opens. */
export function goesOver(model: Model, mid: Garment, main: Garment): boolean {
  if (isSet(mid)) return !isDress(main);
  if (main.layer === 'base' && !isDress(main)) return true;
  return model.tables.layering.open.includes(mid.category.id);
}

/**
 * Puts garments where they are worn. What keeps nobody warm is left out.
 * @returns the outfit, or what is wrong with it as a sentence
 */
export function dress(model: Model, garments: readonly Garment[]): Worn<Garment> | string {
  const worn: { [S in Slot]?: Garment } = {};
  const ambiguous: { garment: Garment; usual: Slot; alone: Slot }[] = [];
  for (const garment of garments) {
    const [usual, alone] = slotsOf(model, garment);
    if (!usual) continue;
    if (alone) ambiguous.push({ garment, usual, alone });
    else if (worn[usual]) return twice(worn[usual], garment);
    else worn[usual] = garment;
  }
  for (const { garment, usual, alone } of ambiguous) {
    const slot = worn[alone] ? usual : alone;
    if (worn[slot]) return twice(worn[slot], garment);
    worn[slot] = garment;
  }
  return wrongIn(model, worn) ?? worn;
}

const twice = (one: Garment, other: Garment): string =>
  `\`${one.id}\` and \`${other.id}\` cannot be worn together`;

/** What keeps these from being an outfit, if anything. */
function wrongIn(model: Model, worn: Worn<Garment>): string | undefined {
  const { mid, main, bottom } = worn;
  if (!main) return 'There is no top or dress';
  const coversLegs = isDress(main) || (mid && isSet(mid));
  if (!bottom && !coversLegs) return 'There is nothing for the legs';
  if (bottom && coversLegs) return twice(isDress(main) ? main : (mid ?? main), bottom);
  if (mid && !goesOver(model, mid, main)) return `\`${mid.id}\` is not worn over \`${main.id}\``;
  return undefined;
}

type Clothed = { readonly garment: Garment };

/** A dress and a set are the legs too. */
export const formOf = ({ mid, main }: Worn<Clothed>): Form =>
  (main && isDress(main.garment)) || (mid && isSet(mid.garment)) ? 'one-piece' : 'separates';
