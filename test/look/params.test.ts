import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { ParamsResponse } from '../../src/look/schema.ts';

describe('the document', () => {
  test('has another version whenever a value is another', () => {
    const values = PARAMS.coefficients.map(({ key, value }) => [key, value]);
    const rows = Object.entries(PARAMS.tables).map(([name, table]) => [name, table.rows]);
    const hash = createHash('sha256')
      .update(JSON.stringify([values, rows]))
      .digest('hex');
    // If this fails, raise the version in src/look/params.ts, then write down the new pair.
    expect([PARAMS.version, hash.slice(0, 16)]).toEqual(['look-params/1.8.0', 'e9ee4635715c6170']);
  });

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
