import type { InsulationSource } from './classification.ts';
import type { Layer, Locale, Region } from './garment-words.ts';

/* The dictionary of garment words. */

/** Selects parts of the dictionary. */
export interface TaxonomyOptionsQuery {
  /** A language tag such as `de-AT`; by default what `Accept-Language` prefers, else English. */
  locale?: string | undefined;
  /**
   * Comma-separated: categories, colours, materials, patterns, attributes, profile. All by default.
   */
  sections?: string | undefined;
  /** Rejects the request if the dictionary has another version. */
  version?: string | undefined;
}

/** An id of the dictionary and its label in the language asked for. */
export interface DictionaryEntry {
  id: string;
  label: string;
}

export interface DictionaryLayer {
  id: Layer;
  label: string;
  /** From the skin outwards; null for layers without an order. */
  order: number | null;
}

export interface DictionaryGroup extends DictionaryEntry {
  region: Region | null;
}

/** Effective insulation Iclu of a category (ISO 9920), clo. */
export interface CategoryInsulation {
  default: number;
  min: number;
  max: number;
  confidence: string;
  sources: InsulationSource[];
}

/** From 0 lounge to 5 formal. */
export interface FormalityRange {
  min: number;
  max: number;
}

/** Ids of a category in other taxonomies. */
export interface CategoryMappings {
  shopify: string;
  google: number;
}

export interface DictionaryCategory extends DictionaryEntry {
  groupId: string;
  region: Region;
  layer: Layer;
  bodySlot: string;
  /** Whether the outfit engine uses it. */
  lookEligible: boolean;
  clo: CategoryInsulation;
  formality: FormalityRange;
  /** Empty if worn all year. */
  seasons: string[];
  mappings: CategoryMappings;
}

export interface DictionaryColour extends DictionaryEntry {
  /** `#rrggbb`; null for families without one colour. */
  hex: string | null;
  /** Whether it can be measured on a photo. */
  measurable: boolean;
}

export interface DictionaryMaterial extends DictionaryEntry {
  fibreName: string | null;
  insulationFactor: number;
  /** 0 to 1. */
  waterResistance: number;
  /** 0 to 1. */
  windResistance: number;
  /** 0 to 1. */
  breathability: number;
}

/** A value of an attribute. */
export interface DictionaryAttribute {
  id: string | number;
  label: string;
}

export interface ThermalProfileEntry extends DictionaryEntry {
  /** Kelvin. */
  offsetC: number;
}

/** Bounds of a setting. */
export interface SettingRange {
  min: number;
  max: number;
  step: number;
  unit: string;
}

export interface OccasionEntry extends DictionaryEntry {
  /** From and to, 0 lounge to 5 formal. */
  formality: number[];
}

export interface ActivityEntry extends DictionaryEntry {
  /** Met. */
  met: number;
}

/** What a person can choose. */
export interface ProfileOptions {
  thermalProfiles: ThermalProfileEntry[];
  offsetC: SettingRange;
  cloOffset: SettingRange;
  fitPreferences: DictionaryEntry[];
  occasions: OccasionEntry[];
  activities: ActivityEntry[];
  weatherConditions: DictionaryEntry[];
}

/** What the classifier knows. */
export interface ClassifierInfo {
  /** Of the image model; `modelVersion` of a classification. */
  version: string;
  imageClasses: string[];
  languages: Locale[];
}

/** The dictionary; sections that were not asked for are left out. */
export interface TaxonomyOptionsResponse {
  dictionaryVersion: string;
  contentHash: string;
  locale: Locale;
  locales: Locale[];
  regions: Region[];
  layers: DictionaryLayer[];
  groups?: DictionaryGroup[];
  categories?: DictionaryCategory[];
  colours?: DictionaryColour[];
  materials?: DictionaryMaterial[];
  patterns?: DictionaryEntry[];
  attributes?: Record<string, DictionaryAttribute[]>;
  profile?: ProfileOptions;
  model: ClassifierInfo;
}
