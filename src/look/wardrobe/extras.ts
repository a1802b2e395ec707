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

/** Which combinations of extras a search tries. */
export interface ExtrasChoice {
  /** Thicknesses of each slot, evenly spread. */
  readonly thicknesses: number;
  /** Combinations with equal sums are one, represented by the first. */
  readonly isMerged: boolean;
}

/** The combinations of extras to try. */
interface Extras {
  readonly underlayers: readonly Underlayer[];
  /** In order of insulation. */
  readonly accessories: readonly Accessory[];
}

/** The choices of one slot: empty unless fixed, then a sample of the thicknesses, thin to thick. */
function choicesOf(
  slot: ExtraSlot,
  groups: readonly Group[],
  isFixed: boolean,
  { thicknesses, isMerged }: ExtrasChoice,
  milliCloOf: (item: WornItem) => number,
): Accessory[] {
  const worn: Accessory[] = groups.map(({ item }) => ({
    milliClo: milliCloOf(item),
    ensemble: { [slot]: item },
  }));
  if (isFixed) return worn;
  const ordered = isMerged ? distinct(worn) : sorted(worn);
  return [{ milliClo: 0, ensemble: {} }, ...sampleEvenly(ordered, thicknesses)];
}

const sorted = (choices: readonly Accessory[]): Accessory[] =>
  [...choices].sort((a, b) => a.milliClo - b.milliClo);

/** One choice for each sum, in order; the first of equal ones. */
function distinct(choices: readonly Accessory[]): Accessory[] {
  const bySum = new Map<number, Accessory>();
  for (const choice of choices) if (!bySum.has(choice.milliClo)) bySum.set(choice.milliClo, choice);
  return sorted([...bySum.values()]);
}

/** At most `count` elements, evenly from first to last. */
function sampleEvenly<T>(all: readonly T[], count: number): readonly T[] {
  if (all.length <= count) return all;
  return Array.from({ length: count }, (_, i) => Math.round((i * (all.length - 1)) / (count - 1)))
    .map((at) => all[at])
    .filter((one) => one !== undefined);
}

const combine = (some: readonly Accessory[], others: readonly Accessory[]): Accessory[] =>
  some.flatMap((a) =>
    others.map((b) => ({
      milliClo: a.milliClo + b.milliClo,
      ensemble: { ...a.ensemble, ...b.ensemble },
    })),
  );

/**
 * Combines the extras of a template, of the thicknesses tried. The score depends on sums alone, and
 * head, neck and hands share one sum.
 */
export function createExtras(
  context: ScoringContext,
  { extras, fixed }: Template,
  choice: ExtrasChoice,
): Extras {
  const choices = (slot: ExtraSlot) =>
    choicesOf(slot, extras[slot], fixed.has(slot), choice, (item) => item.milliClo);
  const socks = choicesOf('socks', extras.socks, fixed.has('socks'), choice, (item) =>
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
  // Of combinations that are as warm, gloves come before a hat, and a hat before a scarf.
  const pairs = combine(choices('neck'), choices('head'));
  const all = combine(choice.isMerged ? distinct(pairs) : pairs, choices('hands'));
  return { underlayers, accessories: choice.isMerged ? distinct(all) : sorted(all) };
}
