import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { isBeneath, isDress, isSet, type Slot, slotsOf } from './ensemble.ts';
import type { Garment } from './garment-clo.ts';

/** An equivalence class of garments: the score cannot tell them apart, so one represents them all. */
export interface Group {
  /** Its place in the order of preference of the representatives. */
  readonly index: number;
  /** The representative. */
  readonly item: WornItem;
  /** In order of preference: favourites, then longest unworn, then by id. */
  readonly members: readonly Garment[];
}

/** The garments to choose from, by slot. */
export interface Wardrobe {
  readonly slots: Readonly<Record<Slot, readonly Group[]>>;
  readonly groups: readonly Group[];
  readonly groupOf: ReadonlyMap<Garment, Group>;
}

/** Every property of a garment that the score depends on, as text. */
export function fingerprint(
  { model }: ScoringContext,
  { garment, milliClo, occasion, season, sense, isPaired }: WornItem,
) {
  const { wind, water, breathability, colour, patterned } = garment;
  const isOpen = model.tables.layering.open.includes(garment.category.id);
  const kind = `${slotsOf(model, garment)}|${isOpen}|${isBeneath(model, garment)}|${isDress(garment)}|${isSet(garment)}|${garment.layer}`;
  return `${kind}|${milliClo}|${wind}|${water}|${breathability}|${occasion}|${season}|${colour?.hex}|${patterned}|${sense}|${isPaired && garment.category.id}`;
}

const unworn = ({ wornDaysAgo }: Garment): number => wornDaysAgo ?? Number.MAX_SAFE_INTEGER;

/** 32-bit hash of a text and a seed (FNV-1a). */
export function seededHash(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/** Order of equal garments: favourites, then longest unworn, then by seed if there is one, then by id. */
export const byPreference =
  (seed: number | undefined) =>
  (a: Garment, b: Garment): number =>
    Number(b.isFavorite) - Number(a.isFavorite) ||
    unworn(b) - unworn(a) ||
    (seed === undefined ? 0 : seededHash(a.id, seed) - seededHash(b.id, seed)) ||
    (a.id < b.id ? -1 : 1);

/** Groups equal garments and assigns groups to slots; a required garment is a group of its own. */
export function createWardrobe(
  context: ScoringContext,
  garments: readonly Garment[],
  must: ReadonlySet<string>,
  seed: number | undefined,
): Wardrobe {
  const byFingerprint = new Map<string, Garment[]>();
  for (const garment of [...garments].sort(byPreference(seed))) {
    const print = fingerprint(context, context.toWornItem(garment));
    const key = must.has(garment.id) ? `${print}|${garment.id}` : print;
    const group = byFingerprint.get(key);
    if (group) group.push(garment);
    else byFingerprint.set(key, [garment]);
  }
  const groups = [...byFingerprint.values()].map((members, index): Group => {
    const [first] = members;
    if (!first) throw new Error('A group has a member');
    return { index, item: context.toWornItem(first), members };
  });
  const slots: Record<Slot, Group[]> = {
    outer: [],
    mid: [],
    main: [],
    over: [],
    bottom: [],
    shoes: [],
    underTop: [],
    underBottom: [],
    socks: [],
    head: [],
    neck: [],
    hands: [],
    belt: [],
    tie: [],
    eyes: [],
    bag: [],
  };
  for (const group of groups) {
    for (const slot of slotsOf(context.model, group.item.garment)) slots[slot].push(group);
  }
  const groupOf = new Map<Garment, Group>();
  for (const group of groups) for (const garment of group.members) groupOf.set(garment, group);
  return { slots, groups, groupOf };
}
