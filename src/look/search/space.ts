import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { maxHarmony } from '../scoring/harmony.ts';
import { regionFit } from '../scoring/score.ts';
import { costOf } from '../scoring/sense.ts';
import { type Ensemble, isSet, slotsOf } from '../wardrobe/ensemble.ts';
import { createExtras, type ExtrasChoice } from '../wardrobe/extras.ts';
import type { Template } from '../wardrobe/templates.ts';
import type { Group, Wardrobe } from '../wardrobe/wardrobe.ts';

/**
 * Order of decisions. The outermost layer comes first: it decides wind, rain and the thermal curve.
 * Overtrousers are chosen with the extras.
 */
const LEVEL_SLOTS = ['outer', 'mid', 'main', 'bottom', 'shoes'] as const;
type LevelSlot = (typeof LEVEL_SLOTS)[number];

type BodyPart = 'torso' | 'legs' | 'feet';
type Missing = { readonly water: number; readonly wind: number };

/** One decision of the search: a slot and its choices. Rows are parallel to `groups`. */
interface Level {
  readonly slot: LevelSlot;
  readonly isTorso: boolean;
  readonly groups: readonly Group[];
  /** Visible share of the outfit. */
  readonly area: number;
  /** What a choice adds to the score by itself, weighted: season, common sense, fit of the coat. */
  readonly gains: Float64Array;
  /** Upper bound of the weighted fit of legs or feet, with any overtrousers and extras. */
  readonly fits: Float64Array;
  /** Shelter that a choice leaves missing, with the best overtrousers. */
  readonly water: Float64Array;
  readonly wind: Float64Array;
}

/** What the open levels can add at most, each at its best by itself. */
interface Rest {
  readonly gain: number;
  readonly occasions: number;
  readonly water: number;
  readonly wind: number;
  readonly milliClo: Range;
  readonly top: Range;
}

/** Smallest and largest value of a sum, milliclo. */
interface Range {
  readonly low: number;
  readonly high: number;
}

/** Fit of one region by its insulation in milliclo, each point computed once. */
class FitTable {
  readonly #values: Float64Array;
  readonly #compute: (milliClo: number) => number;
  readonly #peak: number;

  constructor(context: ScoringContext, target: number) {
    this.#values = new Float64Array(context.maxMilliClo + 1);
    this.#compute = (milliClo) => regionFit(context, milliClo, target);
    this.#peak = target * 1000;
  }

  at(milliClo: number): number {
    const known = this.#values[milliClo]!;
    if (known > 0) return known;
    const value = this.#compute(milliClo);
    this.#values[milliClo] = value;
    return value;
  }

  /** The largest fit between `low` and `high`: it rises to its peak at the target and falls. */
  upperBound(low: number, high: number): number {
    return high < this.#peak ? this.at(high) : low > this.#peak ? this.at(low) : 1;
  }
}

/** A number for each two groups, computed once. */
class PairTable {
  readonly #size: number;
  readonly #compute: (a: Group, b: Group) => number;
  readonly #rows: (Float64Array | undefined)[] = [];

  constructor(size: number, compute: (a: Group, b: Group) => number) {
    this.#size = size;
    this.#compute = compute;
  }

  of(a: Group, b: Group): number {
    const row = this.#rows[a.index] ?? new Float64Array(this.#size).fill(-1);
    this.#rows[a.index] = row;
    const known = row[b.index]!;
    if (known >= 0) return known;
    const value = this.#compute(a, b);
    row[b.index] = value;
    return value;
  }
}

/** What all searches of one wardrobe share. */
export const createSearchTables = (context: ScoringContext, { groups }: Wardrobe) => ({
  harmony: new PairTable(groups.length, (a, b) => context.harmonyOf(a.item, b.item)),
  /** What common sense charges for wearing both. */
  clash: new PairTable(groups.length, ({ item: a }, { item: b }) =>
    context.sense.isInPairs(a.garment) && context.sense.isInPairs(b.garment)
      ? costOf(context.sense.brokenByPair(a.garment, b.garment))
      : 0,
  ),
  top: new FitTable(context, context.regions.top),
  dress: new FitTable(context, context.regions.dress),
  bottom: new FitTable(context, context.regions.bottom),
  outer: new FitTable(context, context.regions.outerwear),
  shoes: new FitTable(context, context.regions.shoes),
  accessory: new FitTable(context, context.regions.accessory),
});
export type SearchTables = ReturnType<typeof createSearchTables>;

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
const least = (values: Iterable<number>): number => {
  let low = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < low) low = value;
  return low;
};
const most = (values: Iterable<number>): number => {
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > high) high = value;
  return high;
};
const rangeOf = <T>(all: readonly T[], select: (one: T) => number): Range => {
  const values = all.map(select);
  return { low: least(values), high: most(values) };
};
const rangeSum = (ranges: readonly Range[]): Range => ({
  low: sum(ranges.map(({ low }) => low)),
  high: sum(ranges.map(({ high }) => high)),
});

