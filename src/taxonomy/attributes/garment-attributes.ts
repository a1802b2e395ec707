import { type Category, colourFamilies } from '../dictionary/schema.ts';
import { familyDistance, type MeasuredColor, overallFamily } from '../photo/color.ts';
import type { AttributeRating, AttributeValue, GarmentAttributes } from '../response-schema.ts';
import type { TextAttributes } from '../text/text-attributes.ts';
import { round2, weightedMean } from './insulation.ts';

/** The seasons of garments that are worn all year. */
const ALL_YEAR = ['spring', 'summer', 'autumn', 'winter'] as const;
const WORN_SEASONS: Readonly<Record<string, readonly string[]>> = {
  winter: ['autumn', 'winter'],
  summer: ['spring', 'summer'],
};

/** CIEDE2000 distance beyond which a photo's and a text's colours count as different. */
const MAX_COLOUR_DISTANCE = 25;

type Colors = GarmentAttributes['colors'];

/** Measured colours first, then the families that only the text names. */
function colorsOf(measured: readonly MeasuredColor[], textColors: readonly string[]): Colors {
  const seen = new Set(measured.map(({ family }) => family));
  return [
    ...measured.map((color) => ({ ...color, lab: [...color.lab], source: 'measured' as const })),
    ...textColors
      .filter((family) => !seen.has(family))
      .map((family) => {
        const hex = colourFamilies.get(family)?.hex;
        return { family, ...(hex ? { hex } : {}), source: 'text' as const };
      }),
  ];
}

/** One family for all colours together. */
function colorFamilyOf(
  measured: readonly MeasuredColor[],
  textColors: readonly string[],
): GarmentAttributes['colorFamily'] {
  const seen = overallFamily(measured);
  if (seen) return { id: seen, source: 'measured' };
  return textColors[0] === undefined ? undefined : { id: textColors[0], source: 'text' };
}

/** Whether the main colour of the text differs from every colour of the photo. */
export function coloursDiffer(
  measured: readonly MeasuredColor[],
  textColors: readonly string[],
): boolean {
  const [main] = textColors;
  if (!main || measured.length === 0) return false;
  return measured.every(
    ({ family }) => family !== main && familyDistance(family, main) > MAX_COLOUR_DISTANCE,
  );
}

const FULL = 3;
const REPELLENT = 1.5;
/** Maximum wind rating by material below the outer layer: knitwear with some nylon is no shell. */
const INNER_WIND_LIMIT = 1;

const toRating = (value0to3: number, source: AttributeRating['source']): AttributeRating => ({
  value: round2(value0to3 / FULL),
  source,
});

/** The stronger of the text's rating and the category's default. */
function stronger(
  textRating: number | undefined,
  defaultRating: number | undefined,
): AttributeRating | undefined {
  if (textRating !== undefined && textRating >= (defaultRating ?? 0))
    return toRating(textRating, 'text');
  return defaultRating === undefined ? undefined : toRating(defaultRating, 'default');
}

const highest = (...values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
};

/** Rates protection against rain and wind, and breathability, 0–1. */
function protectionOf(category: Category, { materials, properties }: TextAttributes) {
  const has = (property: string) => properties.includes(property);
  const water = has('waterproof') ? FULL : has('water_resistant') ? REPELLENT : undefined;
  const isShell = category.layer === 'outer' || category.layer === 'footwear';
  const materialWind = weightedMean(materials, 'windResistance');
  const wind = highest(
    has('windproof') ? FULL : undefined,
    isShell || materialWind === undefined ? materialWind : Math.min(INNER_WIND_LIMIT, materialWind),
  );
  const vapour = has('breathable') ? FULL : weightedMean(materials, 'breathability');
  return {
    waterResistance: stronger(
      highest(water, weightedMean(materials, 'waterResistance')),
      category.protection?.water,
    ),
    windResistance: stronger(wind, category.protection?.wind),
    breathability: vapour === undefined ? undefined : toRating(vapour, 'text'),
  };
}

function seasonsOf(
  category: Category,
  textSeasons: readonly string[],
): NonNullable<GarmentAttributes['seasons']> {
  const seasons = [...new Set(textSeasons.flatMap((season) => WORN_SEASONS[season] ?? []))];
  return seasons.length > 0
    ? { ids: ALL_YEAR.filter((season) => seasons.includes(season)), source: 'text' }
    : { ids: [...(category.seasons ?? ALL_YEAR)], source: 'default' };
}

const fromText = (id: string | undefined): AttributeValue | undefined =>
  id === undefined ? undefined : { id, source: 'text' };

const byDefault = (id: string | undefined): AttributeValue | undefined =>
  id === undefined ? undefined : { id, source: 'default' };

/**
 * Returns the attributes of a garment, each with its source.
 * @param category undefined if none was classified: then there are no defaults
 */
export function attributesOf(
  category: Category | undefined,
  text: TextAttributes,
  measured: readonly MeasuredColor[],
): GarmentAttributes {
  const protection = category && protectionOf(category, text);
  return {
    colors: colorsOf(measured, text.colors),
    colorFamily: colorFamilyOf(measured, text.colors),
    pattern: fromText(text.pattern),
    materials: text.materials.map((material) => ({ ...material, source: 'text' })),
    properties: text.properties.map((id) => ({ id, source: 'text' })),
    sleeveLength: fromText(text.sleeveLength) ?? byDefault(category?.sleeveLength),
    gender: fromText(text.gender),
    ageGroup: fromText(text.ageGroup),
    weight: fromText(text.weight),
    formality: category && { ...category.formality, source: 'default' },
    seasons: category && seasonsOf(category, text.seasons),
    waterResistance: protection?.waterResistance,
    windResistance: protection?.windResistance,
    breathability: protection?.breathability,
  };
}
