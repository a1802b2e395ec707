import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import {
  BodySlot,
  CATEGORY_IDS,
  COLOUR_IDS,
  categories,
  dictionary,
  Layer,
  MATERIAL_IDS,
  OCCASION_IDS,
  PATTERN_IDS,
  Region,
  SEASON_IDS,
} from '../dictionary/schema.ts';
import { readTable } from '../tables.ts';

const MAX_ID_CHARS = 64;
const normalise = (word: string) =>
  word
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[\s-]+/g, '_');

/** Synonyms in every language, normalised -> id. */
type Synonyms = ReadonlyMap<string, string>;

const toSynonyms = (rows: readonly (readonly [id: string, words: readonly string[]])[]): Synonyms =>
  new Map(rows.flatMap(([id, words]) => words.map((word) => [normalise(word), id])));

const CATEGORY_WORDS = toSynonyms(
  dictionary.categories.map(({ id, synonyms }) => [id, Object.values(synonyms).flat()]),
);

/** Words for occasions and their labels. */
const OCCASION_WORDS = toSynonyms([
  ...readTable('taxonomy/occasion-words').map(
    ([id = '', words = '']) => [id, words.split(', ')] as const,
  ),
  ...dictionary.profileOptions.occasions.map(
    ({ id, labels }) => [id, Object.values(labels)] as const,
  ),
]);

/** Returns up to three of `ids` closest to `word`; an id of which `word` is a synonym comes first. */
function nearestIds(word: string, ids: readonly string[], synonyms?: Synonyms): string[] {
  const wanted = normalise(word);
  const named = synonyms?.get(wanted);
  return ids
    .map((id) => ({ id, far: id === named ? -1 : distance(wanted, normalise(id)) }))
    .sort((a, b) => a.far - b.far || (a.id < b.id ? -1 : 1))
    .slice(0, 3)
    .map(({ id }) => id);
}

/**
 * Schema of an id from a list that grows with the dictionary. `params.advice` of an issue names the
 * nearest ids: it is computed only for errors that are shown, because a body can have 50,000 of them.
 * @param noun of the list's entries in error messages, such as `category`
 */
const knownId = (ids: readonly string[], noun: string, synonyms?: Synonyms) => {
  const known = new Set(ids);
  return z
    .string()
    .max(MAX_ID_CHARS)
    .superRefine((id, context) => {
      if (known.has(id)) return;
      const word = id.slice(0, MAX_ID_CHARS);
      const advice = () => {
        const nearest = nearestIds(word, ids, synonyms).map((near) => `\`${near}\``);
        return `nearest: ${nearest.join(', ')}`;
      };
      context.addIssue({
        code: 'custom',
        message: `There is no ${noun} \`${word}\``,
        params: { advice },
      });
    })
    .meta({ enum: [...ids] });
};

/** The id of an occasion. */
export const Occasion = knownId(OCCASION_IDS, 'occasion', OCCASION_WORDS).meta({
  id: 'Occasion',
  enum: [...OCCASION_IDS],
});

const share = z.number().min(0).max(1);
const rating = z.number().min(0).max(1);
const formality = z.number().min(0).max(5);
const clo = z.number().min(0).max(2);

const orderedPair = (bound: z.ZodNumber) =>
  z
    .tuple([bound, bound])
    .refine(([low, high]) => low <= high, 'The first must not exceed the second');

const Colour = z
  .looseObject({
    hex: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be #rrggbb')
      .optional(),
    share: share.optional(),
    family: knownId(COLOUR_IDS, 'colour family').optional(),
  })
  .refine(({ hex, family }) => hex !== undefined || family !== undefined, {
    message: 'A colour needs `hex` or `family`',
  });

const Material = z.looseObject({ id: knownId(MATERIAL_IDS, 'material'), share: share.optional() });

/** Layers in which garments of a region can be worn, by the dictionary. */
const layersOf = new Map(
  dictionary.regions.map((region) => [
    region,
    new Set(dictionary.categories.filter((c) => c.region === region).map(({ layer }) => layer)),
  ]),
);

/** An item's region and body slot must equal its category's; its layer must exist in the region. */
function checkPlace(
  item: {
    category: string;
    region?: Region | undefined;
    bodySlot?: BodySlot | undefined;
    layer?: Layer | undefined;
  },
  addIssue: (path: string, message: string) => void,
): void {
  const category = categories.get(item.category);
  if (!category) return;
  for (const key of ['region', 'bodySlot'] as const) {
    if (item[key] !== undefined && item[key] !== category[key])
      addIssue(key, `A ${category.id} has the ${key} \`${category[key]}\`; leave it out`);
  }
  const layers = layersOf.get(category.region);
  if (item.layer !== undefined && !layers?.has(item.layer))
    addIssue('layer', `A ${category.id} is worn as ${[...(layers ?? [])].join(' or ')}`);
}

const majorOf = (version: string) => version.split('.')[0];

/**
 * One garment of a wardrobe: returned by a classification, accepted by the outfit engine. Ratings are 0–1, clo is
 * Iclu (ISO 9920). Only `id` and `category` are required; the dictionary has defaults for the rest. Unknown fields
 * are retained and ignored.
 */
export const WardrobeItem = z
  .looseObject({
    id: z
      .string()
      .min(1)
      .max(128)
      .regex(/^\P{Cc}+$/u, 'must not hold control characters')
      .meta({ description: 'Your id, unique in the wardrobe' }),
    category: knownId(CATEGORY_IDS, 'category', CATEGORY_WORDS),
    name: z.string().max(300).nullable().optional(),
    region: Region.optional(),
    layer: Layer.optional().meta({ description: 'If it differs from the category’s' }),
    bodySlot: BodySlot.optional(),
    clo: clo.optional().meta({ description: 'Effective insulation Iclu (ISO 9920), clo' }),
    cloRange: orderedPair(clo).optional(),
    warmth: z
      .number()
      .int()
      .min(1)
      .max(5)
      .optional()
      .meta({ description: '1 thin … 5 very warm, if clo is not known; default 3' }),
    waterResistance: rating.optional(),
    windResistance: rating.optional(),
    breathability: rating.optional(),
    formality: z
      .union([formality, orderedPair(formality)])
      .optional()
      .meta({ description: '0 lounge … 5 formal: one number, or [from, to]' }),
    seasons: z
      .array(knownId(SEASON_IDS, 'season'))
      .max(8)
      .optional()
      .meta({ description: 'When it is worn; none means all year' }),
    colors: z.array(Colour).max(8).optional(),
    pattern: knownId(PATTERN_IDS, 'pattern').nullable().optional(),
    materials: z.array(Material).max(8).optional(),
    occasions: z.array(Occasion).max(32).optional(),
    available: z.boolean().optional(),
    favorite: z.boolean().optional(),
    lastWornDaysAgo: z.number().int().min(0).max(36_500).optional(),
    imageRef: z.string().max(512).optional().meta({ description: 'Opaque; never fetched' }),
    lookEligible: z.boolean().optional(),
    dictionaryVersion: z
      .string()
      .max(MAX_ID_CHARS)
      .refine((version) => majorOf(version) === majorOf(dictionary.dictionaryVersion), {
        error: `Only versions ${majorOf(dictionary.dictionaryVersion)}.x of the dictionary are known`,
        params: { problem: 'dictionary-version-unsupported' },
      })
      .optional(),
  })
  .superRefine((item, context) =>
    checkPlace(item, (key, message) => context.addIssue({ code: 'custom', path: [key], message })),
  )
  .meta({ id: 'WardrobeItem', description: 'One garment of a wardrobe' });
export type WardrobeItem = z.infer<typeof WardrobeItem>;
