import { describe, expect, test } from 'vitest';
import { readSigningKeys } from '../../src/look/digest.ts';
import { computeOutfits } from '../../src/look/outfits.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import {
  DIAGNOSTICS,
  EXPLANATIONS,
  PLACES,
  REGION_NAMES,
  SHELL_REASONS,
  SLOT_NAMES,
  WARNINGS,
} from '../../src/look/texts/explanations.ts';
import { GARMENTS, NAME_WORDS } from '../../src/look/texts/names.ts';
import { formatNumber, type Text } from '../../src/look/texts/texts.ts';
import { OutfitsRequest } from '../../src/look/wardrobe/wardrobe-request.ts';
import { categories, LOCALES, type Locale } from '../../src/taxonomy/dictionary/schema.ts';
import { someOf } from '../support/many.ts';
import { CLOSET } from './closet.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('k1:a-secret-of-the-test');

const MILD = { tempC: 18, windMs: 1, humidityPct: 50, condition: 'cloudy' };
const request = (items: readonly object[], locale: Locale, more = {}) =>
  OutfitsRequest.parse({ weather: MILD, met: 1.4, items, locale, limit: 10, ...more });
const namesOf = (items: readonly object[], locale: Locale, more = {}) =>
  computeOutfits(model, keys, request(items, locale, more)).outfits.map(({ name }) => name);

const TOP = { id: 'top', category: 'shirt', colors: [{ hex: '#1b2a4a' }] };
const LEGS = { id: 'legs', category: 'jeans', colors: [{ hex: '#8c8c8c' }] };
const SHOES = { id: 'shoes', category: 'sneakers' };

/** Names of two outfits that differ in one garment. */
const pairOf = (locale: Locale, one: object, other: object, rest: readonly object[]) =>
  namesOf([{ id: 'one', ...one }, { id: 'other', ...other }, ...rest], locale);

