import type { ScoringContext } from '../scoring/context.ts';
import type { Coverage } from '../tables.ts';
import {
  type Demands,
  demandsOf,
  handsAndHead,
  isListed,
  isTights,
  needsExtras,
} from './demands.ts';
import {
  CORE_SLOTS,
  EXTRA_SLOTS,
  type Form,
  goesOver,
  isBeneath,
  isDress,
  isSet,
  type Slot,
  STYLE_SLOTS,
  slotsOf,
} from './ensemble.ts';
import type { Group, Wardrobe } from './wardrobe.ts';

export type CoreSlot = (typeof CORE_SLOTS)[number];
export type ExtraSlot = (typeof EXTRA_SLOTS)[number];

/** One kind of outfit: the slots it fills, with the choices of each. */
export interface Template {
  readonly form: Form;
  /** Choices of each slot, one of which is worn; slots that stay empty are absent. */
  readonly core: { readonly [S in CoreSlot]?: readonly Group[] };
  /** Choices of the extras; each may stay empty unless it is fixed. */
  readonly extras: Readonly<Record<ExtraSlot, readonly Group[]>>;
  /** Accessories without warmth: those required, and a tie. */
  readonly style: readonly Group[];
  /** Slots taken by required garments. */
  readonly fixed: ReadonlySet<Slot>;
}

/** Slots to consider on this day: no long underwear at 19 °C. */
export function relevantSlots(context: ScoringContext): ReadonlySet<Slot> {
  const { model, plan, regions, shelter, situation } = context;
  const { layering, rain } = model.k;
  const { hat } = handsAndHead(context);
  const isOut = plan === 'outdoor';
  const { iclRequired } = isOut ? situation.outdoor : situation.indoor;
  const isCold =
    iclRequired >= layering.underClo || (isOut && situation.windChillC < layering.hatC);
  const isChilly = needsExtras(context);
  const isSoaking = shelter.legs.water >= rain.overLegs;
  const slots: readonly [Slot, boolean][] = [
    ['outer', isOut],
    ['mid', true],
    ['main', true],
    ['over', isOut && (isSoaking || regions.bottom >= layering.overClo)],
    ['bottom', true],
    ['shoes', true],
    ['underTop', isCold],
    ['underBottom', isCold],
    ['socks', true],
    ['head', isOut && (isChilly || hat)],
    ['neck', isOut && isChilly],
    ['hands', isOut && isChilly],
  ];
  return new Set(slots.filter(([, isRelevant]) => isRelevant).map(([slot]) => slot));
}

type Fixed = ReadonlyMap<Slot, Group>;

/** Every assignment of the required groups to slots; none if two need the same slot. */
function placements(context: ScoringContext, required: readonly Group[]): Fixed[] {
  return required.reduce<Map<Slot, Group>[]>(
    (placed, group) =>
      placed.flatMap((fixed) =>
        slotsOf(context.model, group.item.garment)
          .filter((slot) => !fixed.has(slot))
          .map((slot) => new Map(fixed).set(slot, group)),
      ),
    [new Map()],
  );
}

type Kind = 'separates' | 'dress' | 'set';

/** Core slots of each kind of outfit; a middle and an outer layer may be added. */
const KINDS: Readonly<Record<Kind, readonly CoreSlot[]>> = {
  separates: ['main', 'bottom'],
  dress: ['main'],
  set: ['mid', 'main'],
};

function choices(
  context: ScoringContext,
  wardrobe: Wardrobe,
  kind: Kind,
  slot: CoreSlot,
): readonly Group[] {
  const groups = wardrobe.slots[slot];
  const garmentOf = ({ item }: Group) => item.garment;
  if (slot === 'main') return groups.filter((g) => isDress(garmentOf(g)) === (kind === 'dress'));
  if (slot === 'mid') return groups.filter((g) => isSet(garmentOf(g)) === (kind === 'set'));
  if (slot === 'bottom' && context.plan === 'indoor') {
    return groups.filter((g) => garmentOf(g).layer !== 'outer');
  }
  return groups;
}

/** Which garment covers the arms: the top, or what is over it. */
type ArmCover = 'main' | 'mid' | undefined;

