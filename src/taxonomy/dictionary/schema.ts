import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import file from './dictionary.json' with { type: 'json' };

export const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'nl'] as const;
export const REGIONS = ['top', 'outerwear', 'dress', 'bottom', 'shoes', 'accessory'] as const;
export const LAYERS = ['underwear', 'base', 'mid', 'outer', 'footwear', 'accessory'] as const;
// biome-ignore format: a table reads best aligned
const BODY_SLOTS = ['head', 'eyes', 'neck', 'torso', 'waist', 'hands', 'legs', 'feet', 'full', 'carry'] as const;

export const Locale = z.enum(LOCALES).meta({ id: 'Locale' });
export type Locale = z.infer<typeof Locale>;
export const Region = z.enum(REGIONS).meta({ id: 'Region' });
export type Region = z.infer<typeof Region>;
export const Layer = z.enum(LAYERS).meta({ id: 'Layer' });
export type Layer = z.infer<typeof Layer>;
export const BodySlot = z.enum(BODY_SLOTS).meta({ id: 'BodySlot' });
export type BodySlot = z.infer<typeof BodySlot>;

const id = z.string().regex(/^[a-z0-9]+([_-][a-z0-9]+)*$/);
const text = z.string().min(1);
const labels = z.record(Locale, text);
const synonyms = z.record(Locale, z.array(text).min(1));
const hex = z.string().regex(/^#[0-9a-f]{6}$/);
const rating = z.number().int().min(0).max(3);
const word = z.strictObject({ id, labels });

const shopify = z.strictObject({
  id: z.string().startsWith('gid://shopify/TaxonomyCategory/aa'),
  path: text,
});
const google = z.strictObject({ id: z.number().int().positive(), path: text });

/** A row of a published table, or how a value is derived from one. */
export const CloSource = z.strictObject({
  table: text,
  entry: text.optional(),
  note: text.optional(),
});

const Group = z.strictObject({
  id,
  labels,
  /** Null if the group's categories are in several regions. */
  region: Region.nullable(),
  mappings: z.strictObject({ shopify }),
  /** Words that name only the group ("shoes"). */
  synonyms: z.record(Locale, z.array(text)),
});
export type Group = z.infer<typeof Group>;

/** A garment category. Clo values are Iclu (ISO 9920): an ensemble's insulation is the sum of its items'. */
const Category = z.strictObject({
  id,
  parentId: id,
  labels,
  region: Region,
  layer: Layer,
  bodySlot: BodySlot,
  lookEligible: z.boolean(),
  clo: z.strictObject({
    default: z.number().min(0).max(2),
    min: z.number().min(0).max(2),
    max: z.number().min(0).max(2),
    confidence: z.enum(['high', 'medium', 'low']),
    sources: z.array(CloSource).min(1),
  }),
  formality: z.strictObject({
    min: z.number().int().min(0).max(5),
    max: z.number().int().min(0).max(5),
  }),
  mappings: z.strictObject({
    shopify,
    google,
    fashionpedia: text.nullable(),
    deepFashion2: text.nullable(),
    clothingDataset: text,
  }),
  /** The sleeve length that the clo default assumes; absent if sleeves do not matter. */
  sleeveLength: text.optional(),
  /** The material implied by the category's name and included in its clo default. */
  impliedMaterial: text.optional(),
  /** Typical protection of outer layers and footwear: an estimate, 0–3 like a material's ratings. */
  protection: z.strictObject({ water: rating, wind: rating }).optional(),
  /** When it is usually worn: an estimate; absent means all year. */
  seasons: z.array(text).min(1).optional(),
  /** The version of the dictionary that added it, if that is not 1.0.0. */
  since: text.optional(),
  synonyms,
});
export type Category = z.infer<typeof Category>;

const Lab = z.tuple([z.number(), z.number(), z.number()]);

const ColourFamily = z.strictObject({
  id,
  labels,
  /** A swatch to show; null for multicolour, which has none. */
  hex: hex.nullable(),
  basic: z.boolean(),
  shopifyColour: text,
  /** False if a photo cannot show it (silver, gold): such families come from text only. */
  measurable: z.boolean(),
  /** CIELAB, D65. */
  prototypesLab: z.array(Lab),
  synonyms,
});

/** Ratings are 0–3 here and 0–1 on the wire (`rating01`). */
const Material = z.strictObject({
  id,
  labels,
  group: text,
  /** EU 1007/2011 or ISO 2076 name; null for a construction such as knit. */
  fibreName: text.nullable(),
  insulationFactor: z.number().positive(),
  waterResistance: rating,
  windResistance: rating,
  breathability: rating,
  moistureRegainPct: z.number().nonnegative().nullable(),
  shopifyFabric: text.nullable(),
  synonyms,
});

const Pattern = z.strictObject({ id, labels, shopifyPattern: text, synonyms });

const SleeveLength = word.extend({
  shopify: text,
  /** Insulation relative to the same garment with long sleeves. */
  cloFactorVsLong: z.number().positive().max(1),
  source: text.optional(),
});

const Attributes = z.strictObject({
  sleeveLength: z.array(SleeveLength),
  neckline: z.array(word),
  fit: z.array(word),
  length: z.array(word),
  weight: z.array(word.extend({ cloRule: text })),
  closure: z.array(word),
  targetGender: z.array(
    word.extend({ google: text, shopify: text, schemaOrg: z.url().optional() }),
  ),
  ageGroup: z.array(word.extend({ google: text, range: text })),
  season: z.array(word),
  formality: z.array(z.strictObject({ id: z.number().int().min(0).max(5), labels, key: text })),
  properties: z.array(word),
});

const slider = (unit: string) =>
  z.strictObject({ min: z.number(), max: z.number(), step: z.number(), unit: z.literal(unit) });

const ProfileOptions = z.strictObject({
  /** `offsetC`: the person's neutral temperature minus the population's, K. */
  thermalProfiles: z.array(word.extend({ offsetC: z.number() })),
  offsetC: slider('K'),
  cloOffset: slider('clo'),
  fitPreferences: z.array(word),
  occasions: z.array(word.extend({ formality: z.tuple([z.number(), z.number()]) })),
  activities: z.array(word.extend({ met: z.number().positive(), source: CloSource })),
  weatherConditions: z.array(word),
});

/** The garment dictionary: the vocabulary shared by classification, outfit engine and console. */
export const Dictionary = z.strictObject({
  schemaVersion: z.literal('1.0'),
  dictionaryVersion: z.string().regex(/^\d+\.\d+\.\d+$/),
  releasedAt: z.iso.date(),
  locales: z.array(Locale),
  regions: z.array(Region),
  layers: z.array(z.strictObject({ id: Layer, order: z.number().int().nullable(), labels })),
  bodySlots: z.array(BodySlot),
  cloModel: z.strictObject({
    unit: z.literal('clo'),
    quantity: z.literal('Iclu'),
    formula: text,
    ensembleNote: text,
    /** m²·K/W of one clo. */
    unitToSI: z.literal(0.155),
  }),
  sources: z.record(text, z.record(text, text)),
  categoryGroups: z.array(Group),
  categories: z.array(Category),
  colourFamilies: z.array(ColourFamily),
  colourSpace: z.strictObject({
    space: z.literal('CIELAB'),
    whitePoint: z.literal('D65'),
    distance: z.literal('CIEDE2000'),
  }),
  materials: z.array(Material),
  patterns: z.array(Pattern),
  attributes: Attributes,
  profileOptions: ProfileOptions,
});
export type Dictionary = z.infer<typeof Dictionary>;

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** Returns the SHA-256 of the dictionary's canonical JSON (RFC 8785), as `sha256:` and 64 hex digits. */
export function contentHashOf(content: Dictionary): string {
  return `sha256:${createHash('sha256')
    .update(canonicalize(content) ?? '')
    .digest('hex')}`;
}

/** The bundled dictionary. A test parses it, which takes a tenth of a second that no start should wait for. */
export const dictionary: Dictionary = deepFreeze(file as unknown as Dictionary);
export const contentHash = contentHashOf(dictionary);

const ids = <T extends { id: string }>(entries: readonly T[]) => entries.map((entry) => entry.id);
export const CATEGORY_IDS = ids(dictionary.categories);
export const COLOUR_IDS = ids(dictionary.colourFamilies);
export const MATERIAL_IDS = ids(dictionary.materials);
export const PATTERN_IDS = ids(dictionary.patterns);
export const SEASON_IDS = ids(dictionary.attributes.season);
export const GENDER_IDS = ids(dictionary.attributes.targetGender);
export const AGE_GROUP_IDS = ids(dictionary.attributes.ageGroup);
export const OCCASION_IDS = ids(dictionary.profileOptions.occasions);

const byId = <T extends { id: string }>(entries: readonly T[]): ReadonlyMap<string, T> =>
  new Map(entries.map((entry) => [entry.id, entry]));
export const categories = byId(dictionary.categories);
export const colourFamilies = byId(dictionary.colourFamilies);
export const groups = byId(dictionary.categoryGroups);
export const materials = byId(dictionary.materials);
export const occasions = byId(dictionary.profileOptions.occasions);

/** Converts a 0–3 rating of the dictionary to the 0–1 of the API. */
export const rating01 = (rating0to3: number): number => Math.round((rating0to3 / 3) * 100) / 100;
