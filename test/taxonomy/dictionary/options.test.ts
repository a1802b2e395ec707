import { describe, expect, test } from 'vitest';
import {
  createOptions,
  OptionsQuery,
  OptionsResponse,
  SECTIONS,
} from '../../../src/taxonomy/dictionary/options.ts';
import { contentHash, dictionary, LOCALES } from '../../../src/taxonomy/dictionary/schema.ts';

const serve = createOptions('garment-class@1');
const options = (query: unknown) => {
  const { locale = 'en', sections, version } = OptionsQuery.parse(query);
  return serve(locale, sections, version);
};
const body = (query: unknown) => OptionsResponse.parse(JSON.parse(options(query).text));
const messages = (query: unknown) =>
  (OptionsQuery.safeParse(query).error?.issues ?? []).map(({ path, message }) => [
    path[0],
    message,
  ]);

test('without a query, all sections are returned in English', () => {
  const all = body({});
  expect(all).toMatchObject({ dictionaryVersion: '1.1.0', contentHash, locale: 'en' });
  for (const section of SECTIONS) expect(all[section]).toBeDefined();
  expect(all.categories).toHaveLength(dictionary.categories.length);
});

test.each(LOCALES)('labels come in %s', (locale) => {
  const { categories, profile } = body({ locale });
  expect(categories?.[0]?.label).toBe(dictionary.categories[0]?.labels[locale]);
  expect(profile?.occasions[0]?.label).toBe(dictionary.profileOptions.occasions[0]?.labels[locale]);
});

test.each(SECTIONS)('%s may be requested alone', (section) => {
  const only = body({ sections: section });
  expect(SECTIONS.filter((name) => only[name] !== undefined)).toEqual([section]);
  expect(only.regions).toEqual(dictionary.regions);
});

test('a category has the fields of an item', () => {
  const found = body({ locale: 'de', sections: 'categories' }).categories?.find(
    ({ id }) => id === 'down_jacket',
  );
  expect(found).toMatchObject({
    label: 'Daunenjacke',
    groupId: 'outer_coat',
    region: 'outerwear',
    layer: 'outer',
    clo: { default: 0.55, min: 0.45, max: 0.7 },
    mappings: { google: 5598 },
  });
});

test('ratings are 0 to 1 in the API', () => {
  const membrane = body({ sections: 'materials' }).materials?.find(({ id }) => id === 'membrane');
  expect(membrane).toMatchObject({ waterResistance: 1, windResistance: 1, breathability: 0.67 });
});

describe('the entity tag', () => {
  const tag = (query: unknown) => options(query).etag;

  test('is the same for the same body, for any form of the query', () => {
    expect(tag({ sections: 'colours,profile' })).toBe(
      tag({ sections: ' profile, colours ,profile' }),
    );
    expect(tag({})).toBe(tag({ sections: SECTIONS.join() }));
    expect(tag({ version: '1.1.0' })).toBe(tag({}));
  });

  test('differs with language and sections', () => {
    expect(new Set([tag({}), tag({ locale: 'de' }), tag({ sections: 'colours' })]).size).toBe(3);
  });
});

test('an earlier version is answered as it was: without what came later', () => {
  const [before, now] = [body({ version: '1.0.0' }), body({})];
  expect([before.dictionaryVersion, before.contentHash]).toEqual([
    '1.0.0',
    'sha256:f81080e5700dad2e36db0b83d9c8d30c2950ba394c8f79537ef1f60845074e2f',
  ]);
  const later = (now.categories ?? []).filter(
    ({ id }) => !before.categories?.some((category) => category.id === id),
  );
  expect(later.map(({ id }) => id)).toEqual([
    'abaya',
    'kaftan',
    'kurta',
    'shalwar_kameez',
    'sherwani',
    'thobe',
    'dirndl',
    'hanfu_qipao',
  ]);
  expect(before.categories).toHaveLength(90);
});

test('unknown values are rejected with the list of known ones', () => {
  expect(messages({ locale: 'ru', sections: 'colours,shapes', version: '2.0.0' })).toEqual([
    ['locale', 'must be one of en, de, fr, es, it, nl'],
    [
      'sections',
      '"shapes" is not one of categories, colours, materials, patterns, attributes, profile',
    ],
    ['version', 'must be one of 1.0.0, 1.1.0'],
  ]);
});