/** Whether a choice of a slot keeps what must be covered so. */
function isCovering(
  { model }: ScoringContext,
  coverage: ReadonlySet<Coverage>,
  arms: ArmCover,
  slot: CoreSlot,
  { item: { garment } }: Group,
): boolean {
  const { bareArms, bareLegs, bareMidriff } = model.tables.coverage;
  const { id } = garment.category;
  const isOnLegs = slot === 'bottom' || (slot === 'main' && isDress(garment));
  if (coverage.has('legs') && isOnLegs && bareLegs.includes(id)) return false;
  if (coverage.has('midriff') && slot === 'main' && bareMidriff.includes(id)) return false;
  if (slot === 'main' && arms === 'main') return !bareArms.includes(id);
  if (slot === 'mid' && arms) return bareArms.includes(id) === (arms === 'main');
  return true;
}

/** The ways in which a kind of outfit can cover the arms; each is a template of its own. */
function armCovers(needsArms: boolean, kind: Kind, withMid: boolean): ArmCover[] {
  if (!needsArms || kind === 'set') return [undefined];
  return withMid ? ['mid', 'main'] : ['main'];
}

/** The templates that a wardrobe can fill on this day, each with at least one choice in every slot. */
export function createTemplates(
  context: ScoringContext,
  wardrobe: Wardrobe,
  required: readonly Group[],
  coverage: ReadonlySet<Coverage> = new Set(),
): Template[] {
  const demands = demandsOf(context, wardrobe, required);
  const asked = templatesFor(context, wardrobe, required, coverage, demands);
  if (!(demands.sleeves || demands.jacket || demands.over.length > 0)) return asked;
  // What it takes may not go together, such as a pullover over a dress: then it is not asked for.
  if (asked.some((template) => countOutfits(context, template) > 0n)) return asked;
  return templatesFor(context, wardrobe, required, coverage, {
    ...demands,
    sleeves: false,
    jacket: false,
    ties: [],
    over: [],
  });
}

