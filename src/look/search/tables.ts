import type { RegionalTargets } from '../schema.ts';
import type { ScoringContext, WornItem } from '../scoring/context.ts';
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

/** A value of at least 0 of two garments, each pair computed once. */
class PairTable {
  readonly #rows: (Float64Array | undefined)[] = [];
  readonly #groupCount: number;
  readonly #compute: (a: WornItem, b: WornItem) => number;

  constructor(groupCount: number, compute: (a: WornItem, b: WornItem) => number) {
    this.#groupCount = groupCount;
    this.#compute = compute;
  }

  of(a: Group, b: Group): number {
    let row = this.#rows[a.index];
    if (!row) {
      row = new Float64Array(this.#groupCount).fill(-1);
      this.#rows[a.index] = row;
    }
    const known = row[b.index]!;
    if (known >= 0) return known;
    const value = this.#compute(a.item, b.item);
    row[b.index] = value;
    return value;
  }
}

type Fits = Readonly<Record<keyof RegionalTargets, FitTable>>;

/** What all searches of one wardrobe share. */
export class SearchTables {
  readonly fits: Fits;
  readonly #harmonies: PairTable;
  readonly #clashes: PairTable;

  constructor(context: ScoringContext, { groups }: Wardrobe) {
    const ofRegions = Object.entries(context.regions).map(
      ([region, target]) => [region, new FitTable(context, target)] as const,
    );
    this.fits = Object.fromEntries(ofRegions) as Fits;
    this.#harmonies = new PairTable(groups.length, (a, b) => context.harmonyOf(a, b));
    this.#clashes = new PairTable(groups.length, (a, b) =>
      costOf(context.sense.brokenByPair(a.garment, b.garment)),
    );
  }

  harmony(a: Group, b: Group): number {
    return this.#harmonies.of(a, b);
  }

  /** What common sense charges for wearing both. */
  clash(a: Group, b: Group): number {
    return a.item.isPaired && b.item.isPaired ? this.#clashes.of(a, b) : 0;
  }
}