/** Visible areas of the slots of a template, and the body parts that each slot covers. */
function layOut({ model }: ScoringContext, { core, form }: Template) {
  const { visibleArea } = model.tables;
  const isOnePiece = form === 'one-piece';
  const isSuit = isOnePiece && (core.mid?.some(({ item }) => isSet(item.garment)) ?? false);
  const outermost: LevelSlot = core.outer ? 'outer' : core.mid ? 'mid' : 'main';
  const legs: LevelSlot = isSuit ? 'mid' : isOnePiece ? 'main' : 'bottom';
  const areas: Record<LevelSlot, number> = {
    outer: visibleArea.outer,
    mid: isSuit ? visibleArea.dress : visibleArea.torso,
    main:
      isOnePiece && !isSuit
        ? visibleArea.dress
        : core.mid
          ? visibleArea.beneath
          : visibleArea.torso,
    bottom: visibleArea.legs,
    shoes: visibleArea.feet,
  };
  const covers: readonly [BodyPart, LevelSlot][] = [
    ['torso', outermost],
    ['legs', legs],
    ['feet', 'shoes'],
  ];
  return { isOnePiece, areas, covers };
}

/** Prepares one template for the search: all that is the same for all its outfits. */
export function createSpace(
  context: ScoringContext,
  template: Template,
  tables: SearchTables,
  extrasChoice: ExtrasChoice,
) {
  const { model, shelter, plan } = context;
  const { weights, protection, visibleArea } = model.tables;
  const { core, fixed } = template;
  const isOutdoor = plan === 'outdoor';
  const { underlayers, accessories } = createExtras(context, template, extrasChoice);
  const { isOnePiece, areas, covers } = layOut(context, template);
  const slots = LEVEL_SLOTS.filter((slot) => core[slot]);
  const style = template.style.map(({ item }) => item);
  const regionWeight = weights.regions / (isOutdoor ? 5 : 3);
  const seasonWeight = weights.season / (slots.length + style.length);
  const occasionWeight = weights.occasion / (slots.length + style.length);

  const shown = [...slots.map((slot) => areas[slot]), ...style.map(() => visibleArea.accessory)];
  const pairAreaOf = (all: readonly number[]): number =>
    sum(all.map((area, at) => area * sum(all.slice(at + 1))));
  const pairArea = pairAreaOf(shown);
  const pairWeight = pairArea > 0 ? weights.color / pairArea : 0;

  const overs: readonly (Group | undefined)[] = [
    ...(fixed.has('over') ? [] : [undefined]),
    ...(core.over ?? []),
  ];
  const overMilliClo = rangeOf(overs, (over) => over?.item.milliClo ?? 0);
  const under = {
    total: rangeOf(underlayers, ({ total }) => total),
    top: rangeOf(underlayers, ({ top }) => top),
    bottom: rangeOf(underlayers, ({ bottom }) => bottom),
    shoes: rangeOf(underlayers, ({ shoes }) => shoes),
    accessory: rangeOf(accessories, ({ milliClo }) => milliClo),
  };

  const missingOn = (part: BodyPart, item: WornItem | undefined): Missing => ({
    water: protection[part] * Math.max(0, shelter[part].water - (item?.garment.water ?? 0)),
    wind: protection[part] * Math.max(0, shelter[part].wind - (item?.garment.wind ?? 0)),
  });
  const missing = (slot: LevelSlot, { item }: Group, kind: keyof Missing): number =>
    sum(
      covers
        .filter(([, by]) => by === slot)
        .map(([part]) => {
          const own = missingOn(part, item)[kind];
          const ofOvers = slot === 'bottom' ? (core.over ?? []) : [];
          return least([own, ...ofOvers.map((over) => missingOn(part, over.item)[kind])]);
        }),
    );

  function createLevel(slot: LevelSlot, groups: readonly Group[]): Level {
    const area = areas[slot];
    const row = (select: (group: Group) => number) => Float64Array.from(groups, select);
    return {
      slot,
      isTorso: slot === 'outer' || slot === 'mid' || slot === 'main',
      groups,
      area,
      gains: row(({ item }) => {
        const harmonies = sum(style.map((other) => context.harmonyOf(item, other)));
        const coat =
          slot === 'outer' && isOutdoor ? regionWeight * tables.outer.at(item.milliClo) : 0;
        const looks = pairWeight * area * visibleArea.accessory * harmonies;
        return seasonWeight * item.season + looks - item.sense + coat;
      }),
      fits: row(({ item: { milliClo } }) => {
        if (slot !== 'bottom' && slot !== 'shoes') return 0;
        const { low, high } = under[slot];
        const over = slot === 'bottom' ? overMilliClo.high : 0;
        return regionWeight * tables[slot].upperBound(milliClo + low, milliClo + over + high);
      }),
      water: row((group) => missing(slot, group, 'water')),
      wind: row((group) => missing(slot, group, 'wind')),
    };
  }

  const levels = slots.map((slot) => createLevel(slot, core[slot] ?? []));
  const wettest = levels.map(
    ({ groups, slot }): Range => ({
      low: least(groups.map(({ item }) => context.wetMilliClo(item, 0))),
      high:
        most(groups.map(({ item }) => item.milliClo)) + (slot === 'bottom' ? overMilliClo.high : 0),
    }),
  );
  const tops = levels.map(({ groups, slot }) =>
    slot === 'mid' || slot === 'main'
      ? rangeOf(groups, ({ item }) => item.milliClo)
      : { low: 0, high: 0 },
  );
  const occasions = levels.map(({ groups }) => most(groups.map(({ item }) => item.occasion)));
  const restFrom = (depth: number): Rest => {
    const open = levels.slice(depth);
    const fixedArea = pairAreaOf([...shown.slice(0, depth), ...shown.slice(slots.length)]);
    const ofStyle = sum(shown.slice(slots.length)) * sum(shown.slice(depth, slots.length));
    const pairs = pairWeight * maxHarmony(model) * Math.max(0, pairArea - fixedArea - ofStyle);
    return {
      gain:
        pairs + sum(open.map(({ gains, fits }) => most(gains.map((gain, i) => gain + fits[i]!)))),
      occasions: sum(occasions.slice(depth)),
      water: sum(open.map(({ water }) => least(water))),
      wind: sum(open.map(({ wind }) => least(wind))),
      milliClo: rangeSum(wettest.slice(depth)),
      top: rangeSum(tops.slice(depth)),
    };
  };
  const bare = core.shoes ? { water: 0, wind: 0 } : missingOn('feet', undefined);
  const styleHarmony = sum(
    style.flatMap((item, at) => style.slice(at + 1).map((other) => context.harmonyOf(item, other))),
  );
  return {
    context,
    tables,
    template,
    levels,
    overs,
    underlayers,
    accessories,
    under,
    style: Object.fromEntries(
      style.map((item) => [slotsOf(model, item.garment)[0], item]),
    ) as Ensemble<WornItem>,
    isOnePiece,
    isOutdoor,
    regionWeight,
    pairWeight,
    occasionWeight,
    /** Most insulation of overtrousers, milliclo. */
    maxOver: overMilliClo.high,
    accessoryBound: isOutdoor
      ? regionWeight * tables.accessory.upperBound(under.accessory.low, under.accessory.high)
      : 0,
    bottomDepth: levels.findIndex(({ slot }) => slot === 'bottom'),
    midDepth: levels.findIndex(({ slot }) => slot === 'mid'),
    missingOn,
    rest: [...levels, undefined].map((_, depth) => restFrom(depth)),
    root: {
      curve: undefined,
      cover: 0,
      milliClo: 0,
      over: 0,
      top: 0,
      legs: 0,
      shoes: 0,
      ...bare,
      // Without any pair the colour term has the value of unknown data.
      gain:
        (pairArea > 0 ? 0 : weights.color * model.k.fit.unknown) +
        pairWeight * visibleArea.accessory ** 2 * styleHarmony +
        seasonWeight * sum(style.map(({ season }) => season)) +
        (isOutdoor && !core.outer ? regionWeight * tables.outer.at(0) : 0),
      fits: core.shoes
        ? 0
        : regionWeight * tables.shoes.upperBound(under.shoes.low, under.shoes.high),
      occasions: sum(style.map(({ occasion }) => occasion)),
      minOccasion: Math.min(1, ...occasions, ...style.map(({ occasion }) => occasion)),
    },
  };
}
export type Space = ReturnType<typeof createSpace>;