function templatesFor(
  context: ScoringContext,
  wardrobe: Wardrobe,
  required: readonly Group[],
  coverage: ReadonlySet<Coverage>,
  demands: Demands,
): Template[] {
  const relevant = relevantSlots(context);
  const hasShoes = wardrobe.slots.shoes.length > 0;
  const asksForCoat = demands.outer.length > 0;
  const asksForOver = demands.over.length > 0;
  const templates: Template[] = [];
  for (const placed of placements(context, required)) {
    const covered = coverHead(context, wardrobe, placed, coverage);
    if (!covered) continue;
    const { fixed, headwear } = covered;
    const choose = ({ kind, arms, isSkirt, hasTie }: Variant, slot: CoreSlot): readonly Group[] => {
      const only = fixed.get(slot);
      return choices(context, wardrobe, kind, slot).filter(
        (group) =>
          (only ? group === only : !required.includes(group)) &&
          isCovering(context, coverage, arms, slot, group) &&
          (isSkirt === undefined ||
            slot !== LEG_SLOTS[kind] ||
            isListed(context.model, 'skirts', group) === isSkirt) &&
          (hasTie === undefined ||
            slot !== 'main' ||
            isListed(context.model, 'tieShirts', group) === hasTie) &&
          (slot !== 'outer' || only || !asksForCoat || demands.outer.includes(group)) &&
          (slot !== 'over' || only || !asksForOver || demands.over.includes(group)) &&
          (slot !== 'mid' ||
            !demands.jacket ||
            kind !== 'separates' ||
            isListed(context.model, 'jackets', group)),
      );
    };
    const extra = (slot: ExtraSlot): readonly Group[] => {
      const only = fixed.get(slot);
      if (only) return [only];
      if (headwear.slot === slot) return headwear.groups;
      return relevant.has(slot) ? wardrobe.slots[slot].filter((g) => !required.includes(g)) : [];
    };
    const socks = extra('socks');
    // Tights are for skirts, long underwear is for the rest.
    const underLegs = fixed.has('underBottom') ? [] : [...demands.tights, ...extra('underBottom')];
    const hands = extra('hands');
    const isScarved = coverage.has('head') && headwear.slot !== 'head' && !fixed.has('head');
    const head = extra('head').filter(
      (group) => !isScarved || isListed(context.model, 'overScarf', group),
    );
    for (const variant of variantsOf(
      ({ withOuter }) => coverage.has('arms') || (demands.sleeves && !withOuter),
      hasShoes && socks.length > 0 && !fixed.has('socks'),
      underLegs.length > 0,
      demands.ties.length > 0 && !fixed.has('tie'),
    )) {
      const { kind, withMid, withOuter, withOver, isSockless, isSkirt, hasTie } = variant;
      if (withOuter ? !relevant.has('outer') && !fixed.has('outer') : asksForCoat) continue;
      if (demands.jacket && kind === 'separates' && !withMid) continue;
      if (withOver && !relevant.has('over') && !fixed.has('over')) continue;
      if (!withOver && asksForOver && kind === 'separates' && !fixed.has('bottom')) continue;
      const slots: CoreSlot[] = [
        ...(withOuter ? (['outer'] as const) : []),
        ...(withMid ? (['mid'] as const) : []),
        ...(withOver ? (['over'] as const) : []),
        ...KINDS[kind],
        ...(hasShoes ? (['shoes'] as const) : []),
      ];
      const core: { [S in CoreSlot]?: readonly Group[] } = {};
      for (const slot of slots) core[slot] = choose(variant, slot);
      if (isSockless !== undefined && core.shoes)
        core.shoes = core.shoes.filter(
          (group) => isListed(context.model, 'sockless', group) === isSockless,
        );
      if (slots.some((slot) => core[slot]?.length === 0)) continue;
      if ([...fixed.keys()].some((slot) => isCore(slot) && !core[slot])) continue;
      const isFixed = new Set(fixed.keys());
      if (headwear.slot) isFixed.add(headwear.slot);
      if (!isSockless && socks.length > 0) isFixed.add('socks');
      if (isSkirt && demands.tights.length > 0) isFixed.add('underBottom');
      if (demands.gloves && hands.length > 0) isFixed.add('hands');
      if (demands.hat && head.length > 0 && !isScarved) isFixed.add('head');
      const style = STYLE_SLOTS.flatMap((slot) => fixed.get(slot) ?? []);
      const template: Template = {
        form: kind === 'separates' ? 'separates' : 'one-piece',
        core,
        extras: {
          underTop: extra('underTop'),
          underBottom: fixed.has('underBottom')
            ? extra('underBottom')
            : isSkirt
              ? demands.tights
              : underLegs.filter((group) => !isTights(group)),
          socks: isSockless ? [] : socks,
          head,
          neck: extra('neck'),
          hands,
        },
        style,
        fixed: isFixed,
      };
      if (!hasTie) templates.push(template);
      else for (const tie of demands.ties) templates.push({ ...template, style: [...style, tie] });
    }
  }
  return templates;
}

/** One way to fill a template. */
interface Variant {
  readonly kind: Kind;
  readonly withMid: boolean;
  readonly withOuter: boolean;
  readonly withOver: boolean;
  readonly arms: ArmCover;
  /** Whether its shoes are worn without thick socks; undefined if there are none to wear. */
  readonly isSockless: boolean | undefined;
  /** Whether the legs are in a skirt or dress; undefined if nothing is worn beneath, or if it is a suit. */
  readonly isSkirt: boolean | undefined;
  /** Whether a tie is worn; undefined if none may be. */
  readonly hasTie: boolean | undefined;
}

function* variantsOf(
  needsArms: (one: Pick<Variant, 'withOuter'>) => boolean,
  hasSocks: boolean,
  hasUnderLegs: boolean,
  hasTies: boolean,
): Generator<Variant> {
  for (const kind of ['separates', 'dress', 'set'] as const)
    for (const withMid of kind === 'set' ? [false] : [false, true])
      for (const withOuter of [false, true])
        for (const withOver of kind === 'separates' ? [false, true] : [false])
          for (const arms of armCovers(needsArms({ withOuter }), kind, withMid))
            for (const isSockless of hasSocks ? [false, true] : [undefined])
              for (const isSkirt of hasUnderLegs && kind !== 'set' ? [false, true] : [undefined])
                for (const hasTie of hasTies && (withMid || kind === 'set')
                  ? [false, true]
                  : [undefined])
                  yield { kind, withMid, withOuter, withOver, arms, isSockless, isSkirt, hasTie };
}

