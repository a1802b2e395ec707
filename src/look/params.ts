import { readTable } from '../taxonomy/tables.ts';
import { type Basis, type Coefficients, coefficients } from './coefficients.ts';
import { TABLES, type Tables } from './tables.ts';

/**
 * How a client computes the targets from the coefficients, in data/look/equations.tsv. Names with a dot are coefficients,
 * names of tables stand as they are; `p(t) = exp(vapour.a − vapour.b/(t + vapour.c))` is in kPa; `ramp(table, x)` is
 * linear between rows and constant beyond them.
 */
const EQUATIONS: readonly { id: string; text: string }[] = readTable('look/equations').map(
  ([id = '', text = '']) => ({ id, text }),
);

export interface CoefficientRow {
  key: string;
  value: number;
  unit: string;
  basis: Basis;
  source: string;
}

/** The document of `GET /look/v1/params`, from which the engine is built. */
export interface ParamsDocument {
  version: string;
  model: string;
  /** ISO 8601 date. */
  issued: string;
  /** Versions whose signed targets are still accepted. */
  supportedTargetVersions: readonly string[];
  coefficients: readonly CoefficientRow[];
  tables: Tables;
  equations: readonly { id: string; text: string }[];
}

/** The document in the form the equations use: coefficients by name, tables without units and sources. */
export interface Model {
  version: string;
  supportedTargetVersions: readonly string[];
  k: Coefficients;
  tables: { readonly [Name in keyof Tables]: Tables[Name]['rows'] };
}

function coefficientRows(): CoefficientRow[] {
  const rows: CoefficientRow[] = [];
  coefficients((key, value, unit, basis, source) => {
    rows.push({ key, value, unit, basis, source });
    return value;
  });
  return rows;
}

const VERSION = 'look-params/1.8.0';

/** Earlier versions that give the same targets for the same request. */
const COMPATIBLE_VERSIONS = [
  'look-params/1.6.0',
  'look-params/1.5.0',
  'look-params/1.4.0',
  'look-params/1.3.0',
  'look-params/1.2.0',
  'look-params/1.1.0',
  'look-params/1.0.2',
  'look-params/1.0.1',
  'look-params/1.0.0',
];

/** The current document. A change of any value needs a new version. */
export const PARAMS: ParamsDocument = {
  version: VERSION,
  model: 'look-heat-balance/1',
  issued: '2026-11-29',
  supportedTargetVersions: [VERSION, ...COMPATIBLE_VERSIONS],
  coefficients: coefficientRows(),
  tables: TABLES,
  equations: EQUATIONS,
};

/**
 * Builds the engine's model from a params document; the engine has no other numbers.
 * @throws Error if a coefficient is missing
 */
export function readModel(document: ParamsDocument): Model {
  const values = new Map(document.coefficients.map(({ key, value }) => [key, value]));
  const k = coefficients((key) => {
    const value = values.get(key);
    if (value === undefined) throw new Error(`The params document has no ${key}`);
    return value;
  });
  const { tables } = document;
  return {
    version: document.version,
    supportedTargetVersions: document.supportedTargetVersions,
    k,
    tables: {
      condition: tables.condition.rows,
      regionShare: tables.regionShare.rows,
      feetRamp: tables.feetRamp.rows,
      windChillRamp: tables.windChillRamp.rows,
      thermalProfile: tables.thermalProfile.rows,
      occasion: tables.occasion.rows,
      season: tables.season.rows,
      weights: tables.weights.rows,
      protection: tables.protection.rows,
      hueHarmony: tables.hueHarmony.rows,
      visibleArea: tables.visibleArea.rows,
      feel: tables.feel.rows,
      warmth: tables.warmth.rows,
      garmentClo: tables.garmentClo.rows,
      garmentWater: tables.garmentWater.rows,
      layering: tables.layering.rows,
      sense: tables.sense.rows,
      coverage: tables.coverage.rows,
      heatLimit: tables.heatLimit.rows,
    },
  };
}
