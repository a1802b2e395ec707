import type { Judgement } from '../scoring/context.ts';
import {
  CORE_SLOTS,
  EXTRA_SLOTS,
  type Form,
  goesOver,
  isDress,
  isSet,
  type Slot,
  slotsOf,
} from './ensemble.ts';
import type { Group, Wardrobe } from './wardrobe.ts';

export type CoreSlot = (typeof CORE_SLOTS)[number];
export type ExtraSlot = (typeof EXTRA_SLOTS)[number];

/** One way to be dressed: which slots are filled, and with what to choose from. */
export interface Template {
  readonly form: Form;
  /** Every group of a core slot is a choice; slots that stay empty are absent. `over` may stay empty. */
  readonly core: { readonly [S in CoreSlot]?: readonly Group[] };
  /** May stay empty, all of them, but those that must be worn. */
  readonly extras: Readonly<Record<ExtraSlot, readonly Group[]>>;
  /** Slots whose choice is fixed by what must be worn. */
  readonly fixed: ReadonlySet<Slot>;
}

/** Slots that the day gives reason to think of. Nobody wears long underwear at 19 degC. */
export function openSlots(judgement: Judgement): ReadonlySet<Slot> {
  const { model, plan, regions, shelter, situation } = judgement;
  const { layering, rain } = model.k;
  const isOut = plan === 'outdoor';
  const { iclRequired } = isOut ? situation.outdoor : situation.indoor;
  const isCold = iclRequired >= layering.underClo;
  const soaks = shelter.legs.water >= rain.overLegs;
  const wishes: readonly [Slot, boolean][] = [
    ['outer', isOut],
    ['mid', true],
    ['main', true],
    ['over', isOut && (soaks || regions.bottom >= layering.overClo)],
    ['bottom', true],
    ['shoes', true],
    ['underTop', isCold],
    ['underBottom', isCold],
    ['socks', regions.shoes >= layering.socksClo],
    ['head', isOut && regions.accessory >= layering.extraClo],
    ['neck', isOut && regions.accessory >= layering.extraClo],
    ['hands', isOut && regions.accessory >= layering.extraClo],
  ];
  return new Set(wishes.filter(([, open]) => open).map(([slot]) => slot));
}

type Fixed = ReadonlyMap<Slot, Group>;

/** Every way to put on what must be worn; none where two would need one place. */
function placements(judgement: Judgement, must: readonly Group[]): Fixed[] {
  return must.reduce<Map<Slot, Group>[]>(
    (ways, group) =>
      ways.flatMap((way) =>
        slotsOf(judgement.model, group.piece.garment)
          .filter((slot) => !way.has(slot))
          .map((slot) => new Map(way).set(slot, group)),
      ),
    [new Map()],
  );
}

type Kind = 'separates' | 'dress' | 'set';

/** Which core slots each kind of outfit fills; the middle layer and the outermost are a choice. */
const KINDS: Readonly<Record<Kind, readonly CoreSlot[]>> = {
  separates: ['main', 'bottom'],
  dress: ['main'],
  set: ['mid', 'main'],
};

function choices(
  judgement: Judgement,
  wardrobe: Wardrobe,
  kind: Kind,
  slot: CoreSlot,
): readonly Group[] {
  const groups = wardrobe.slots[slot];
  const garmentOf = ({ piece }: Group) => piece.garment;
  if (slot === 'main') return groups.filter((g) => isDress(garmentOf(g)) === (kind === 'dress'));
  if (slot === 'mid') return groups.filter((g) => isSet(garmentOf(g)) === (kind === 'set'));
  if (slot === 'bottom' && judgement.plan === 'indoor') {
    return groups.filter((g) => garmentOf(g).layer !== 'outer');
  }
  return groups;
}