describe('names', () => {
  test.each<[Locale, string, string]>([
    ['en', ' with a shirt', ' with a blouse'],
    ['de', ' mit Hemd', ' mit Bluse'],
    ['fr', ' avec chemise', ' avec blouse'],
    ['es', ' con camisa', ' con blusa'],
    ['it', ' con camicia', ' con blusa'],
    ['nl', ' met overhemd', ' met blouse'],
  ])('in %s say what only one outfit has', (locale, shirt, blouse) => {
    const names = pairOf(locale, { category: 'shirt' }, { category: 'blouse' }, [LEGS, SHOES]);
    expect(names).toHaveLength(2);
    expect(names.find((name) => name.endsWith(shirt))).toBeTruthy();
    expect(names.find((name) => name.endsWith(blouse))).toBeTruthy();
  });

  test.each<[Locale, string]>([
    ['en', 'Light casual look in navy'],
    ['de', 'Leichter Freizeitlook in Dunkelblau'],
    ['fr', 'Look décontracté léger en bleu marine'],
    ['es', 'Look informal ligero en azul marino'],
    ['it', 'Look casual leggero in blu navy'],
    ['nl', 'Lichte vrijetijdslook in marineblauw'],
  ])('in %s have feel, occasion and colour', (locale, expected) => {
    expect(namesOf([TOP, LEGS, SHOES], locale)).toEqual([expected]);
  });

  test.each<[Locale, string, string]>([
    ['de', 't_shirt', 'T-Shirt'],
    ['de', 'boots', 'Stiefeln'],
    ['de', 'sneakers', 'Sneakern'],
    ['de', 'dress_shoes', 'Anzugschuhen'],
    ['de', 'socks_thick', 'Kniestrümpfen'],
    ['de', 'long_johns', 'langer Unterhose'],
    ['en', 'socks_thick', 'thick socks'],
    ['en', 'jeans', 'jeans'],
    ['en', 'overshirt', 'an overshirt'],
    ['nl', 'cardigan', 'gebreid vest'],
  ])('in %s put %s after “with” as the grammar asks', (locale, category, expected) => {
    expect(GARMENTS[locale][category]).toBe(expected);
  });

  test('in English have an article for every category, or a plural', () => {
    for (const id of categories.keys()) {
      const words = GARMENTS.en[id] ?? '';
      expect(words, id).toMatch(/^an? \w|s$|^swimwear$/);
      expect(/^an /.test(words), id).toBe(/^an? [aeiou]/.test(words));
    }
  });

  test.each<[Locale, string, string]>([
    ['en', ' with sneakers in yellow', ' in green'],
    ['de', ' mit Sneakern in Gelb', ' in Grün'],
    ['fr', ' en jaune', ' en vert'],
    ['es', ' en amarillo', ' en verde'],
    ['it', ' in giallo', ' in verde'],
    ['nl', ' in geel', ' in groen'],
  ])('in %s name colours as nouns', (locale, yellow, green) => {
    const shoes = (hex: string) => ({ category: 'sneakers', colors: [{ hex }] });
    const names = pairOf(locale, shoes('#f2d026'), shoes('#2f8f3f'), [TOP, LEGS]);
    expect(names.some((name) => name.endsWith(yellow))).toBe(true);
    expect(names.some((name) => name.endsWith(green))).toBe(true);
  });

  test('have typographic apostrophes', () => {
    const names = pairOf(
      'fr',
      { category: 'light_dress', clo: 0.3 },
      { category: 'dress', clo: 0.3 },
      [SHOES],
    );
    expect(names.join()).toContain('robe d’été');
    expect(names.join()).not.toContain("'");
  });

  const twins = (more: (i: number) => object) =>
    [0, 1, 2].map((i) => ({
      id: `id-${i}`,
      category: 'shirt',
      colors: [{ hex: '#161616' }],
      ...more(i),
    }));

  test('tell garments that look alike by their names', () => {
    const shirts = twins((i) => ({ name: ['The silk one', 'From Milan', 'Grandpa’s'][i] }));
    const names = namesOf([...shirts, LEGS, SHOES], 'en');
    expect(names.join()).toContain('a shirt “From Milan”');
    for (const name of names) expect(name).not.toMatch(/id-\d/);
  });

  test('show an id only if the names are equal, missing or numbers', () => {
    for (const name of ['Shirt', undefined, '4711']) {
      const names = namesOf([...twins(() => ({ name })), LEGS, SHOES], 'en');
      expect(new Set(names).size).toBe(3);
      expect(names.filter((one) => one.includes('a shirt “id-'))).toHaveLength(2);
      expect(names.join()).not.toMatch(/4711|jeans|sneakers/);
    }
  });

  test('tell the colour of garments of the same kind, and the id if all else is equal', () => {
    const shirts = ['#ffffff', '#161616', '#161616', '#161616'].map((hex, i) => ({
      id: `shirt-${i}`,
      category: 'shirt',
      colors: [{ hex }],
    }));
    const names = namesOf([...shirts, { ...LEGS, colors: [] }, SHOES], 'de');
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => name.includes('„shirt-'))).not.toHaveLength(0);
    for (const name of names) expect(name).not.toMatch(/\s\d+$/);
  });

  test.each(LOCALES)('in %s are different, and no name ends with a number', (locale) => {
    const days = [-10, 12, 30].flatMap((tempC) =>
      ['casual', 'work', 'sport', 'ceremony'].map((occasion) => ({ tempC, occasion })),
    );
    for (const { tempC, occasion } of someOf(days, 5)) {
      const weather = { ...MILD, tempC };
      const names = namesOf(CLOSET, locale, { weather, occasion, limit: 20 });
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^\p{Lu}[^{}\d“„«‘]*[^\d\s{}]$/u);
    }
  });
});

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe('texts', () => {
  const tables: Readonly<Record<string, Readonly<Record<string, Text>>>> = {
    EXPLANATIONS,
    DIAGNOSTICS,
    WARNINGS,
    PLACES,
    REGION_NAMES,
    SHELL_REASONS,
    SLOT_NAMES,
  };

  test.each(Object.entries(tables))('%s have the same values in every language', (_, table) => {
    for (const [code, text] of Object.entries(table)) {
      for (const locale of LOCALES) {
        expect(text[locale], code).toMatch(/\S/);
        expect(placeholders(text[locale]), `${code} ${locale}`).toEqual(placeholders(text.en));
        // French has a space before a colon, and no other language has.
        expect(/\S:/.test(text[locale]) && locale === 'fr', code).toBe(false);
        expect(/\s:/.test(text[locale]) && locale !== 'fr', code).toBe(false);
      }
    }
  });

  const resultOf = (items: readonly object[], locale: Locale, more = {}) =>
    computeOutfits(model, keys, request(items, locale, more));

  test('of a missing slot have its word, and no id', () => {
    const details = LOCALES.map((locale) => {
      const [missing] = resultOf([TOP, SHOES], locale).diagnostics;
      expect(missing).toMatchObject({ code: 'missing-slot', slot: 'bottom' });
      return missing?.detail;
    });
    expect(details[0]).toBe('Nothing is left for this part of an outfit: trousers or skirt');
    expect(details[1]).toBe('Für diesen Teil eines Outfits bleibt nichts übrig: Hose oder Rock');
    for (const detail of details) expect(detail).not.toMatch(/bottom/);
  });

  test('name no field of the request', () => {
    for (const texts of Object.values(DIAGNOSTICS))
      for (const locale of LOCALES) expect(texts[locale]).not.toMatch(/`|[a-z][A-Z]|must\b.*`/);
  });

  test('of no combination blame required items only if there are any', () => {
    const dress = { id: 'dress', category: 'dress' };
    const must = ['dress', 'legs'];
    const [conflict] = resultOf([dress, TOP, LEGS, SHOES], 'en', { must }).diagnostics;
    expect(conflict?.detail).toBe(DIAGNOSTICS['must-conflict'].en);
    const [hoodie, sweatshirt] = ['hoodie', 'sweatshirt'].map((category) => ({
      id: category,
      category,
    }));
    const both = { must: ['hoodie', 'sweatshirt'], plan: 'outdoor' };
    const layered = resultOf([hoodie!, sweatshirt!, LEGS, SHOES], 'en', both);
    expect(layered.outfits).toEqual([]);
    expect(layered.diagnostics.at(-1)?.detail).toBe(DIAGNOSTICS['must-conflict'].en);
    const ski = { id: 'ski', category: 'ski_trousers' };
    const indoors = resultOf([TOP, ski, SHOES], 'en', { plan: 'indoor' }).diagnostics;
    expect(indoors.map(({ code }) => code)).toContain('no-combination');
    expect(indoors.at(-1)?.detail).toBe(DIAGNOSTICS['no-combination'].en);
  });

  test('say that much was worn before only if half of it was', () => {
    const items = [TOP, LEGS, SHOES];
    const codesOf = (itemIds: readonly string[]) =>
      resultOf(items, 'en', { recent: [{ itemIds, daysAgo: 0 }] }).outfits[0]?.explanation.map(
        ({ code }) => code,
      );
    expect(codesOf(['shoes'])).not.toContain('variety.repeat');
    expect(codesOf(['shoes', 'legs'])).toContain('variety.repeat');
  });

  test('of water fit rain and snow', () => {
    for (const code of ['rain.ok', 'rain.exposed'] as const)
      for (const locale of LOCALES)
        expect(EXPLANATIONS[code][locale]).not.toMatch(/rain|regen|pluie|lluvia|piogg/i);
  });

  test('the words of names exist for every feel and occasion', () => {
    const { feel, occasion } = model.tables;
    for (const locale of LOCALES) {
      const words = NAME_WORDS[locale];
      for (const { id } of feel) expect(words.feel[id], `${locale} ${id}`).toMatch(/\S/);
      for (const id of Object.keys(occasion)) {
        expect(words.style[id], `${locale} ${id}`).toMatch(/\S/);
      }
    }
  });

  test('numbers are written as the language does', () => {
    expect(LOCALES.map((locale) => formatNumber(0.5, locale, 2))).toEqual([
      '0.50',
      '0,50',
      '0,50',
      '0,50',
      '0,50',
      '0,50',
    ]);
  });
});
