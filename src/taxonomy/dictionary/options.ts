import { createHash } from 'node:crypto';
import { z } from 'zod';
import { IMAGE_CLASSES } from '../photo/image-classes.ts';
import { LocaleTag } from './locales.ts';
import {
  CloSource,
  categories,
  contentHash,
  dictionary,
  Layer,
  Locale,
  Region,
  rating01,
} from './schema.ts';

export const SECTIONS = [
  'categories',
  'colours',
  'materials',
  'patterns',
  'attributes',
  'profile',
] as const;
type Section = (typeof SECTIONS)[number];

/** Earlier versions that are still served, the oldest first, and their content hashes. */
const EARLIER: Readonly<Record<string, string>> = {
  '1.0.0': 'sha256:f81080e5700dad2e36db0b83d9c8d30c2950ba394c8f79537ef1f60845074e2f',
};
const VERSIONS: readonly string[] = [...Object.keys(EARLIER), dictionary.dictionaryVersion];

const oneOf = (values: readonly string[]) => `one of ${values.join(', ')}`;

/** The query of GET /taxonomy/v1/options. */
export const OptionsQuery = z.object({
  locale: LocaleTag.optional(),
  sections: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(
      z.array(
        z.enum(SECTIONS, {
          error: ({ input }) => `"${String(input).slice(0, 40)}" is not ${oneOf(SECTIONS)}`,
        }),
      ),
    )
    .optional()
    .meta({ description: `Comma-separated: ${SECTIONS.join(', ')}; all if absent` }),
  version: z
    .string()
    .refine((version) => VERSIONS.includes(version), {
      error: `must be one of ${VERSIONS.join(', ')}`,
      params: { problem: 'dictionary-version-unsupported' },
    })
    .optional()
    .meta({ description: 'The version of the dictionary; the latest by default' }),
});
export type OptionsQuery = z.infer<typeof OptionsQuery>;

const LabelledId = z.object({ id: z.string(), label: z.string() }).meta({ id: 'Label' });
const rating = z.number().min(0).max(1);
const slider = z.object({ min: z.number(), max: z.number(), step: z.number(), unit: z.string() });

/** The response of GET /taxonomy/v1/options. Sections that were not requested are absent. */
export const OptionsResponse = z
  .object({
    dictionaryVersion: z.string(),
    contentHash: z.string(),
    locale: Locale,
    locales: z.array(Locale),
    regions: z.array(Region),
    layers: z.array(LabelledId.extend({ id: Layer, order: z.number().int().nullable() })),
    groups: z.array(LabelledId.extend({ region: Region.nullable() })).optional(),
    categories: z
      .array(
        LabelledId.extend({
          groupId: z.string(),
          region: Region,
          layer: Layer,
          bodySlot: z.string(),
          lookEligible: z.boolean(),
          clo: z.object({
            default: z.number(),
            min: z.number(),
            max: z.number(),
            confidence: z.string(),
            sources: z.array(CloSource),
          }),
          formality: z.object({ min: z.number(), max: z.number() }),
          seasons: z.array(z.string()).meta({ description: 'Empty: worn all year' }),
          mappings: z.object({ shopify: z.string(), google: z.number() }),
        }),
      )
      .optional(),
    colours: z
      .array(LabelledId.extend({ hex: z.string().nullable(), measurable: z.boolean() }))
      .optional(),
    materials: z
      .array(
        LabelledId.extend({
          fibreName: z.string().nullable(),
          insulationFactor: z.number(),
          waterResistance: rating,
          windResistance: rating,
          breathability: rating,
        }),
      )
      .optional(),
    patterns: z.array(LabelledId).optional(),
    attributes: z
      .record(z.string(), z.array(LabelledId.extend({ id: z.union([z.string(), z.number()]) })))
      .optional(),
    profile: z
      .object({
        thermalProfiles: z.array(LabelledId.extend({ offsetC: z.number() })),
        offsetC: slider,
        cloOffset: slider,
        fitPreferences: z.array(LabelledId),
        occasions: z.array(LabelledId.extend({ formality: z.array(z.number()).length(2) })),
        activities: z.array(LabelledId.extend({ met: z.number() })),
        weatherConditions: z.array(LabelledId),
      })
      .optional(),
    model: z.object({
      version: z
        .string()
        .meta({ description: 'Of the image model; `modelVersion` of a classification' }),
      imageClasses: z.array(z.string()),
      languages: z.array(Locale),
    }),
  })
  .meta({ id: 'OptionsResponse' });
