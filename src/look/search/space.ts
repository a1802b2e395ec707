import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { maxHarmony } from '../scoring/harmony.ts';
import { type Ensemble, isSet, slotsOf } from '../wardrobe/ensemble.ts';
import { createExtras, type ExtrasChoice } from '../wardrobe/extras.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import type { SearchTables } from './tables.ts';

/**
 * Order of decisions: an outer garment comes before what it covers. The outermost on the torso decides
 * wind, rain and the thermal curve, overtrousers keep trousers dry.
 */
const LEVEL_SLOTS = ['outer', 'mid', 'main', 'over', 'bottom', 'shoes'] as const;

type BodyPart = 'torso' | 'legs' | 'feet';

/** A garment of a level, with what it adds to the score, weighted. */
export interface Choice {
  readonly group: Group;
  /** Season and common sense, harmony with required accessories, fit of a coat. */
  readonly gain: number;
  /** `gain`, with the best fit of legs or feet that it can have: at most what it adds. */
  readonly best: number;
  /** Fit for the occasion; overtrousers are not looked at. */
  readonly occasion: number;
  /** Shelter that it leaves missing. */
  readonly water: number;
  readonly wind: number;
}

/** One decision of the search: a slot and its choices, in order of `best`. */
interface Level {
  readonly slot: CoreSlot;
  readonly isTorso: boolean;
  readonly choices: readonly Choice[];
  /** Visible share of the outfit. */
  readonly area: number;
  /** Whether its garment is worn under the one of the level before. */
  readonly isUnder: boolean;
  /** What its choices can add at most while it is open. */
  readonly limits: Rest;
}

/** Smallest and largest value of a sum, milliclo. */
interface Range {
  readonly low: number;
  readonly high: number;
}

/** What the open levels can add at most, each at its best by itself. */
export interface Rest {
  readonly gain: number;
  readonly occasions: number;
  readonly water: number;
  readonly wind: number;
  readonly milliClo: Range;
  readonly top: Range;
}

const sumOf = <T>(all: readonly T[], select: (one: T) => number): number =>
  all.reduce((total, one) => total + select(one), 0);
const least = <T>(all: readonly T[], select: (one: T) => number): number =>
  all.reduce((low, one) => Math.min(low, select(one)), Number.POSITIVE_INFINITY);
const most = <T>(all: readonly T[], select: (one: T) => number): number =>
  all.reduce((high, one) => Math.max(high, select(one)), Number.NEGATIVE_INFINITY);
const rangeOf = <T>(all: readonly T[], select: (one: T) => number): Range => ({
  low: least(all, select),
  high: most(all, select),
});
const rangeSum = (ranges: readonly Range[]): Range => ({
  low: sumOf(ranges, ({ low }) => low),
  high: sumOf(ranges, ({ high }) => high),
});
const NOTHING: Range = { low: 0, high: 0 };

