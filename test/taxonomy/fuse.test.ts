import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATEGORY_IDS, categories, dictionary } from '../../src/taxonomy/dictionary/schema.ts';
import { fuse } from '../../src/taxonomy/fuse.ts';
import {
  IMAGE_CLASSES,
  type ImageClass,
  type SeenClasses,
} from '../../src/taxonomy/photo/image-classes.ts';
import type { FeedAttributes } from '../../src/taxonomy/request-schema.ts';
import { classifyText } from '../../src/taxonomy/text/classify-text.ts';

/** A photo: one class with a given probability, the rest spread evenly. */
const imageOf = (name: ImageClass, probability: number, isWorn = false): SeenClasses => ({
  probabilities: IMAGE_CLASSES.map((each) =>
    each === name ? probability : (1 - probability) / (IMAGE_CLASSES.length - 1),
  ),
  isWorn,
});

const textOf = (row: FeedAttributes) => classifyText(row);

describe('a photo alone', () => {
  test.each<[ImageClass, string]>([
    ['dress', 'dress'],
    ['hat', 'hat'],
    ['longsleeve', 'long_sleeve_tee'],
    ['outwear', 'light_jacket'],
    ['pants', 'trousers'],
    ['shirt', 'shirt'],
    ['shoes', 'sneakers'],
    ['shorts', 'shorts'],
    ['skirt', 'skirt_light'],
    ['t-shirt', 't_shirt'],
    ['tank-top', 'tank_top'],
    ['polo', 'polo_shirt'],
    ['blouse', 'blouse'],
    ['bodysuit', 'bodysuit'],
    ['sweater', 'sweater'],
    ['hoodie', 'hoodie'],
    ['blazer', 'blazer'],
    ['coat', 'wool_coat'],
    ['jeans', 'jeans'],
    ['leggings', 'leggings'],
    ['tights', 'tights'],
    ['boots', 'boots'],
    ['heels', 'heels'],
    ['sandals', 'sandals'],
    ['flats', 'flats'],
    ['scarf', 'scarf'],
    ['belt', 'belt'],
    ['socks', 'socks_thin'],
    ['bag', 'bag'],
    ['sunglasses', 'sunglasses'],
  ])('of %s, clear as day, is %s', (name, id) => {
    const verdict = fuse(undefined, imageOf(name, 0.99), 0.5);
    expect(verdict.status).toBe('classified');
    expect(verdict.ranked[0]?.id).toBe(id);
    expect(verdict.agreement).toBeUndefined();
  });

  test('that is less clear gives only the group', () => {
    const verdict = fuse(undefined, imageOf('shoes', 0.25), 0.5);
    expect(verdict.status).toBe('uncertain');
    expect(verdict.group.id).toBe('shoes');
  });

  test('without a probable region is unknown', () => {
    expect(fuse(undefined, imageOf('shoes', 0.1), 0.5).status).toBe('unknown');
  });

  test('of two classes of one region gives their group or region, not "unknown"', () => {
    const probabilities = IMAGE_CLASSES.map((name) =>
      name === 'pants' || name === 'jeans' ? 0.5 : 0,
    );
    const verdict = fuse(undefined, { probabilities, isWorn: false }, 0.7);
    expect([verdict.status, verdict.group.id]).toEqual(['uncertain', 'bottoms']);
  });

  test('of a vest leaves open which of three kinds it is', () => {
    expect(fuse(undefined, imageOf('vest', 0.97), 0.8).status).toBe('uncertain');
  });

  test('of what is worn is less confident than of the same laid out', () => {
    const [laidOut, worn] = [false, true].map(
      (isWorn) => fuse(undefined, imageOf('hoodie', 0.8, isWorn), 0.5).ranked[0],
    );
    expect(worn?.id).toBe('hoodie');
    expect(worn?.confidence).toBeLessThan(laidOut!.confidence);
  });

  test('of a watch, a bottle or another thing is no garment', () => {
    const verdict = fuse(undefined, imageOf('other', 0.97), 0.5);
    expect(verdict.status).toBe('unknown');
    expect(verdict.notGarment).toBeGreaterThan(0.8);
  });
});

