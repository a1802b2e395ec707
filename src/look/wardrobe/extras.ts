import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { sockMilliClo } from '../scoring/score.ts';
import type { Ensemble } from './ensemble.ts';
import type { ExtraSlot, Template } from './templates.ts';
import type { Group } from './wardrobe.ts';

/** One combination of underlayers and socks: what it adds, milliclo. */
export interface Underlayer {
  readonly top: number;
  readonly bottom: number;
  readonly shoes: number;
  readonly total: number;
  readonly ensemble: Ensemble<WornItem>;
}

/** One combination of items on head, neck and hands. */
export interface Accessory {
  readonly milliClo: number;
  readonly ensemble: Ensemble<WornItem>;
}

/** Every combination of extras with a different sum. */
interface Extras {
  readonly underlayers: readonly Underlayer[];
  /** In order of insulation. */
  readonly accessories: readonly Accessory[];
}

/** The choices of one slot: empty unless fixed, then a sample of the thicknesses, thin to thick. */
function choicesOf(
  context: ScoringContext,
  slot: ExtraSlot,
  groups: readonly Group[],
  isFixed: boolean,
  milliCloOf: (item: WornItem) => number,
): Accessory[] {
  const empty: Accessory[] = isFixed ? [] : [{ milliClo: 0, ensemble: {} }];
  const worn = groups.map(({ item }) => ({
    milliClo: milliCloOf(item),
    ensemble: { [slot]: item },
  }));
  return [...empty, ...sampleEvenly(distinct(worn), context.model.k.search.thicknesses)];
}

/** One choice for each sum, in order; the first of equal ones. */
function distinct(choices: readonly Accessory[]): Accessory[] {
  const bySum = new Map<number, Accessory>();
  for (const choice of choices) if (!bySum.has(choice.milliClo)) bySum.set(choice.milliClo, choice);
  return [...bySum.values()].sort((a, b) => a.milliClo - b.milliClo);
}

/** At most `count` elements, evenly from first to last. */
function sampleEvenly<T>(all: readonly T[], count: number): readonly T[] {
  if (all.length <= count) return all;
  return Array.from({ length: count }, (_, i) => Math.round((i * (all.length - 1)) / (count - 1)))
    .map((at) => all[at])
    .filter((one) => one !== undefined);
}

const combine = (some: readonly Accessory[], others: readonly Accessory[]): Accessory[] =>
  distinct(
    some.flatMap((a) =>
      others.map((b) => ({
        milliClo: a.milliClo + b.milliClo,
        ensemble: { ...a.ensemble, ...b.ensemble },
      })),
    ),
  );

/**
 * Combines the extras of a template, of the thicknesses tried. The score depends on sums alone, so
 * combinations with equal sums are one, and head, neck and hands share one sum.
 */
export function createExtras(context: ScoringContext, { extras, fixed }: Template): Extras {
  const choices = (slot: ExtraSlot) =>
    choicesOf(context, slot, extras[slot], fixed.has(slot), (item) => item.milliClo);
  const socks = choicesOf(context, 'socks', extras.socks, fixed.has('socks'), (item) =>
    sockMilliClo(context, item),
  );
  const underlayers: Underlayer[] = [];
  for (const top of choices('underTop')) {
    for (const bottom of choices('underBottom')) {
      for (const feet of socks) {
        underlayers.push({
          top: top.milliClo,
          bottom: bottom.milliClo,
          shoes: feet.milliClo,
          total: top.milliClo + bottom.milliClo + feet.milliClo,
          ensemble: { ...top.ensemble, ...bottom.ensemble, ...feet.ensemble },
        });
      }
    }
  }
  const accessories = combine(combine(choices('head'), choices('neck')), choices('hands'));
  return { underlayers, accessories };
}