export type OptionsResponse = z.infer<typeof OptionsResponse>;

/** What each section has of the dictionary: entries with labels in all languages, and more than the response has. */
const SECTION_BODIES: Readonly<Record<Section, object>> = {
  categories: {
    groups: dictionary.categoryGroups,
    categories: dictionary.categories.map(
      ({ parentId, mappings: { shopify, google }, ...rest }) => ({
        seasons: [],
        ...rest,
        groupId: parentId,
        mappings: { shopify: shopify.id, google: google.id },
      }),
    ),
  },
  colours: { colours: dictionary.colourFamilies },
  materials: {
    materials: dictionary.materials.map((material) => ({
      ...material,
      waterResistance: rating01(material.waterResistance),
      windResistance: rating01(material.windResistance),
      breathability: rating01(material.breathability),
    })),
  },
  patterns: { patterns: dictionary.patterns },
  attributes: { attributes: dictionary.attributes },
  profile: { profile: dictionary.profileOptions },
};

/** Gives every entry within a value the label of one language instead of its labels in all of them. */
function localised(value: unknown, locale: Locale): unknown {
  if (Array.isArray(value)) return value.map((each) => localised(each, locale));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) =>
      key === 'labels' ? ['label', own[locale]] : [key, localised(own, locale)],
    ),
  );
}

/** Leaves out what a version does not have yet. */
function withoutLater(body: OptionsResponse, version: string): OptionsResponse {
  if (!body.categories) return body;
  const [first = ''] = VERSIONS;
  const isThere = (id: string) =>
    VERSIONS.indexOf(categories.get(id)?.since ?? first) <= VERSIONS.indexOf(version);
  return { ...body, categories: body.categories.filter(({ id }) => isThere(id)) };
}

/** Builds the response: the requested sections in one language. */
function optionsOf(
  locale: Locale,
  sections: readonly Section[],
  modelVersion: string,
  version: string,
): OptionsResponse {
  const { locales, regions, layers } = dictionary;
  const body = {
    dictionaryVersion: version,
    contentHash: EARLIER[version] ?? contentHash,
    locale,
    locales,
    regions,
    layers,
    ...Object.assign({}, ...sections.map((section) => SECTION_BODIES[section])),
    model: { version: modelVersion, imageClasses: IMAGE_CLASSES, languages: locales },
  };
  return withoutLater(OptionsResponse.parse(localised(body, locale)), version);
}

/** A response body and the strong entity tag of exactly these bytes. */
interface ServedOptions {
  text: string;
  etag: string;
}

/**
 * Creates the responses to queries. Each of the 6 languages × 64 selections of a version is built once and cached; the order of
 * the sections does not matter.
 * @param modelVersion id and version of the image model
 */
export function createOptions(modelVersion: string) {
  const served = new Map<string, ServedOptions>();
  return (
    locale: Locale,
    sections: OptionsQuery['sections'],
    version: string = dictionary.dictionaryVersion,
  ): ServedOptions => {
    const selected = SECTIONS.filter((section) => sections?.includes(section) ?? true);
    const key = `${version} ${locale} ${selected.join()}`;
    const cached = served.get(key);
    if (cached) return cached;
    const text = JSON.stringify(optionsOf(locale, selected, modelVersion, version));
    const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
    const fresh = { text, etag };
    served.set(key, fresh);
    return fresh;
  };
}
