import { groupedIds } from '../outfit/parse-groups.ts';
import { categoryPriorIds } from '../photo/image-classes.ts';
import { refinedIds } from '../text/refine.ts';
import { stem } from '../text/stem.ts';
import { tokenize } from '../text/tokens.ts';
import { type Dictionary, LAYERS, LOCALES, type Locale, REGIONS } from './schema.ts';

interface Named {
  id: string;
}
interface WithSynonyms extends Named {
  synonyms: Readonly<Record<Locale, readonly string[]>>;
}

const repeated = (ids: readonly string[]): string[] => ids.filter((id, i) => ids.indexOf(id) !== i);

function repeatedIds(listName: string, entries: readonly Named[]): string[] {
  return repeated(entries.map(({ id }) => id)).map(
    (id) => `${listName}: the id ${id} is not unique`,
  );
}

/** The key a phrase is matched by: synonyms with the same key cannot be distinguished. */
const matchKey = (phrase: string, locale: Locale): string =>
  tokenize(phrase)
    .map(({ text }) => stem(text, locale))
    .join(' ');

function sharedSynonyms(listName: string, entries: readonly WithSynonyms[]): string[] {
  return LOCALES.flatMap((locale) => {
    const owners = new Map<string, string>();
    return entries.flatMap(({ id, synonyms }) =>
      synonyms[locale].flatMap((phrase) => {
        const key = matchKey(phrase, locale);
        const owner = owners.get(key) ?? id;
        owners.set(key, owner);
        return owner === id
          ? []
          : [`${listName} ${id}: "${phrase}" (${locale}) is claimed by ${owner}`];
      }),
    );
  });
}

const unknownIds = (
  listName: string,
  ids: readonly (string | undefined)[],
  known: readonly Named[],
): string[] =>
  ids
    .filter((id) => id !== undefined && !known.some((entry) => entry.id === id))
    .map((id) => `${listName}: there is no ${id}`);

/** Categories without a row in a table of the code: they would be read as if they had an empty one. */
const missingIds = (
  listName: string,
  ids: readonly string[],
  categories: readonly Named[],
): string[] =>
  categories.filter(({ id }) => !ids.includes(id)).map(({ id }) => `${listName}: ${id} has no row`);

/**
 * Returns every error of a dictionary that its schema cannot detect, as text; none for a valid one. Also checks the
 * ids in the code's own tables (refinements, image classes, parse groups).
 */
export function dictionaryErrors(dictionary: Dictionary): string[] {
  const { categories, categoryGroups, colourFamilies, materials, patterns, attributes } =
    dictionary;
  const { profileOptions } = dictionary;
  const lists: Readonly<Record<string, readonly Named[]>> = {
    categories,
    categoryGroups,
    colourFamilies,
    materials,
    patterns,
    layers: dictionary.layers,
    ...Object.fromEntries(
      Object.entries(attributes).map(([name, words]) => [
        name,
        words.map(({ id }) => ({ id: String(id) })),
      ]),
    ),
    occasions: profileOptions.occasions,
    activities: profileOptions.activities,
    weatherConditions: profileOptions.weatherConditions,
    thermalProfiles: profileOptions.thermalProfiles,
    fitPreferences: profileOptions.fitPreferences,
  };
  const bounds = categories.flatMap(({ id, clo, formality }) => [
    ...(clo.min <= clo.default && clo.default <= clo.max
      ? []
      : [`${id}: clo ${clo.default} is outside its range`]),
    ...(formality.min <= formality.max ? [] : [`${id}: formality range is reversed`]),
    ...clo.sources
      .filter(({ table }) => !(table in dictionary.sources))
      .map(({ table }) => `${id}: no source ${table}`),
  ]);
  const shades = colourFamilies
    .filter(({ measurable, prototypesLab }) => measurable !== prototypesLab.length > 0)
    .map(({ id }) => `${id}: only a measurable colour has prototypes`);
  return [
    ...Object.entries(lists).flatMap(([listName, entries]) => repeatedIds(listName, entries)),
    ...sharedSynonyms('category', [...categories, ...categoryGroups]),
    ...sharedSynonyms('colour', colourFamilies),
    ...sharedSynonyms('material', materials),
    ...sharedSynonyms('pattern', patterns),
    ...bounds,
    ...shades,
    ...unknownIds(
      'groups',
      categories.map(({ parentId }) => parentId),
      categoryGroups,
    ),
    ...unknownIds(
      'sleeves',
      categories.map(({ sleeveLength }) => sleeveLength),
      attributes.sleeveLength,
    ),
    ...unknownIds(
      'implied',
      categories.map(({ impliedMaterial }) => impliedMaterial),
      materials,
    ),
    ...unknownIds(
      'seasons',
      categories.flatMap(({ seasons }) => seasons ?? []),
      attributes.season,
    ),
    ...unknownIds('refinements', refinedIds(), categories),
    ...unknownIds('image classes', categoryPriorIds(), categories),
    ...unknownIds('parse groups', groupedIds(), categories),
    ...missingIds('image classes', categoryPriorIds(), categories),
    ...missingIds('parse groups', groupedIds(), categories),
    ...unknownIds('layers', LAYERS, dictionary.layers),
    ...REGIONS.filter((region) => !categories.some((category) => category.region === region)).map(
      (region) => `the region ${region} has no category`,
    ),
    ...categoryGroups
      .filter((group) => !categories.some(({ parentId }) => parentId === group.id))
      .map(({ id }) => `the group ${id} has no category`),
  ];
}
