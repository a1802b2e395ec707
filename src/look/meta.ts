import { z } from 'zod';
import { LocaleTag } from '../taxonomy/dictionary/locales.ts';
import { contentHash, dictionary, LOCALES, Locale } from '../taxonomy/dictionary/schema.ts';
import type { Model } from './params.ts';
import {
  CONDITION_NAMES,
  EXPLANATIONS,
  PLANS,
  SHELL_REASONS,
  WARNINGS,
} from './texts/explanations.ts';
import type { Text } from './texts/texts.ts';
import { MAX_CANDIDATES, MAX_ITEMS, MAX_OUTFITS } from './wardrobe/wardrobe-request.ts';

const API_VERSION = 'v1';
/** Semver; changes if the engine returns other results for the same params. */
const ENGINE_VERSION = '1.0.0';

export const MetaQuery = z.object({
  locale: LocaleTag.optional(),
});
export type MetaQuery = z.infer<typeof MetaQuery>;

const Entry = z.looseObject({ id: z.string(), label: z.string() }).meta({ id: 'DictionaryEntry' });

export const MetaResponse = z
  .strictObject({
    versions: z.strictObject({
      api: z.string(),
      engine: z.string(),
      params: z.string(),
      dictionary: z.string(),
      taxonomy: z.string().meta({ description: 'Of the garment dictionary; equals `dictionary`' }),
      contentHash: z.string(),
    }),
    locale: Locale,
    locales: z.array(Locale),
    dictionaries: z.strictObject({
      occasion: z.array(Entry),
      condition: z.array(Entry),
      thermalProfile: z.array(Entry),
      category: z.array(Entry),
      color: z.array(Entry),
      material: z.array(Entry),
      pattern: z.array(Entry),
      season: z.array(Entry),
      metPreset: z.array(Entry),
      layer: z.array(Entry),
      plan: z.array(Entry),
      warning: z.array(Entry),
      explanation: z
        .array(Entry)
        .meta({ description: 'Texts of the codes, with `{name}` for each value' }),
    }),
    codes: z.strictObject({ warning: z.array(z.string()), explanation: z.array(z.string()) }),
    limits: z.record(z.string(), z.number()),
  })
  .meta({ id: 'MetaResponse' });
export type MetaResponse = z.infer<typeof MetaResponse>;

/** Texts of explanations, and of the reasons of shells with `shell.` before each code. */
const REASONS: Readonly<Record<string, Text>> = {
  ...EXPLANATIONS,
  ...Object.fromEntries(
    Object.entries(SHELL_REASONS).map(([code, text]) => [`shell.${code}`, text]),
  ),
};

const labelsOf = (texts: Readonly<Record<string, Text>>, locale: Locale) =>
  Object.entries(texts).map(([id, text]) => ({ id, label: text[locale] }));

/** The options of the engine with labels in one language, versions and limits. */
export function metaResponse(model: Model, locale: Locale): MetaResponse {
  const labelled = ({ id, labels }: { id: string; labels: Readonly<Record<Locale, string>> }) => ({
    id,
    label: labels[locale],
  });
  const { attributes, categories, colourFamilies, layers, materials, patterns, profileOptions } =
    dictionary;
  const { tables } = model;
  return {
    versions: {
      api: API_VERSION,
      engine: ENGINE_VERSION,
      params: model.version,
      dictionary: dictionary.dictionaryVersion,
      taxonomy: dictionary.dictionaryVersion,
      contentHash,
    },
    locale,
    locales: [...LOCALES],
    dictionaries: {
      occasion: profileOptions.occasions.map((one) => ({
        ...labelled(one),
        ...tables.occasion[one.id],
      })),
      condition: [
        ...profileOptions.weatherConditions.map(labelled),
        ...labelsOf(CONDITION_NAMES, locale),
      ],
      thermalProfile: profileOptions.thermalProfiles.map((one) => ({
        ...labelled(one),
        offsetC: one.offsetC,
      })),
      category: categories.map((one) => ({
        ...labelled(one),
        region: one.region,
        layer: one.layer,
        bodySlot: one.bodySlot,
        defaultClo: tables.garmentClo[one.id],
        formality: [one.formality.min, one.formality.max],
        lookEligible: one.lookEligible,
      })),
      color: colourFamilies.map((one) => ({ ...labelled(one), hex: one.hex })),
      material: materials.map(labelled),
      pattern: patterns.map(labelled),
      season: attributes.season.map((one) => ({ ...labelled(one), ...tables.season[one.id] })),
      metPreset: profileOptions.activities.map((one) => ({ ...labelled(one), met: one.met })),
      layer: layers.map((one) => ({ ...labelled(one), order: one.order })),
      plan: labelsOf(PLANS, locale),
      warning: labelsOf(WARNINGS, locale),
      explanation: labelsOf(REASONS, locale),
    },
    codes: { warning: Object.keys(WARNINGS), explanation: Object.keys(REASONS) },
    limits: { items: MAX_ITEMS, candidates: MAX_CANDIDATES, outfits: MAX_OUTFITS },
  };
}