describe('a text alone', () => {
  test('keeps its own belief', () => {
    const text = textOf({ title: 'Chelsea boots' });
    const verdict = fuse(text, undefined, 0.5);
    expect(verdict.status).toBe('classified');
    expect(verdict.ranked[0]?.confidence).toBe(Math.max(...text.categories));
  });

  test.each(['', 'Nova 3000', 'Coat hanger'])('"%s" is unknown', (title) => {
    expect(fuse(textOf({ title }), undefined, 0.5).status).toBe('unknown');
  });

  test('that names a group gives the group', () => {
    const verdict = fuse(textOf({ title: 'Schuhe' }), undefined, 0.5);
    expect([verdict.status, verdict.group.id]).toEqual(['uncertain', 'shoes']);
  });

  test('that names two articles is flagged as several', () => {
    expect(fuse(textOf({ title: 'Veste et jupe' }), undefined, 0.5).multipleGarments).toBe(true);
    expect(fuse(textOf({ title: 'Veste' }), undefined, 0.5).multipleGarments).toBe(false);
  });
});

describe('both', () => {
  const confidence = (
    row: FeedAttributes | undefined,
    image: SeenClasses | undefined,
    id: string,
  ) => fuse(row && textOf(row), image, 0.5).ranked.find((each) => each.id === id)?.confidence ?? 0;

  test('the text names the category of a group in the photo', () => {
    const verdict = fuse(textOf({ title: 'Chelsea boots' }), imageOf('shoes', 0.9), 0.5);
    expect(verdict).toMatchObject({ status: 'classified', agreement: true });
    expect(verdict.ranked[0]?.id).toBe('boots');
  });

  test('the photo decides what the text leaves open', () => {
    const row = { title: 'Veste et jupe' };
    expect(fuse(textOf(row), imageOf('skirt', 0.95), 0.5).ranked[0]?.id).toBe('skirt_light');
    expect(fuse(textOf(row), imageOf('outwear', 0.95), 0.5).ranked[0]?.id).toBe('light_jacket');
  });

  test('that agree are more confident than either', () => {
    const [title, image] = ['T-shirt', imageOf('t-shirt', 0.9)];
    const both = confidence({ title }, image, 't_shirt');
    // The name alone has the highest confidence already.
    expect(both).toBeGreaterThanOrEqual(confidence({ title }, undefined, 't_shirt'));
    expect(both).toBeGreaterThan(confidence(undefined, image, 't_shirt'));
  });

  test('the name of a group does not weaken the photo', () => {
    const image = imageOf('shoes', 0.97);
    expect(confidence({ title: 'Schuhe' }, image, 'sneakers')).toBeGreaterThanOrEqual(
      confidence(undefined, image, 'sneakers'),
    );
  });

  test.each<[string, ImageClass]>([
    ['Jeans', 'shoes'],
    ['Summer dress', 'hat'],
    ['Parka', 'skirt'],
    ['Running shoes', 't-shirt'],
    ['Jeans', 'bag'],
    ['Hoodie', 'leggings'],
  ])('"%s" beside a picture of %s disagree: both are told, none is chosen', (title, name) => {
    const verdict = fuse(textOf({ title }), imageOf(name, 0.95), 0.5);
    expect(verdict).toMatchObject({ status: 'uncertain', agreement: false });
    const regions = verdict.ranked.slice(0, 2).map(({ id }) => categories.get(id)?.region);
    expect(new Set(regions).size).toBe(2);
  });

  test.each<[string, ImageClass]>([
    ['Blue jeans', 'other'],
    ['Silicone phone case', 'dress'],
  ])('"%s" beside a picture of %s disagree: only one of them is a garment', (title, name) => {
    const verdict = fuse(textOf({ title }), imageOf(name, 0.95), 0.5);
    expect(verdict).toMatchObject({ status: 'uncertain', agreement: false });
  });

  test.each<[FeedAttributes, number]>([
    [{ title: 'Slim fit jeans' }, 0.989],
    [{ title: 'Slim fit jeans', google_product_category: 204 }, 0.989],
    [{ title: 'Slim fit jeans', google_product_category: 187 }, 0.89],
  ])('%j and a clear picture of jeans have a confidence of %s', (row, confidence) => {
    const { ranked, notGarment } = fuse(textOf(row), imageOf('jeans', 0.97), 0.5);
    expect(ranked[0]).toEqual({ id: 'jeans', confidence });
    expect(notGarment).toBeLessThan(0.02);
  });

  test.each<[string, ImageClass]>([
    ['Wool gloves', 'other'],
    ['Blazer', 'outwear'],
    ['Hoodie', 'outwear'],
    ['Leather belt', 'pants'],
    ['Tote bag', 'outwear'],
    ['Jumpsuit', 'pants'],
    ['Wool socks', 'shoes'],
  ])('"%s" beside a picture that looks like %s do not', (title, name) => {
    expect(fuse(textOf({ title }), imageOf(name, 0.95), 0.5).agreement).toBe(true);
  });
});

