import type { ScoringContext } from '../scoring/context.ts';
import { regionFit } from '../scoring/score.ts';
import { costOf } from '../scoring/sense.ts';
import type { Group, Wardrobe } from '../wardrobe/wardrobe.ts';

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

/** What all searches of one wardrobe share. */
export class SearchTables {
  readonly top: FitTable;
  readonly dress: FitTable;
  readonly bottom: FitTable;
  readonly outer: FitTable;
  readonly shoes: FitTable;
  readonly accessory: FitTable;
  readonly #context: ScoringContext;
  /** Of each group, the number of its category among those of rules about two garments, or -1. */
  readonly #kinds: Int32Array;
  readonly #kindCount: number;
  readonly #clashes: Float64Array;
  readonly #harmonies: (Float64Array | undefined)[] = [];

  constructor(context: ScoringContext, { groups }: Wardrobe) {
    const { regions, sense } = context;
    this.#context = context;
    const garments = groups.map(({ item }) => item.garment);
    const paired = garments.filter(sense.isInPairs).map(({ category }) => category.id);
    const kinds = [...new Set(paired)];
    this.#kinds = Int32Array.from(garments, ({ category }) => kinds.indexOf(category.id));
    this.#kindCount = kinds.length;
    this.#clashes = new Float64Array(kinds.length ** 2).fill(-1);
    this.top = new FitTable(context, regions.top);
    this.dress = new FitTable(context, regions.dress);
    this.bottom = new FitTable(context, regions.bottom);
    this.outer = new FitTable(context, regions.outerwear);
    this.shoes = new FitTable(context, regions.shoes);
    this.accessory = new FitTable(context, regions.accessory);
  }

  /** Harmony of two garments, each pair computed once. */
  harmony(a: Group, b: Group): number {
    let row = this.#harmonies[a.index];
    if (!row) {
      row = new Float64Array(this.#kinds.length).fill(-1);
      this.#harmonies[a.index] = row;
    }
    const known = row[b.index]!;
    if (known >= 0) return known;
    const value = this.#context.harmonyOf(a.item, b.item);
    row[b.index] = value;
    return value;
  }

  /** What common sense charges for wearing both. */
  clash(a: Group, b: Group): number {
    const kindA = this.#kinds[a.index]!;
    const kindB = this.#kinds[b.index]!;
    if (kindA < 0 || kindB < 0) return 0;
    const at = kindA * this.#kindCount + kindB;
    const known = this.#clashes[at]!;
    if (known >= 0) return known;
    const value = costOf(this.#context.sense.brokenByPair(a.item.garment, b.item.garment));
    this.#clashes[at] = value;
    return value;
  }
}
