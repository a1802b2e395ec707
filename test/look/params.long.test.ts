import { describe, expect, test } from 'vitest';
import {
  type CoefficientRow,
  PARAMS,
  type ParamsDocument,
  readModel,
} from '../../src/look/params.ts';
import { PROBES } from './param-probes.ts';

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