/** The ways to be dressed from a wardrobe on a day, each with at least one choice in every slot. */
export function templatesOf(
  judgement: Judgement,
  wardrobe: Wardrobe,
  must: readonly Group[],
): Template[] {
  const open = openSlots(judgement);
  const hasShoes = wardrobe.slots.shoes.length > 0;
  const needsOuter =
    judgement.plan === 'outdoor' &&
    judgement.regions.outerwear > judgement.model.k.layering.outerClo &&
    wardrobe.slots.outer.length > 0;
  const templates: Template[] = [];
  for (const fixed of placements(judgement, must)) {
    const choose = (kind: Kind, slot: CoreSlot): readonly Group[] => {
      const only = fixed.get(slot);
      const all = choices(judgement, wardrobe, kind, slot);
      return only ? all.filter((group) => group === only) : all.filter((g) => !must.includes(g));
    };
    const extra = (slot: ExtraSlot): readonly Group[] => {
      const only = fixed.get(slot);
      if (only) return [only];
      return open.has(slot) ? wardrobe.slots[slot].filter((g) => !must.includes(g)) : [];
    };
    for (const kind of ['separates', 'dress', 'set'] as const) {
      for (const withMid of kind === 'set' ? [false] : [false, true]) {
        for (const withOuter of [false, true]) {
          if (withOuter ? !open.has('outer') && !fixed.has('outer') : needsOuter) continue;
          const slots: CoreSlot[] = [
            ...(withOuter ? (['outer'] as const) : []),
            ...(withMid ? (['mid'] as const) : []),
            ...KINDS[kind],
            ...(hasShoes ? (['shoes'] as const) : []),
          ];
          const over =
            kind === 'separates' && (open.has('over') || fixed.has('over'))
              ? choose(kind, 'over')
              : [];
          const core: { [S in CoreSlot]?: readonly Group[] } = {};
          for (const slot of slots) core[slot] = choose(kind, slot);
          if (over.length > 0) core.over = over;
          if (slots.some((slot) => core[slot]?.length === 0)) continue;
          if ([...fixed.keys()].some((slot) => isCore(slot) && !core[slot])) continue;
          templates.push({
            form: kind === 'separates' ? 'separates' : 'one-piece',
            core,
            extras: {
              underTop: extra('underTop'),
              underBottom: extra('underBottom'),
              socks: extra('socks'),
              head: extra('head'),
              neck: extra('neck'),
              hands: extra('hands'),
            },
            fixed: new Set(fixed.keys()),
          });
        }
      }
    }
  }
  return templates;
}

const isCore = (slot: Slot): slot is CoreSlot => CORE_SLOTS.some((core) => core === slot);

/** How many outfits a template stands for, every single garment counted. */
export function countOf(judgement: Judgement, { core, extras, fixed }: Template): bigint {
  const { outer, mid, main = [], over = [], bottom, shoes } = core;
  const torso = mid ? torsoCount(judgement, mid, main) : count(1, main);
  const bare = fixed.has('over') ? 0n : 1n;
  const legs = bottom
    ? sumOf(bottom, (group) => {
        const ways =
          bare +
          count(
            1,
            over.filter((above) => above !== group),
          );
        return BigInt(group.members.length) * ways;
      })
    : 1n;
  const plain = [outer, shoes].map((groups) => (groups ? count(1, groups) : 1n));
  const loose = EXTRA_SLOTS.map((slot) => count(1, extras[slot]) + (fixed.has(slot) ? 0n : 1n));
  return [torso, legs, ...plain, ...loose].reduce((product, ways) => product * ways, 1n);
}

/** Pairs of a middle layer and what goes under it: counted by kind, as any of a kind goes alike. */
function torsoCount({ model }: Judgement, mid: readonly Group[], main: readonly Group[]): bigint {
  const kindOf = ({ piece: { garment } }: Group): string =>
    `${garment.layer === 'base'}${isDress(garment)}`;
  const kinds = new Map<string, { example: Group; garments: bigint }>();
  for (const group of main) {
    const { example, garments } = kinds.get(kindOf(group)) ?? { example: group, garments: 0n };
    kinds.set(kindOf(group), { example, garments: garments + BigInt(group.members.length) });
  }
  return sumOf(mid, (above) => {
    const members = BigInt(above.members.length);
    const beneath = [...kinds.values()].reduce((sum, { example, garments }) => {
      const goes = goesOver(model, above.piece.garment, example.piece.garment);
      return goes ? sum + garments : sum;
    }, 0n);
    const isBoth =
      main.includes(above) && goesOver(model, above.piece.garment, above.piece.garment);
    return members * (isBoth ? beneath - members : beneath);
  });
}

/** Whether a garment of `main` may be worn under one of `mid`. */
export const isUnder = ({ model }: Judgement, mid: Group, main: Group): boolean =>
  mid !== main && goesOver(model, mid.piece.garment, main.piece.garment);

const sumOf = (groups: readonly Group[], of: (group: Group) => bigint): bigint =>
  groups.reduce((sum, group) => sum + of(group), 0n);

const count = (times: number, groups: readonly Group[]): bigint =>
  BigInt(times) * sumOf(groups, ({ members }) => BigInt(members.length));
