import { type Category, colourFamilies } from '../dictionary/schema.ts';
import { familyDistance, type MeasuredColor, overallFamily } from '../photo/color.ts';
import type { AnswerAttributes, Rated, Told } from '../response-schema.ts';
import type { TextAttributes } from '../text/text-attributes.ts';
import { meanOf } from './insulation.ts';

/** The four seasons, for garments that are worn all year. */
const ALL_YEAR = ['spring', 'summer', 'autumn', 'winter'] as const;
const WORN_IN: Readonly<Record<string, readonly string[]>> = {
  winter: ['autumn', 'winter'],
  summer: ['spring', 'summer'],
};

/** Colours that a photo and a text name are taken for different ones beyond this (CIEDE2000). */
const COLOUR_MISMATCH = 25;

const rounded = (value: number): number => Math.round(value * 100) / 100;

type Colors = AnswerAttributes['colors'];

/** Measured colours first; of those told, only the families that were not measured. */
function colorsOf(measured: readonly MeasuredColor[], told: readonly string[]): Colors {
  const seen = new Set(measured.map(({ family }) => family));
  return [
    ...measured.map((color) => ({ ...color, lab: [...color.lab], source: 'measured' as const })),
    ...told
      .filter((family) => !seen.has(family))
      .map((family) => {
        const hex = colourFamilies.get(family)?.hex;
        return { family, ...(hex ? { hex } : {}), source: 'text' as const };
      }),
  ];
}

/** One word for all colours together. */
function colorFamilyOf(
  measured: readonly MeasuredColor[],
  told: readonly string[],
): AnswerAttributes['colorFamily'] {
  const seen = overallFamily(measured);
  if (seen) return { id: seen, source: 'measured' };
  return told[0] === undefined ? undefined : { id: told[0], source: 'text' };
}

/** Whether the main colour told is none that the photo shows, nor near one. */
export function coloursDiffer(
  measured: readonly MeasuredColor[],
  told: readonly string[],
): boolean {
  const [main] = told;
  if (!main || measured.length === 0) return false;
  return measured.every(
    ({ family }) => family !== main && familyDistance(family, main) > COLOUR_MISMATCH,
  );
}

const FULL = 3;
const REPELLENT = 1.5;
/** Knitwear with some nylon in it is no shell: under this layer, a stuff stops little wind. */
const INNER_WIND_LIMIT = 1;

const rated = (value0to3: number, source: Rated['source']): Rated => ({
  value: rounded(value0to3 / FULL),
  source,
});

/** The stronger of what the text tells and what the category usually gives. */
function stronger(told: number | undefined, usual: number | undefined): Rated | undefined {
  if (told !== undefined && told >= (usual ?? 0)) return rated(told, 'text');
  return usual === undefined ? undefined : rated(usual, 'default');
}

const highest = (...values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
};

/** How much rain and wind a garment stops and how much vapour it lets out, 0–1. */
function protectionOf(category: Category, { materials, properties }: TextAttributes) {
  const has = (property: string) => properties.includes(property);
  const water = has('waterproof') ? FULL : has('water_resistant') ? REPELLENT : undefined;
  const isShell = category.layer === 'outer' || category.layer === 'footwear';
  const stuffWind = meanOf(materials, 'windResistance');
  const wind = highest(
    has('windproof') ? FULL : undefined,
    isShell || stuffWind === undefined ? stuffWind : Math.min(INNER_WIND_LIMIT, stuffWind),
  );
  const vapour = has('breathable') ? FULL : meanOf(materials, 'breathability');
  return {
    waterResistance: stronger(
      highest(water, meanOf(materials, 'waterResistance')),
      category.protection?.water,
    ),
    windResistance: stronger(wind, category.protection?.wind),
    breathability: vapour === undefined ? undefined : rated(vapour, 'text'),
  };
}

function seasonsOf(
  category: Category,
  told: readonly string[],
): NonNullable<AnswerAttributes['seasons']> {
  const said = [...new Set(told.flatMap((season) => WORN_IN[season] ?? []))];
  return said.length > 0
    ? { ids: ALL_YEAR.filter((season) => said.includes(season)), source: 'text' }
    : { ids: [...(category.seasons ?? ALL_YEAR)], source: 'default' };
}

const told = (id: string | undefined): Told | undefined =>
  id === undefined ? undefined : { id, source: 'text' };

const usual = (id: string | undefined): Told | undefined =>
  id === undefined ? undefined : { id, source: 'default' };

/**
 * Everything the answer says of a garment besides its name, each with its source.
 * @param category left out where none was named: then nothing is taken from it
 */
export function attributesOf(
  category: Category | undefined,
  text: TextAttributes,
  measured: readonly MeasuredColor[],
): AnswerAttributes {
  const protection = category && protectionOf(category, text);
  return {
    colors: colorsOf(measured, text.colors),
    colorFamily: colorFamilyOf(measured, text.colors),
    pattern: told(text.pattern),
    materials: text.materials.map((material) => ({ ...material, source: 'text' })),
    properties: text.properties.map((id) => ({ id, source: 'text' })),
    sleeveLength: told(text.sleeveLength) ?? usual(category?.sleeveLength),
    gender: told(text.gender),
    ageGroup: told(text.ageGroup),
    weight: told(text.weight),
    formality: category && { ...category.formality, source: 'default' },
    seasons: category && seasonsOf(category, text.seasons),
    waterResistance: protection?.waterResistance,
    windResistance: protection?.windResistance,
    breathability: protection?.breathability,
  };
}