describe('for any row and photo', () => {
  const words = fc.constantFrom(
    'jacket',
    'Kleid',
    'robe',
    'boots',
    'blue',
    'with',
    'wool',
    'Hemd',
    'falda',
    'sneakers',
    'winter',
    'zapatos',
    'xyz',
    'and',
    'chaussettes',
    'gonna',
  );
  const text = fc.array(words, { maxLength: 6 }).map((list) => list.join(' '));
  const category = fc.constantFrom(...dictionary.categories);
  const row = fc.record(
    { title: text, product_type: text, material: text, color: text },
    { requiredKeys: [] },
  );
  const image = fc
    .array(fc.integer({ min: 1, max: 1000 }), {
      minLength: IMAGE_CLASSES.length,
      maxLength: IMAGE_CLASSES.length,
    })
    .map((weights) => {
      const sum = weights.reduce((a, b) => a + b, 0);
      return weights.map((weight) => weight / sum);
    });

  test('adding the Google id of a category never makes it less likely', () => {
    fc.assert(
      fc.property(row, category, (attributes, { id, mappings }) => {
        const i = CATEGORY_IDS.indexOf(id);
        const before = textOf(attributes).categories[i] ?? 0;
        const after =
          textOf({ ...attributes, google_product_category: mappings.google.id }).categories[i] ?? 0;
        expect(after).toBeGreaterThanOrEqual(before - 1e-12);
      }),
      { numRuns: 2000 },
    );
  });

  test('the order of columns changes nothing', () => {
    fc.assert(
      fc.property(row, (attributes) => {
        const reversed = Object.fromEntries(Object.entries(attributes).reverse());
        expect(textOf(reversed)).toEqual(textOf(attributes));
      }),
    );
  });

  test('the result has one of three statuses and ranked confidences that sum to at most one', () => {
    fc.assert(
      fc.property(
        row,
        image,
        fc.boolean(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attributes, probabilities, isWorn, least) => {
          const verdict = fuse(textOf(attributes), { probabilities, isWorn }, least);
          const confidences = verdict.ranked.map(({ confidence }) => confidence);
          expect(confidences).toEqual(confidences.toSorted((a, b) => b - a));
          expect(confidences.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(1 + 1e-9);
          expect(verdict.group.confidence).toBeGreaterThanOrEqual((confidences[0] ?? 0) - 1e-9);
          if (verdict.status === 'classified') expect(confidences[0]).toBeGreaterThanOrEqual(least);
        },
      ),
    );
  });
});
