import { describe, expect, test } from 'vitest';
import {
  type CoefficientRow,
  PARAMS,
  type ParamsDocument,
  readModel,
} from '../../src/look/params.ts';
import { ParamsResponse } from '../../src/look/schema.ts';
import { WITNESSES } from './witnesses.ts';

describe('the document', () => {
  test('has the form that is published', () => {
    expect(ParamsResponse.parse(PARAMS)).toEqual(PARAMS);
  });

  test('names every coefficient once, by the path the engine reads it at', () => {
    const { k } = readModel(PARAMS);
    const paths = Object.entries(k).flatMap(([group, names]) =>
      Object.entries(names).map(([name, value]) => [`${group}.${name}`, value]),
    );
    expect(PARAMS.coefficients.map(({ key, value }) => [key, value])).toEqual(paths);
    expect(new Set(paths.map(([key]) => key)).size).toBe(paths.length);
  });

  test('says of everything what it rests on', () => {
    for (const { key, unit, source } of [
      ...PARAMS.coefficients,
      ...Object.entries(PARAMS.tables).map(([key, table]) => ({ key, ...table })),
    ])
      expect([unit, source], key).not.toContain('');
  });

  test('speaks in its equations of coefficients and tables that exist', () => {
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

const usual = readModel(PARAMS);
const before = WITNESSES.map((witness) => JSON.stringify(witness(usual)));

/** Whether any answer differs under another document. */
const isSeen = (document: ParamsDocument): boolean => {
  const model = readModel(document);
  return WITNESSES.some((witness, i) => JSON.stringify(witness(model)) !== before[i]);
};

/** Several sizes: a large step may jump over what a small one moves, and the other way round. */
const STEPS = [1.3, 0.5, 1.02, 0.9, 2, 0];

const moved = (value: number, factor: number): number =>
  value === 0 ? 2 - factor - (factor === 0 ? 0 : 1.5) : value * factor;

describe('every number is read: the engine answers otherwise with another', () => {
  test.each(PARAMS.coefficients.map((row) => [row.key, row] as const))('%s', (_, row) => {
    const withValue = (value: number): ParamsDocument => ({
      ...PARAMS,
      coefficients: PARAMS.coefficients.map(
        (other): CoefficientRow => (other === row ? { ...row, value } : other),
      ),
    });
    expect(STEPS.some((factor) => isSeen(withValue(moved(row.value, factor))))).toBe(true);
  });
});

/** Where the numbers of a table stand. */
const numbersAt = (value: unknown, path: string[] = []): string[][] => {
  if (typeof value === 'number') return [path];
  if (!(value instanceof Object)) return [];
  return Object.entries(value).flatMap(([key, part]) => numbersAt(part, [...path, key]));
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
  .flatMap(([name, { rows }]) => numbersAt(rows).map((path) => [[name, 'rows', ...path]] as const));

describe('every number in a table is read', () => {
  test.each(inTables.map(([path]) => [path.join('.'), path] as const))('%s', (_, path) => {
    const withFactor = (factor: number) => ({
      ...PARAMS,
      tables: changed(PARAMS.tables, path, factor) as ParamsDocument['tables'],
    });
    expect(STEPS.some((factor) => isSeen(withFactor(factor)))).toBe(true);
  });
});
