import { describe, expect, test } from 'vitest';
import { MetaResponse, metaResponse } from '../../src/look/meta.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { CONDITIONS, THERMAL_PROFILES } from '../../src/look/tables.ts';
import { dictionary, LOCALES } from '../../src/taxonomy/dictionary/schema.ts';

const model = readModel(PARAMS);
const ids = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);

describe.each(LOCALES)('in %s', (locale) => {
  const meta = metaResponse(model, locale);

  test('the response matches the published schema', () => {
    expect(MetaResponse.parse(meta)).toEqual(meta);
  });

  test('every entry has a label', () => {
    const dictionaries = Object.entries(meta.dictionaries);
    expect(dictionaries.map(([name]) => name)).toContain('condition');
    for (const [name, entries] of dictionaries) {
      expect(entries.length, name).toBeGreaterThan(0);
      for (const entry of entries) expect(entry.label, entry.id).toMatch(/\S/);
    }
  });
});

test('the options are exactly those that the engine accepts', () => {
  const { dictionaries, versions } = metaResponse(model, 'en');
  expect(new Set(ids(dictionaries.condition))).toEqual(new Set(CONDITIONS));
  expect(new Set(ids(dictionaries.thermalProfile))).toEqual(new Set(THERMAL_PROFILES));
  expect(new Set(ids(dictionaries.occasion))).toEqual(new Set(Object.keys(model.tables.occasion)));
  expect(new Set(ids(dictionaries.season))).toEqual(new Set(Object.keys(model.tables.season)));
  expect(ids(dictionaries.category)).toEqual(ids(dictionary.categories));
  expect(versions.params).toBe(PARAMS.version);
});

test('labels differ between languages', () => {
  const label = (locale: (typeof LOCALES)[number]) =>
    metaResponse(model, locale).dictionaries.condition.find(({ id }) => id === 'rain')?.label;
  expect(LOCALES.map(label)).toEqual(['Rain', 'Regen', 'Pluie', 'Lluvia', 'Pioggia', 'Regen']);
});
