import { type Basis, type Coefficients, coefficients } from './coefficients.ts';
import { EQUATIONS } from './equations.ts';
import { TABLES, type Tables } from './tables.ts';

export interface CoefficientRow {
  key: string;
  value: number;
  unit: string;
  basis: Basis;
  source: string;
}

/** What `GET /look/v1/params` answers, and what the engine is built from. */
export interface ParamsDocument {
  version: string;
  model: string;
  /** ISO 8601 date. */
  issued: string;
  /** Versions under which signed targets are still taken. */
  supportedTargetVersions: readonly string[];
  coefficients: readonly CoefficientRow[];
  tables: Tables;
  equations: readonly { id: string; text: string }[];
}

/** The document in the form the equations use: coefficients by name, tables without their notes. */
export interface Model {
  version: string;
  supportedTargetVersions: readonly string[];
  k: Coefficients;
  tables: { readonly [Name in keyof Tables]: Tables[Name]['rows'] };
}

function publish(): CoefficientRow[] {
  const rows: CoefficientRow[] = [];
  coefficients((key, value, unit, basis, source) => {
    rows.push({ key, value, unit, basis, source });
    return value;
  });
  return rows;
}

const VERSION = 'look-params/1.0.1';

/** Versions before it that give the same targets for the same request. */
const SAME_TARGETS = ['look-params/1.0.0'];

/** The params in force. A change of any value makes a new version. */
export const PARAMS: ParamsDocument = {
  version: VERSION,
  model: 'look-heat-balance/1',
  issued: '2026-11-22',
  supportedTargetVersions: [VERSION, ...SAME_TARGETS],
  coefficients: publish(),
  tables: TABLES,
  equations: EQUATIONS,
};

/**
 * Reads a params document: the engine has no numbers but those in it.
 * @throws Error when a coefficient is missing
 */
export function readModel(document: ParamsDocument): Model {
  const values = new Map(document.coefficients.map(({ key, value }) => [key, value]));
  const k = coefficients((key) => {
    const value = values.get(key);
    if (value === undefined) throw new Error(`The params document lacks ${key}`);
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
      layering: tables.layering.rows,
      bare: tables.bare.rows,
      soaked: tables.soaked.rows,
    },
  };
}
