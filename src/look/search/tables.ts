import type { RegionalTargets } from '../schema.ts';
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
    if (known !== 0) return known;
    const value = this.#compute(milliClo);
    this.#values[milliClo] = value;
    return value;
  }

  /** The largest fit between `low` and `high`: it rises to its peak at the target and falls. */
  upperBound(low: number, high: number): number {
    return high < this.#peak ? this.at(high) : low > this.#peak ? this.at(low) : 1;
  }
}

type Fits = Readonly<Record<keyof RegionalTargets, FitTable>>;

/** What all searches of one wardrobe share. */
export class SearchTables {
  readonly fits: Fits;
  readonly #context: ScoringContext;
  readonly #groupCount: number;
  readonly #harmonies: (Float64Array | undefined)[] = [];

  constructor(context: ScoringContext, { groups }: Wardrobe) {
    this.#context = context;
    this.#groupCount = groups.length;
    const ofRegions = Object.entries(context.regions).map(
      ([region, target]) => [region, new FitTable(context, target)] as const,
    );
    this.fits = Object.fromEntries(ofRegions) as Fits;
  }

  /** Harmony of two garments, each pair computed once. */
  harmony(a: Group, b: Group): number {
    let row = this.#harmonies[a.index];
    if (!row) {
      row = new Float64Array(this.#groupCount).fill(-1);
      this.#harmonies[a.index] = row;
    }
    const known = row[b.index]!;
    if (known >= 0) return known;
    const value = this.#context.harmonyOf(a.item, b.item);
    row[b.index] = value;
    return value;
  }

  /** What common sense charges for wearing both. */
  clash({ item: a }: Group, { item: b }: Group): number {
    if (!a.isPaired || !b.isPaired) return 0;
    return costOf(this.#context.sense.brokenByPair(a.garment, b.garment));
  }
}
