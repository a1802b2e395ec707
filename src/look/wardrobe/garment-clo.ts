import type { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import {
  categories,
  colourFamilies,
  materials,
  rating01,
} from '../../taxonomy/dictionary/schema.ts';
import { familyOfHex } from '../../taxonomy/photo/color.ts';
import { readTable } from '../../taxonomy/tables.ts';
import { clamp } from '../numeric.ts';
import type { Model } from '../params.ts';
import { type Shade, shadeOf } from '../scoring/harmony.ts';

type CategoryRow = NonNullable<ReturnType<typeof categories.get>>;

/** A wardrobe item with every property that the engine uses; missing data is filled in. */
export interface Garment {
  readonly id: string;
  /** What the person calls it; undefined if that has no letter. */
  readonly name: string | undefined;
  readonly category: CategoryRow;
  readonly layer: CategoryRow['layer'];
  /** Insulation Iclu, whole milliclo, so that sums are exact in any order. */
  readonly milliClo: number;
  /** Ratings, 0-1. */
  readonly wind: number;
  readonly water: number;
  readonly breathability: number;
  /** Formality, 0-5. */
  readonly formality: readonly [low: number, high: number];
  readonly seasons: readonly string[];
  readonly occasions: readonly string[];
  /** The dominant colour; undefined if unknown. */
  readonly colour: Shade | undefined;
  /** What that is called: as the client says, else by the table that names photos' colours. */
  readonly colourFamily: string | undefined;
  readonly patterned: boolean;
  readonly materialIds: readonly string[];
  readonly wornDaysAgo: number | undefined;
  readonly isFavorite: boolean;
}

interface MaterialShare {
  row: NonNullable<ReturnType<typeof materials.get>>;
  share: number;
}

const NO_MATERIALS: readonly MaterialShare[] = [];

/**
 * Words of names that say what a garment is of, in data/look/material-words.tsv; `*` stands for any ending, `.` for any
 * character.
 */
const MATERIAL_WORDS = readTable('look/material-words').map(([id = '', words = '']) => ({
  id,
  words: new RegExp(
    `(?<!\\p{L})(${words.replaceAll(' ', '|').replaceAll('*', '\\p{L}*')})(?!\\p{L})`,
    'iu',
  ),
}));

/** The materials by which common sense judges: those given, else those of the name. */
const materialIdsOf = (item: WardrobeItem, composition: readonly MaterialShare[]): string[] =>
  composition.length > 0
    ? composition.map(({ row }) => row.id)
    : MATERIAL_WORDS.filter(({ words }) => words.test(item.name ?? item.id)).map(({ id }) => id);

/** Materials with shares that add up to 1; equal shares if none are given. */
function readMaterials(item: WardrobeItem): readonly MaterialShare[] {
  if (!item.materials) return NO_MATERIALS;
  const rows = item.materials.flatMap(({ id, share }) => {
    const row = materials.get(id);
    return row ? [{ row, share: share ?? 0 }] : [];
  });
  const total = rows.reduce((sum, { share }) => sum + share, 0);
  return rows.map(({ row, share }) => ({
    row,
    share: total > 0 ? share / total : 1 / rows.length,
  }));
}

type Property = 'breathability' | 'windResistance' | 'waterResistance' | 'insulationFactor';

const mean = (composition: readonly MaterialShare[], property: Property): number =>
  composition.reduce((sum, { row, share }) => sum + share * row[property], 0);

/** A property of the material; undefined if it is unknown. */
const meanIfKnown = (
  composition: readonly MaterialShare[],
  property: Property,
): number | undefined => (composition.length > 0 ? mean(composition, property) : undefined);

/** Insulation of a category in these materials, clamped to the range of the category. */
function categoryClo(
  model: Model,
  { id, clo, impliedMaterial }: CategoryRow,
  composition: readonly MaterialShare[],
): number {
  const defaultClo = model.tables.garmentClo[id] ?? clo.default;
  if (composition.length === 0) return defaultClo;
  const defaultFactor = materials.get(impliedMaterial ?? '')?.insulationFactor ?? 1;
  const factor = mean(composition, 'insulationFactor') / defaultFactor;
  return clamp(defaultClo * factor, clo.min, clo.max);
}

/**
 * Iclu of a garment, clo: its own, else that of its category in its materials, scaled by `warmth`.
 * Source: ASHRAE 55, ISO 9920 (the dictionary's values).
 */
function garmentClo(model: Model, item: WardrobeItem): number {
  if (item.clo !== undefined) return item.clo;
  if (item.cloRange) return (item.cloRange[0] + item.cloRange[1]) / 2;
  const category = categoryOf(item);
  const factor = model.tables.warmth[(item.warmth ?? 3) - 1] ?? 1;
  return categoryClo(model, category, readMaterials(item)) * factor;
}

/** Half of a bikini: a top, which needs a bottom. */
const SWIM_TOP = /(?<!\p{L})(top|oberteil|haut|superior|sopra|bovenstuk)(?!\p{L})/iu;

function categoryOf(item: WardrobeItem): CategoryRow {
  const category = categories.get(item.category);
  if (!category) throw new Error(`There is no category ${item.category}`);
  const isTop = category.id === 'swimwear' && SWIM_TOP.test(item.name ?? item.id);
  return isTop ? { ...category, region: 'top', bodySlot: 'torso' } : category;
}

/** Resistance to wind or water, 0-1: the item's own, else the better of category and material. */
function resistance(
  given: number | undefined,
  ofCategory: number | undefined,
  ofMaterial: number | undefined,
  fallback: number,
): number {
  if (given !== undefined) return given;
  if (ofCategory === undefined && ofMaterial === undefined) return fallback;
  return Math.max(ofCategory === undefined ? 0 : rating01(ofCategory), (ofMaterial ?? 0) / 3);
}

function dominantColour({ colors = [] }: WardrobeItem) {
  const [first, ...rest] = colors;
  return (
    first &&
    rest.reduce((best, next) => ((next.share ?? 0) > (best.share ?? 0) ? next : best), first)
  );
}

/** The dominant colour; a family has the colour of its swatch. */
function colourOf(model: Model, item: WardrobeItem): Shade | undefined {
  const dominant = dominantColour(item);
  if (!dominant) return undefined;
  const hex = dominant.hex ?? colourFamilies.get(dominant.family ?? '')?.hex;
  return hex ? shadeOf(model, hex) : undefined;
}

const colourFamilyOf = (item: WardrobeItem): string | undefined => {
  const { family, hex } = dominantColour(item) ?? {};
  return family ?? (hex === undefined ? undefined : familyOfHex(hex));
};

/** A name without a letter, such as an article number, says no more than an id. */
const nameOf = ({ name }: WardrobeItem): string | undefined =>
  name && /\p{L}/u.test(name) ? name.trim() : undefined;

const formalityOf = (item: WardrobeItem, { formality }: CategoryRow): readonly [number, number] => {
  const formalityRange = item.formality ?? [formality.min, formality.max];
  return typeof formalityRange === 'number'
    ? [formalityRange, formalityRange]
    : [formalityRange[0], formalityRange[1]];
};

/**
 * An under layer stays one, though people call it a base layer, but for sport; for that, rain trousers need no others
 * beneath.
 */
function layerOf(
  { tables }: Model,
  { layer }: WardrobeItem,
  category: CategoryRow,
  occasion: string | undefined,
): CategoryRow['layer'] {
  if (occasion === 'sport' && tables.layering.sportTrousers.includes(category.id)) return 'base';
  const isKept = occasion && occasion !== 'sport' && category.layer === 'underwear';
  return isKept ? category.layer : (layer ?? category.layer);
}

/**
 * Reads an item; missing data comes from the dictionary and the tables.
 * @param occasion for which it is worn, if that is known
 */
export function readGarment(model: Model, item: WardrobeItem, occasion?: string): Garment {
  const category = categoryOf(item);
  const layer = layerOf(model, item, category, occasion);
  const composition = readMaterials(item);
  const { protection } = category;
  const breathability = meanIfKnown(composition, 'breathability');
  // A top of polyester is knitted: it lets sweat out, and the rain in.
  const isTop = category.region === 'top' && layer === 'base';
  const isKnitted = isTop && composition.every(({ row }) => row.breathability > 0);
  let family: { id: string | undefined } | undefined;
  return {
    id: item.id,
    name: nameOf(item),
    category,
    layer,
    milliClo: Math.round(1000 * garmentClo(model, item)),
    wind: resistance(
      item.windResistance,
      protection?.wind,
      meanIfKnown(composition, 'windResistance'),
      model.k.wear.windUnknown,
    ),
    water: resistance(
      item.waterResistance,
      model.tables.garmentWater[category.id] ?? protection?.water,
      isTop ? undefined : meanIfKnown(composition, 'waterResistance'),
      0,
    ),
    breathability:
      item.breathability ??
      Math.max(
        isKnitted ? model.k.hot.breathUnknown : 0,
        breathability === undefined ? model.k.hot.breathUnknown : breathability / 3,
      ),
    formality: formalityOf(item, category),
    seasons: item.seasons ?? [],
    occasions: item.occasions ?? [],
    colour: colourOf(model, item),
    // Few garments are named, so few colours need a name.
    get colourFamily() {
      if (!family) family = { id: colourFamilyOf(item) };
      return family.id;
    },
    patterned: item.pattern !== undefined && item.pattern !== null && item.pattern !== 'solid',
    materialIds: materialIdsOf(item, composition),
    wornDaysAgo: item.lastWornDaysAgo,
    isFavorite: item.favorite === true,
  };
}
