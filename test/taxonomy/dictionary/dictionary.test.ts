import { describe, expect, test } from 'vitest';
import { dictionaryErrors } from '../../../src/taxonomy/dictionary/check.ts';
import {
  contentHash,
  contentHashOf,
  Dictionary,
  dictionary,
  LOCALES,
} from '../../../src/taxonomy/dictionary/schema.ts';

/** Content hashes of released versions. A released version never changes: new content needs a new version. */
const RELEASED: Readonly<Record<string, string>> = {
  '1.0.0': 'sha256:f81080e5700dad2e36db0b83d9c8d30c2950ba394c8f79537ef1f60845074e2f',
  '1.1.0': 'sha256:a7a68bbbb3e8299d7b314974fac69133a39ed4ad7512f4fefaa551f57bd72645',
};

const changed = (change: (copy: Dictionary) => void): Dictionary => {
  const copy = structuredClone(dictionary);
  change(copy);
  return copy;
};

test('the dictionary has no errors', () => {
  expect(Dictionary.parse(dictionary)).toEqual(dictionary);
  expect(dictionaryErrors(dictionary)).toEqual([]);
});

test('its content is that of its released version', () => {
  expect(contentHash).toBe(RELEASED[dictionary.dictionaryVersion]);
});

test('the content hash depends on everything but the order of keys', () => {
  const reversed = Dictionary.parse(Object.fromEntries(Object.entries(dictionary).reverse()));
  expect(contentHashOf(reversed)).toBe(contentHash);
  const relabelled = changed(({ categories }) => {
    if (categories[0]) categories[0].labels.nl = 'Hemd';
  });
  expect(contentHashOf(relabelled)).not.toBe(contentHash);
});

test('it is deeply frozen', () => {
  expect(Object.isFrozen(dictionary.categories[0]?.clo.sources)).toBe(true);
});

describe('an error is found:', () => {
  test.each<[string, (copy: Dictionary) => void, string]>([
    [
      'an id twice',
      ({ materials }) => materials.push({ ...materials[0]! }),
      'materials: the id cotton is not unique',
    ],
    [
      'a word of an attribute twice',
      ({ attributes }) => attributes.fit.push({ ...attributes.fit[0]! }),
      'fit: the id skinny is not unique',
    ],
    [
      'clo out of range',
      ({ categories }) => {
        categories[0]!.clo.default = 0.5;
      },
      't_shirt: clo 0.5 is outside its range',
    ],
    [
      'formality range reversed',
      ({ categories }) => {
        categories[0]!.formality = { min: 3, max: 1 };
      },
      't_shirt: formality range is reversed',
    ],
    [
      'a source nobody knows',
      ({ categories }) => {
        categories[0]!.clo.sources = [{ table: 'hearsay' }];
      },
      't_shirt: no source hearsay',
    ],
    [
      'a group that is not there',
      ({ categories }) => {
        categories[0]!.parentId = 'tops_paper';
      },
      'groups: there is no tops_paper',
    ],
    [
      'a synonym of two categories',
      ({ categories }) => categories.find(({ id }) => id === 'boots')!.synonyms.de.push('Schals'),
      'category scarf: "schal" (de) is claimed by boots',
    ],
    [
      'a synonym of a category and a group',
      ({ categoryGroups }) => categoryGroups[0]!.synonyms.en.push('parkas'),
      'category tops_jersey: "parkas" (en) is claimed by parka',
    ],
    [
      'a colour word of two families',
      ({ colourFamilies }) => colourFamilies[1]!.synonyms.fr.push('noir'),
      'colour charcoal: "noir" (fr) is claimed by black',
    ],
    [
      'a colour that cannot be measured, with prototypes',
      ({ colourFamilies }) => {
        colourFamilies[0]!.measurable = false;
      },
      'black: only a measurable colour has prototypes',
    ],
    [
      'a category the code names gone',
      ({ categories }) => {
        categories.splice(
          categories.findIndex(({ id }) => id === 'hoodie'),
          1,
        );
      },
      'refinements: there is no hoodie',
    ],
    [
      'a season nobody knows',
      ({ categories }) => {
        categories[0]!.seasons = ['monsoon'];
      },
      'seasons: there is no monsoon',
    ],
  ])('%s', (_, change, fault) => {
    expect(dictionaryErrors(changed(change))).toContain(fault);
  });
});

test.each(LOCALES)('every entry has a label in %s', (locale) => {
  const { attributes, profileOptions } = dictionary;
  const words = [
    ...dictionary.layers,
    ...dictionary.categoryGroups,
    ...dictionary.categories,
    ...dictionary.colourFamilies,
    ...dictionary.materials,
    ...dictionary.patterns,
    ...Object.values(attributes).flat(),
    ...profileOptions.thermalProfiles,
    ...profileOptions.occasions,
    ...profileOptions.activities,
    ...profileOptions.weatherConditions,
  ];
  expect(words.filter(({ labels }) => labels[locale].trim() === '')).toEqual([]);
});

test('the profile has the units and ids of the outfit engine: kelvin, five labels, thirteen kinds of weather', () => {
  const { thermalProfiles, weatherConditions } = dictionary.profileOptions;
  expect(thermalProfiles.map(({ id, offsetC }) => [id, offsetC])).toEqual([
    ['runs-very-cold', 3],
    ['runs-cold', 1.5],
    ['neutral', 0],
    ['runs-warm', -1.5],
    ['runs-very-warm', -3],
  ]);
  expect(weatherConditions).toHaveLength(13);
});
