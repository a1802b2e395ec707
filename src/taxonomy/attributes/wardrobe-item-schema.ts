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

const LONGEST_ID = 64;
const plain = (word: string) => word.toLowerCase().replaceAll(/[\s-]+/g, '_');

/** Every synonym of every language, as `plain` writes it -> category id. */
const bySynonym = new Map(
  dictionary.categories.flatMap(({ id, synonyms }) =>
    Object.values(synonyms).flatMap((words) => words.map((word) => [plain(word), id] as const)),
  ),
);

/** Up to three of `ids` that look most like `word`: the known id first that the word is a name of. */
export function nearestIds(word: string, ids: readonly string[]): string[] {
  const wanted = plain(word);
  const named = bySynonym.get(wanted);
  return ids
    .map((id) => ({ id, far: id === named ? -1 : distance(wanted, plain(id)) }))
    .sort((a, b) => a.far - b.far || (a.id < b.id ? -1 : 1))
    .slice(0, 3)
    .map(({ id }) => id);
}

/**
 * An id of a list that grows with the dictionary. The fault names the nearest ids.
 * @param what how the list's entries are called, such as `category`
 */
export const knownId = (ids: readonly string[], what: string) => {
  const known = new Set(ids);
  return z
    .string()
    .max(LONGEST_ID)
    .superRefine((id, context) => {
      if (known.has(id)) return;
      const nearest = nearestIds(id.slice(0, LONGEST_ID), ids).map((near) => `\`${near}\``);
      context.addIssue({
        code: 'custom',
        message: `There is no ${what} \`${id.slice(0, LONGEST_ID)}\`; nearest: ${nearest.join(', ')}`,
      });
    })
    .meta({ enum: [...ids] });
};

const share = z.number().min(0).max(1);
const rating = z.number().min(0).max(1);
const formality = z.number().min(0).max(5);
const clo = z.number().min(0).max(2);

const risingPair = (bound: z.ZodNumber) =>
  z.tuple([bound, bound]).refine(([low, high]) => low <= high, 'The first must not be the larger');

const Colour = z
  .looseObject({
    hex: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/)
      .optional(),
    share: share.optional(),
    family: knownId(COLOUR_IDS, 'colour family').optional(),
  })
  .refine(({ hex, family }) => hex !== undefined || family !== undefined, {
    message: 'A colour needs `hex` or `family`',
  });

const Material = z.looseObject({ id: knownId(MATERIAL_IDS, 'material'), share: share.optional() });

/** Layers that garments of a region can be worn in, as the dictionary has them. */
const layersOf = new Map(
  dictionary.regions.map((region) => [
    region,
    new Set(dictionary.categories.filter((c) => c.region === region).map(({ layer }) => layer)),
  ]),
);

/** What an item says of its place must be what its category says; its layer, one the region has. */
function checkPlace(
  item: {
    category: string;
    region?: Region | undefined;
    bodySlot?: BodySlot | undefined;
    layer?: Layer | undefined;
  },
  fault: (path: string, message: string) => void,
): void {
  const category = categories.get(item.category);
  if (!category) return;
  for (const key of ['region', 'bodySlot'] as const) {
    if (item[key] !== undefined && item[key] !== category[key])
      fault(key, `A ${category.id} has the ${key} \`${category[key]}\`; leave it out`);
  }
  const layers = layersOf.get(category.region);
  if (item.layer !== undefined && !layers?.has(item.layer))
    fault('layer', `A ${category.id} is worn as ${[...(layers ?? [])].join(' or ')}`);
}

const majorOf = (version: string) => version.split('.')[0];

/**
 * One garment of a wardrobe, as a classification answers it and as the outfit engine takes it.
 * Ratings are 0–1, clo is Iclu (ISO 9920). Only `id` and `category` are needed; the dictionary has
 * defaults for the rest. Fields not named here are kept and passed over.
 */
export const WardrobeItem = z
  .looseObject({
    id: z
      .string()
      .min(1)
      .max(128)
      .regex(/^\P{Cc}+$/u, 'must not hold control characters')
      .meta({ description: 'Yours; unique in the wardrobe' }),
    category: knownId(CATEGORY_IDS, 'category'),
    name: z.string().max(300).nullable().optional(),
    region: Region.optional(),
    layer: Layer.optional().meta({ description: 'Where it differs from the category’s own' }),
    bodySlot: BodySlot.optional(),
    clo: clo.optional().meta({ description: 'Effective insulation Iclu (ISO 9920), clo' }),
    cloRange: risingPair(clo).optional(),
    warmth: z
      .number()
      .int()
      .min(1)
      .max(5)
      .optional()
      .meta({ description: '1 thin … 5 very warm, where clo is not known; 3 is the default' }),
    waterResistance: rating.optional(),
    windResistance: rating.optional(),
    breathability: rating.optional(),
    formality: z
      .union([formality, risingPair(formality)])
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
    occasions: z.array(knownId(OCCASION_IDS, 'occasion')).max(32).optional(),
    available: z.boolean().optional(),
    favorite: z.boolean().optional(),
    lastWornDaysAgo: z.number().int().min(0).max(36_500).optional(),
    imageRef: z.string().max(512).optional().meta({ description: 'Opaque; never fetched' }),
    lookEligible: z.boolean().optional(),
    dictionaryVersion: z
      .string()
      .max(LONGEST_ID)
      .refine(
        (version) => majorOf(version) === majorOf(dictionary.dictionaryVersion),
        `Only versions ${majorOf(dictionary.dictionaryVersion)}.x of the dictionary are known`,
      )
      .optional(),
  })
  .superRefine((item, context) =>
    checkPlace(item, (key, message) => context.addIssue({ code: 'custom', path: [key], message })),
  )
  .meta({ title: 'WardrobeItem', description: 'One garment of a wardrobe' });
export type WardrobeItem = z.infer<typeof WardrobeItem>;
