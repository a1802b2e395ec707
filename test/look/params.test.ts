import { describe, expect, test } from 'vitest';
import {
  type CoefficientRow,
  PARAMS,
  type ParamsDocument,
  readModel,
} from '../../src/look/params.ts';
import { ParamsResponse } from '../../src/look/schema.ts';
import { PROBES } from './param-probes.ts';

describe('the document', () => {
  test('matches the published schema', () => {
    expect(ParamsResponse.parse(PARAMS)).toEqual(PARAMS);
  });

  test('names every coefficient once, by the path at which the engine reads it', () => {
    const { k } = readModel(PARAMS);
    const paths = Object.entries(k).flatMap(([group, names]) =>
      Object.entries(names).map(([name, value]) => [`${group}.${name}`, value]),
    );
    expect(PARAMS.coefficients.map(({ key, value }) => [key, value])).toEqual(paths);
    expect(new Set(paths.map(([key]) => key)).size).toBe(paths.length);
  });

  test('has unit and source of everything', () => {
    const rows = [
      ...PARAMS.coefficients,
      ...Object.entries(PARAMS.tables).map(([key, table]) => ({ key, ...table })),
    ];
    expect(rows.length).toBeGreaterThan(60);
    for (const { key, unit, source } of rows) {
      expect(unit, key).toMatch(/\S/);
      expect(source, key).toMatch(/\S/);
    }
  });

  test('refers in its equations only to coefficients and tables that exist', () => {
    const text = PARAMS.equations.map((equation) => equation.text).join(' ');
    const groups = new Set(PARAMS.coefficients.map(({ key }) => key.split('.')[0]));
    const named = [...text.matchAll(/\b([a-z]+)\.([A-Za-z0-9]+)\b/g)].filter(([, group]) =>
      groups.has(group ?? ''),
    );
    expect(named.length).toBeGreaterThan(60);
    const keys = new Set(PARAMS.coefficients.map(({ key }) => key));
    expect(named.map(([key]) => key).filter((key) => !keys.has(key))).toEqual([]);
    for (const table of ['regionShare', 'feetRamp', 'windChillRamp', 'thermalProfile'])
      expect(text).toContain(table);
  });

  test('cannot be read without one of its coefficients', () => {
    const short = { ...PARAMS, coefficients: PARAMS.coefficients.slice(1) };
    expect(() => readModel(short)).toThrow(PARAMS.coefficients[0]?.key);
  });
});

/** The object, noting the path of each number that is read of it. */
function noting<T extends object>(value: T, read: Set<string>, path = ''): T {
  const known = new Map<string, unknown>();
  return new Proxy(value, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return part;
      if (typeof part === 'number') read.add(path + name);
      if (!(part instanceof Object)) return part;
      if (!known.has(name)) known.set(name, noting(part, read, `${path}${name}.`));
      return known.get(name);
    },
  });
}

const published = readModel(PARAMS);
/** What reads few numbers takes least time, so it is asked first. */
const probes = PROBES.map((probe) => {
  const read = new Set<string>();
  const before = JSON.stringify(probe(noting(published, read)));
  return { probe, before, read };
}).sort((a, b) => a.read.size - b.read.size);

/**
 * Whether any result differs with another document. Only what reads the number can tell, and what found the last
 * difference is asked first: numbers that stand side by side tend to change the same result.
 * @param path where the model has the number
 */
function changesResults(document: ParamsDocument, path: string): boolean {
  const model = readModel(document);
  const found = probes.findIndex(
    ({ probe, before, read }) => read.has(path) && JSON.stringify(probe(model)) !== before,
  );
  if (found > 0) probes.unshift(...probes.splice(found, 1));
  return found >= 0;
}

/** Several sizes, the largest first: a change may be too small to cross a threshold, or cross two that cancel out. */
const STEPS = [0, 2, 0.5, 1.3, 0.9, 1.02];

const moved = (value: number, factor: number): number =>
  value === 0 ? 2 - factor - (factor === 0 ? 0 : 1.5) : value * factor;

describe('every coefficient is used: another value changes a result', () => {
  test.each(PARAMS.coefficients.map((row) => [row.key, row] as const))('%s', (_, row) => {
    const withValue = (value: number): ParamsDocument => ({
      ...PARAMS,
      coefficients: PARAMS.coefficients.map(
        (other): CoefficientRow => (other === row ? { ...row, value } : other),
      ),
    });
    expect(
      STEPS.some((factor) => changesResults(withValue(moved(row.value, factor)), `k.${row.key}`)),
    ).toBe(true);
  });
});

/** Paths of the numbers in a table. */
const numberPaths = (value: unknown, path: string[] = []): string[][] => {
  if (typeof value === 'number') return [path];
  if (!(value instanceof Object)) return [];
  return Object.entries(value).flatMap(([key, part]) => numberPaths(part, [...path, key]));
};

function changed(value: unknown, [key, ...rest]: readonly string[], factor: number): unknown {
  if (key === undefined) return typeof value === 'number' ? moved(value, factor) : value;
  if (Array.isArray(value))
    return value.with(Number(key), changed(value[Number(key)], rest, factor));
  const part = value instanceof Object ? Object.entries(value).find(([name]) => name === key) : [];
  return { ...(value as object), [key]: changed(part?.[1], rest, factor) };
}

const inTables = Object.entries(PARAMS.tables)
  .filter(([name]) => name !== 'garmentClo')
  .flatMap(([name, { rows }]) =>
    numberPaths(rows).map((path) => [[name, ...path].join('.'), [name, 'rows', ...path]] as const),
  );

describe('every number in a table is used', () => {
  test.each(inTables)('%s', (name, path) => {
    const withFactor = (factor: number) => ({
      ...PARAMS,
      tables: changed(PARAMS.tables, path, factor) as ParamsDocument['tables'],
    });
    expect(STEPS.some((factor) => changesResults(withFactor(factor), `tables.${name}`))).toBe(true);
  });
});