/** Visible areas of the slots of a template, and the body parts that each shelters. */
function layOut({ model }: ScoringContext, { core, form }: Template) {
  const { visibleArea } = model.tables;
  const isOnePiece = form === 'one-piece';
  const isSuit = isOnePiece && (core.mid?.some(({ item }) => isSet(item.garment)) ?? false);
  const isDress = isOnePiece && !isSuit;
  const areas: Readonly<Record<CoreSlot, number>> = {
    outer: visibleArea.outer,
    mid: isSuit ? visibleArea.dress : visibleArea.torso,
    main: isDress ? visibleArea.dress : core.mid ? visibleArea.beneath : visibleArea.torso,
    over: 0,
    bottom: visibleArea.legs,
    shoes: visibleArea.feet,
  };
  const torso: CoreSlot = core.outer ? 'outer' : core.mid ? 'mid' : 'main';
  const legs: CoreSlot = isSuit ? 'mid' : isDress ? 'main' : core.over ? 'over' : 'bottom';
  const covers: readonly [BodyPart, CoreSlot][] = [
    ['torso', torso],
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
  const { core } = template;
  const isOutdoor = plan === 'outdoor';
  const { underlayers, accessories } = createExtras(context, template, extrasChoice);
  const under = {
    total: rangeOf(underlayers, ({ total }) => total),
    top: rangeOf(underlayers, ({ top }) => top),
    bottom: rangeOf(underlayers, ({ bottom }) => bottom),
    shoes: rangeOf(underlayers, ({ shoes }) => shoes),
    accessory: rangeOf(accessories, ({ milliClo }) => milliClo),
  };
  const { isOnePiece, areas, covers } = layOut(context, template);
  const slots = LEVEL_SLOTS.filter((slot) => core[slot]);
  const style = template.style.map(({ item }) => item);
  const looks = slots.filter((slot) => slot !== 'over').length + style.length;
  const regionWeight = weights.regions / (isOutdoor ? 5 : 3);
  const seasonWeight = weights.season / looks;
  const occasionWeight = weights.occasion / looks;

  const shown = [...slots.map((slot) => areas[slot]), ...style.map(() => visibleArea.accessory)];
  const areaOf = (all: readonly number[]): number => sumOf(all, (area) => area);
  const pairArea = (all: readonly number[]): number =>
    (areaOf(all) ** 2 - sumOf(all, (area) => area ** 2)) / 2;
  const allPairs = pairArea(shown);
  const pairWeight = allPairs > 0 ? weights.color / allPairs : 0;

  const missingOn = (parts: readonly BodyPart[], kind: 'water' | 'wind', item?: WornItem) =>
    sumOf(parts, (part) => {
      const missing = shelter[part][kind] - (item?.garment[kind] ?? 0);
      return protection[part] * Math.max(0, missing);
    });
  const overs = rangeOf(core.over ?? [], ({ item }) => item.milliClo);
  const beside = {
    shoes: under.shoes,
    bottom: core.over ? rangeSum([overs, under.bottom]) : under.bottom,
  };

  function createChoice(slot: CoreSlot, parts: readonly BodyPart[], group: Group): Choice {
    const { item } = group;
    const { milliClo } = item;
    const isSeen = slot !== 'over';
    const coat =
      slot === 'outer' && isOutdoor ? regionWeight * tables.fits.outerwear.at(milliClo) : 0;
    const harmonies = sumOf(style, (other) => context.harmonyOf(item, other));
    const gain =
      (isSeen ? seasonWeight * item.season : 0) +
      pairWeight * areas[slot] * visibleArea.accessory * harmonies -
      item.sense -
      sumOf(template.style, (other) => tables.clash(group, other)) +
      coat;
    const fit =
      slot === 'bottom' || slot === 'shoes'
        ? tables.fits[slot].upperBound(milliClo + beside[slot].low, milliClo + beside[slot].high)
        : 0;
    return {
      group,
      gain,
      best: gain + regionWeight * fit,
      occasion: isSeen ? item.occasion : 0,
      water: missingOn(parts, 'water', item),
      wind: missingOn(parts, 'wind', item),
    };
  }

  const levels = slots.map((slot): Level => {
    const parts = covers.filter(([, by]) => by === slot).map(([part]) => part);
    const choices = (core[slot] ?? [])
      .map((group) => createChoice(slot, parts, group))
      .sort((a, b) => b.best - a.best || a.group.index - b.group.index);
    const dry = rangeOf(choices, ({ group }) => group.item.milliClo);
    return {
      slot,
      isTorso: slot === 'outer' || slot === 'mid' || slot === 'main',
      choices,
      area: areas[slot],
      isUnder: slot === 'main' ? core.mid !== undefined : slot === 'bottom' && !!core.over,
      limits: {
        gain: choices[0]!.best,
        occasions: most(choices, ({ occasion }) => occasion),
        water: least(choices, ({ water }) => water),
        wind: least(choices, ({ wind }) => wind),
        milliClo: {
          low: least(choices, ({ group }) => context.wetMilliClo(group.item, 0)),
          high: dry.high,
        },
        top: slot === 'mid' || slot === 'main' ? dry : NOTHING,
      },
    };
  });
  const seen = levels.filter(({ slot }) => slot !== 'over');
  const restOf = (isOpen: (depth: number) => boolean): Rest => {
    const open = levels.filter((_, depth) => isOpen(depth)).map(({ limits }) => limits);
    // Required accessories are worn from the first level on, and each choice counts its harmony with them.
    const styles = shown.slice(slots.length);
    const next = shown.filter((_, at) => at < slots.length && isOpen(at));
    const made = shown.filter((_, at) => at >= slots.length || !isOpen(at));
    const pairs = Math.max(0, allPairs - pairArea(made) - areaOf(styles) * areaOf(next));
    return {
      gain: pairWeight * maxHarmony(model) * pairs + sumOf(open, ({ gain }) => gain),
      occasions: sumOf(open, ({ occasions }) => occasions),
      water: sumOf(open, ({ water }) => water),
      wind: sumOf(open, ({ wind }) => wind),
      milliClo: rangeSum(open.map(({ milliClo }) => milliClo)),
      top: rangeSum(open.map(({ top }) => top)),
    };
  };
  const ofStyles = sumOf(style, (item) => sumOf(style, (other) => context.harmonyOf(item, other)));
  const ofSelves = sumOf(style, (item) => context.harmonyOf(item, item));
  return {
    context,
    tables,
    levels,
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
    accessoryBound: isOutdoor
      ? regionWeight * tables.fits.accessory.upperBound(under.accessory.low, under.accessory.high)
      : 0,
    /** With the levels from each depth on open; the last is of whole outfits. */
    rest: [...levels, undefined].map((_, from) => restOf((depth) => depth >= from)),
    /** With one level open. */
    alone: levels.map((_, only) => restOf((depth) => depth === only)),
    root: {
      curve: undefined,
      torsoCover: 0,
      legCover: 0,
      milliClo: 0,
      top: 0,
      legs: 0,
      shoes: 0,
      // Without any pair the colour term has the value of unknown data.
      gain:
        (allPairs > 0 ? 0 : weights.color * model.k.fit.unknown) +
        (pairWeight * visibleArea.accessory ** 2 * (ofStyles - ofSelves)) / 2 +
        seasonWeight * sumOf(style, ({ season }) => season) +
        (isOutdoor && !core.outer ? regionWeight * tables.fits.outerwear.at(0) : 0),
      fits: core.shoes
        ? 0
        : regionWeight * tables.fits.shoes.upperBound(under.shoes.low, under.shoes.high),
      occasions: sumOf(style, ({ occasion }) => occasion),
      leastOccasion: Math.min(
        least(style, ({ occasion }) => occasion),
        least(seen, ({ limits }) => limits.occasions),
      ),
      water: core.shoes ? 0 : missingOn(['feet'], 'water'),
      wind: core.shoes ? 0 : missingOn(['feet'], 'wind'),
    },
  };
}
export type Space = ReturnType<typeof createSpace>;