/** The slot of what is on the legs. */
const LEG_SLOTS: Readonly<Record<Kind, CoreSlot>> = {
  separates: 'bottom',
  dress: 'main',
  set: 'mid',
};

/**
 * What covers the head if it must be: a required garment, else any scarf, which covers the hair,
 * else any hat.
 * @returns undefined if nothing can
 */
function coverHead(
  { model }: ScoringContext,
  { slots }: Wardrobe,
  fixed: Fixed,
  coverage: ReadonlySet<Coverage>,
) {
  const covers = ({ item }: Group) => model.tables.coverage.head.includes(item.garment.category.id);
  const none = { slot: undefined, groups: [] };
  if (!coverage.has('head')) return { fixed, headwear: none };
  if ([...fixed.values()].some(covers)) return { fixed, headwear: none };
  for (const slot of ['neck', 'head'] as const) {
    const groups = slots[slot].filter(covers);
    if (groups.length > 0 && !fixed.has(slot)) return { fixed, headwear: { slot, groups } };
  }
  return undefined;
}

const isCore = (slot: Slot): slot is CoreSlot => CORE_SLOTS.some((core) => core === slot);

/** Number of outfits of a template, counting every garment. */
export function countOutfits(context: ScoringContext, { core, extras, fixed }: Template): bigint {
  const { outer, mid, main = [], over, bottom, shoes } = core;
  const torso = mid ? torsoCount(context, mid, main) : countGarments(main);
  const legs = over && bottom ? legsCount(bottom, over) : 1n;
  const others = [outer, over ? undefined : bottom, shoes].map((groups) =>
    groups ? countGarments(groups) : 1n,
  );
  const extra = EXTRA_SLOTS.map(
    (slot) => countGarments(extras[slot]) + (fixed.has(slot) ? 0n : 1n),
  );
  return [torso, legs, ...others, ...extra].reduce((product, choices) => product * choices, 1n);
}

/** Number of trousers under overtrousers. Two that go over each other either way are one. */
function legsCount(bottom: readonly Group[], over: readonly Group[]): bigint {
  const either = over.filter((group) => bottom.includes(group));
  const pairs = sumOf(bottom, (group) => {
    const overtrousers = over.filter((above) => above !== group);
    return BigInt(group.members.length) * countGarments(overtrousers);
  });
  const swapped = sumOf(either, (group) => {
    const later = either.slice(either.indexOf(group) + 1);
    return BigInt(group.members.length) * countGarments(later);
  });
  return pairs - swapped;
}

/** Number of pairs of a middle layer and a garment under it, counted by kind: all of a kind fit alike. */
function torsoCount(
  { model }: ScoringContext,
  mid: readonly Group[],
  main: readonly Group[],
): bigint {
  const kindOf = ({ item: { garment } }: Group): string =>
    `${isBeneath(model, garment)}${garment.layer === 'base'}${isDress(garment)}`;
  const kinds = new Map<string, { example: Group; garments: bigint }>();
  for (const group of main) {
    const { example, garments } = kinds.get(kindOf(group)) ?? { example: group, garments: 0n };
    kinds.set(kindOf(group), { example, garments: garments + BigInt(group.members.length) });
  }
  return sumOf(mid, (above) => {
    const members = BigInt(above.members.length);
    const beneath = [...kinds.values()].reduce((sum, { example, garments }) => {
      const fits = goesOver(model, above.item.garment, example.item.garment);
      return fits ? sum + garments : sum;
    }, 0n);
    const isBoth = main.includes(above) && goesOver(model, above.item.garment, above.item.garment);
    return members * (isBoth ? beneath - members : beneath);
  });
}

/** Whether a garment can be worn in `inner` under one in the slot before: a top, or trousers. */
export const isUnder = (
  { model }: ScoringContext,
  inner: CoreSlot,
  above: Group,
  under: Group,
): boolean =>
  above !== under &&
  (inner === 'bottom' || goesOver(model, above.item.garment, under.item.garment));

const sumOf = (groups: readonly Group[], select: (group: Group) => bigint): bigint =>
  groups.reduce((sum, group) => sum + select(group), 0n);

const countGarments = (groups: readonly Group[]): bigint =>
  sumOf(groups, ({ members }) => BigInt(members.length));
