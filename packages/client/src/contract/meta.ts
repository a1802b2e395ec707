import type { DictionaryEntry } from './dictionary.ts';
import type { Locale } from './garment-words.ts';

/* The engine's dictionaries, codes and coefficients. */

/** Selects the language of labels. */
export interface MetaQuery {
  /** A language tag such as `de-AT`; by default what `Accept-Language` prefers, else English. */
  locale?: string | undefined;
}

export interface MetaVersions {
  api: string;
  engine: string;
  params: string;
  dictionary: string;
  /** Of the garment dictionary; equals `dictionary`. */
  taxonomy: string;
  contentHash: string;
}

/** An accepted value, its label, and facts such as `offsetC` or `met`. */
export interface MetaEntry extends DictionaryEntry {
  [fact: string]: unknown;
}

export interface MetaDictionaries {
  occasion: MetaEntry[];
  condition: MetaEntry[];
  thermalProfile: MetaEntry[];
  category: MetaEntry[];
  color: MetaEntry[];
  material: MetaEntry[];
  pattern: MetaEntry[];
  season: MetaEntry[];
  metPreset: MetaEntry[];
  layer: MetaEntry[];
  plan: MetaEntry[];
  warning: MetaEntry[];
  /** Texts of the codes, with `{name}` for each value. */
  explanation: MetaEntry[];
}

export interface MetaCodes {
  warning: string[];
  explanation: string[];
}

/** Labels, accepted values, versions and limits of the outfit engine. */
export interface MetaResponse {
  versions: MetaVersions;
  locale: Locale;
  locales: Locale[];
  dictionaries: MetaDictionaries;
  codes: MetaCodes;
  limits: Record<string, number>;
}

/** Where a coefficient comes from. */
export type CoefficientBasis = 'standard' | 'literature' | 'fitted' | 'judgement';

export interface Coefficient {
  key: string;
  value: number;
  unit: string;
  basis: CoefficientBasis;
  source: string;
}

export interface CoefficientTable {
  unit: string;
  basis: CoefficientBasis;
  source: string;
  rows: unknown[] | Record<string, unknown>;
}

export interface Equation {
  id: string;
  text: string;
}

/** Every coefficient of the outfit engine, with unit and source. */
export interface ParamsResponse {
  version: string;
  model: string;
  issued: string;
  supportedTargetVersions: string[];
  coefficients: Coefficient[];
  tables: Record<string, CoefficientTable>;
  equations: Equation[];
}
