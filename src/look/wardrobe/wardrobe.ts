import type { Judgement, Piece } from '../scoring/context.ts';
import { isDress, isSet, type Slot, slotsOf } from './ensemble.ts';
import type { Garment } from './garment-clo.ts';

/** Garments that the engine cannot tell apart; one stands for all in the search. */
export interface Group {
  readonly index: number;
  readonly piece: Piece;
  /** Best to wear first: favourites, then longest unworn, then by id. */
  readonly members: readonly Garment[];
}

/** What an outfit may be made of, by where it is worn. */
export interface Wardrobe {
  readonly slots: Readonly<Record<Slot, readonly Group[]>>;
  readonly groups: readonly Group[];
  readonly groupOf: ReadonlyMap<Garment, Group>;
}

/** Why nothing, or less than all, could be offered. */
export interface Diagnostic {
  code: string;
  slot?: string;
  itemIds?: string[];
  detail: string;
}

/** Everything the score can see of a garment, as text. */
export function fingerprint({ model }: Judgement, { garment, milli, occasion, season }: Piece) {
  const { wind, water, breath, colour, patterned } = garment;
  const isOpen = model.tables.layering.open.includes(garment.category.id);
  const kind = `${slotsOf(model, garment)}|${isOpen}|${isDress(garment)}|${isSet(garment)}|${garment.layer}`;
  return `${kind}|${milli}|${wind}|${water}|${breath}|${occasion}|${season}|${colour?.hex}|${patterned}`;
}

const unworn = ({ wornDaysAgo }: Garment): number => wornDaysAgo ?? Number.MAX_SAFE_INTEGER;

/** A well-mixed 32-bit number of a text and a seed (FNV-1a). */
function shuffled(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/** Sorts equals: favourites first, then longest unworn, by seed where there is one, and by id. */
export const byTurn =
  (seed: number | undefined) =>
  (a: Garment, b: Garment): number =>
    Number(b.isFavorite) - Number(a.isFavorite) ||
    unworn(b) - unworn(a) ||
    (seed === undefined ? 0 : shuffled(a.id, seed) - shuffled(b.id, seed)) ||
    (a.id < b.id ? -1 : 1);

/** Sorts garments into slots, equal ones together; what must be worn stands for itself. */
export function wardrobeOf(
  judgement: Judgement,
  garments: readonly Garment[],
  must: ReadonlySet<string>,
  seed: number | undefined,
): Wardrobe {
  const byLook = new Map<string, Garment[]>();
  for (const garment of [...garments].sort(byTurn(seed))) {
    const look = fingerprint(judgement, judgement.pieceOf(garment));
    const key = must.has(garment.id) ? `${look}|${garment.id}` : look;
    const group = byLook.get(key);
    if (group) group.push(garment);
    else byLook.set(key, [garment]);
  }
  const groups = [...byLook.values()].map((members, index): Group => {
    const [first] = members;
    if (!first) throw new Error('A group has a member');
    return { index, piece: judgement.pieceOf(first), members };
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
  };
  for (const group of groups) {
    for (const slot of slotsOf(judgement.model, group.piece.garment)) slots[slot].push(group);
  }
  const groupOf = new Map<Garment, Group>();
  for (const group of groups) for (const garment of group.members) groupOf.set(garment, group);
  return { slots, groups, groupOf };
}
