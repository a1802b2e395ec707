import type { Judgement, Piece } from '../scoring/context.ts';
import { sockMilli } from '../scoring/score.ts';
import type { Worn } from './ensemble.ts';
import type { ExtraSlot, Template } from './templates.ts';
import type { Group } from './wardrobe.ts';

/** One way to wear the small things under the rest: what it adds, in thousandths of a clo. */
export interface Under {
  readonly top: number;
  readonly bottom: number;
  readonly shoes: number;
  readonly total: number;
  readonly worn: Worn<Piece>;
}

/** One way to wear something on head, neck and hands. */
export interface Accessory {
  readonly milli: number;
  readonly worn: Worn<Piece>;
}

/** The small things that keep warm and are hardly seen, in every way that makes a difference. */
export interface Extras {
  readonly unders: readonly Under[];
  /** Least first. */
  readonly accessories: readonly Accessory[];
}

type Choice = { readonly milli: number; readonly worn: Worn<Piece> };

/** Some choices of one slot that differ in what they add, thin to thick. */
function choicesOf(
  judgement: Judgement,
  slot: ExtraSlot,
  groups: readonly Group[],
  isFixed: boolean,
  milliOf: (piece: Piece) => number,
): Choice[] {
  const bare: Choice[] = isFixed ? [] : [{ milli: 0, worn: {} }];
  const each = groups.map(({ piece }) => ({ milli: milliOf(piece), worn: { [slot]: piece } }));
  return [...bare, ...spread(distinct(each), judgement.model.k.search.thicknesses)];
}

/** One choice for each sum, least first; the first of equals stands for all. */
function distinct(choices: readonly Choice[]): Choice[] {
  const bySum = new Map<number, Choice>();
  for (const choice of choices) if (!bySum.has(choice.milli)) bySum.set(choice.milli, choice);
  return [...bySum.values()].sort((a, b) => a.milli - b.milli);
}

/** At most so many, evenly from first to last. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => Math.round((i * (all.length - 1)) / (most - 1)))
    .map((at) => all[at])
    .filter((one) => one !== undefined);
}

const together = (some: readonly Choice[], others: readonly Choice[]): Choice[] =>
  distinct(
    some.flatMap((a) =>
      others.map((b) => ({ milli: a.milli + b.milli, worn: { ...a.worn, ...b.worn } })),
    ),
  );

/**
 * Every sum that a template's extras can add, of the thicknesses that are tried. Only sums matter
 * to the score, so that ways with equal sums are one, and head, neck and hands are one sum.
 */
export function extrasOf(judgement: Judgement, { extras, fixed }: Template): Extras {
  const plain = (slot: ExtraSlot) =>
    choicesOf(judgement, slot, extras[slot], fixed.has(slot), (piece) => piece.milli);
  const socks = choicesOf(judgement, 'socks', extras.socks, fixed.has('socks'), (piece) =>
    sockMilli(judgement, piece),
  );
  const unders: Under[] = [];
  for (const top of plain('underTop')) {
    for (const bottom of plain('underBottom')) {
      for (const feet of socks) {
        unders.push({
          top: top.milli,
          bottom: bottom.milli,
          shoes: feet.milli,
          total: top.milli + bottom.milli + feet.milli,
          worn: { ...top.worn, ...bottom.worn, ...feet.worn },
        });
      }
    }
  }
  const accessories = together(together(plain('head'), plain('neck')), plain('hands'));
  return { unders, accessories };
}
