import type { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import {
  categories,
  colourFamilies,
  materials,
  rating01,
} from '../../taxonomy/dictionary/schema.ts';
import { clamp } from '../numeric.ts';
import type { Model } from '../params.ts';
import { type Shade, shadeOf } from '../scoring/harmony.ts';

type CategoryRow = NonNullable<ReturnType<typeof categories.get>>;

/** A wardrobe item as the engine reads it: nothing missing, nothing more than it judges by. */
export interface Garment {
  readonly id: string;
  readonly category: CategoryRow;
  readonly layer: CategoryRow['layer'];
  /** Iclu in thousandths of a clo, so that sums are exact in any order. */
  readonly milliClo: number;
  /** Ratings, 0-1. */
  readonly wind: number;
  readonly water: number;
  readonly breath: number;
  /** Formality, 0-5. */
  readonly formality: readonly [low: number, high: number];
  readonly seasons: readonly string[];
  readonly occasions: readonly string[];
  /** The colour seen most; none where nothing is known. */
  readonly colour: Shade | undefined;
  readonly patterned: boolean;
  readonly materialIds: readonly string[];
  readonly wornDaysAgo: number | undefined;
  readonly isFavorite: boolean;
}

interface Part {
  row: NonNullable<ReturnType<typeof materials.get>>;
  share: number;
}

const NO_PARTS: readonly Part[] = [];

/** Materials with shares that add up to 1; equal ones where none are given. */
function partsOf(item: WardrobeItem): readonly Part[] {
  if (!item.materials) return NO_PARTS;
  const rows = item.materials.flatMap(({ id, share }) => {
    const row = materials.get(id);
    return row ? [{ row, share: share ?? 0 }] : [];
  });
  const whole = rows.reduce((sum, { share }) => sum + share, 0);
  return rows.map(({ row, share }) => ({
    row,
    share: whole > 0 ? share / whole : 1 / rows.length,
  }));
}

type Property = 'breathability' | 'windResistance' | 'waterResistance' | 'insulationFactor';

const mean = (parts: readonly Part[], of: Property): number =>
  parts.reduce((sum, { row, share }) => sum + share * row[of], 0);

/** A property of what a garment is made of; none where nothing is known. */
const madeOf = (parts: readonly Part[], of: Property): number | undefined =>
  parts.length > 0 ? mean(parts, of) : undefined;

/** Insulation of a kind of garment in these materials, within what its kind is sold with. */
function kindClo(
  model: Model,
  { id, clo, impliedMaterial }: CategoryRow,
  parts: readonly Part[],
): number {
  const usualClo = model.tables.garmentClo[id] ?? clo.default;
  if (parts.length === 0) return usualClo;
  const usual = materials.get(impliedMaterial ?? '')?.insulationFactor ?? 1;
  const factor = mean(parts, 'insulationFactor') / usual;
  return clamp(usualClo * factor, clo.min, clo.max);
}

/**
 * Iclu of a garment, clo: its own, else its kind's in its materials, made warmer or cooler by
 * `warmth`. Source: ASHRAE 55, ISO 9920 (the dictionary's values).
 */
export function garmentClo(model: Model, item: WardrobeItem): number {
  if (item.clo !== undefined) return item.clo;
  if (item.cloRange) return (item.cloRange[0] + item.cloRange[1]) / 2;
  const category = categoryOf(item);
  const factor = model.tables.warmth[(item.warmth ?? 3) - 1] ?? 1;
  return kindClo(model, category, partsOf(item)) * factor;
}

function categoryOf(item: WardrobeItem): CategoryRow {
  const category = categories.get(item.category);
  if (!category) throw new Error(`There is no category ${item.category}`);
  return category;
}

/** What keeps wind or water out: the kind in its usual make, or better material. */
function resistance(
  given: number | undefined,
  usual: number | undefined,
  made: number | undefined,
  otherwise: number,
): number {
  if (given !== undefined) return given;
  if (usual === undefined && made === undefined) return otherwise;
  return Math.max(usual === undefined ? 0 : rating01(usual), (made ?? 0) / 3);
}

/** The dominant colour; a family stands for its swatch. */
function colourOf(model: Model, item: WardrobeItem): Shade | undefined {
  const [first, ...rest] = item.colors ?? [];
  if (!first) return undefined;
  const most = rest.reduce(
    (best, next) => ((next.share ?? 0) > (best.share ?? 0) ? next : best),
    first,
  );
  const hex = most.hex ?? colourFamilies.get(most.family ?? '')?.hex;
  return hex ? shadeOf(model, hex) : undefined;
}

const formalityOf = (item: WardrobeItem, { formality }: CategoryRow): readonly [number, number] => {
  const said = item.formality ?? [formality.min, formality.max];
  return typeof said === 'number' ? [said, said] : [said[0], said[1]];
};

/** Reads an item; what it leaves out comes from the dictionary and the tables. */
export function garmentOf(model: Model, item: WardrobeItem): Garment {
  const category = categoryOf(item);
  const layer = item.layer ?? category.layer;
  const parts = partsOf(item);
  const { protection } = category;
  const breath = madeOf(parts, 'breathability');
  return {
    id: item.id,
    category,
    layer,
    milliClo: Math.round(1000 * garmentClo(model, item)),
    wind: resistance(
      item.windResistance,
      protection?.wind,
      madeOf(parts, 'windResistance'),
      model.k.wear.windUnknown,
    ),
    water: resistance(item.waterResistance, protection?.water, madeOf(parts, 'waterResistance'), 0),
    breath: item.breathability ?? (breath === undefined ? model.k.hot.breathUnknown : breath / 3),
    formality: formalityOf(item, category),
    seasons: item.seasons ?? [],
    occasions: item.occasions ?? [],
    colour: colourOf(model, item),
    patterned: item.pattern !== undefined && item.pattern !== null && item.pattern !== 'solid',
    materialIds: parts.map(({ row }) => row.id),
    wornDaysAgo: item.lastWornDaysAgo,
    isFavorite: item.favorite === true,
  };
}
