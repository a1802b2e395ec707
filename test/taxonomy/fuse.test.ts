import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATEGORY_IDS, categories, dictionary } from '../../src/taxonomy/dictionary/schema.ts';
import { fuse } from '../../src/taxonomy/fuse.ts';
import { IMAGE_CLASSES, type ImageClass } from '../../src/taxonomy/photo/image-classes.ts';
import type { FeedAttributes } from '../../src/taxonomy/request-schema.ts';
import { classifyText } from '../../src/taxonomy/text/classify-text.ts';

/** A picture that the model takes for one class with a probability, the rest spread evenly. */
const seen = (name: ImageClass, probability: number): number[] =>
  IMAGE_CLASSES.map((each) =>
    each === name ? probability : (1 - probability) / (IMAGE_CLASSES.length - 1),
  );

const told = (row: FeedAttributes) => classifyText(row);

describe('a picture alone', () => {
  test.each<[ImageClass, string]>([
    ['dress', 'dress'],
    ['hat', 'hat'],
    ['longsleeve', 'sweater'],
    ['outwear', 'light_jacket'],
    ['pants', 'trousers'],
    ['shirt', 'shirt'],
    ['shoes', 'sneakers'],
    ['shorts', 'shorts'],
    ['skirt', 'skirt_light'],
    ['t-shirt', 't_shirt'],
  ])('of %s, clear as day, is %s', (name, id) => {
    const verdict = fuse(undefined, seen(name, 0.99), 0.5);
    expect(verdict.status).toBe('classified');
    expect(verdict.ranked[0]?.id).toBe(id);
    expect(verdict.agreement).toBeUndefined();
  });

  test('that is less clear gives the group alone', () => {
    const verdict = fuse(undefined, seen('shoes', 0.7), 0.5);
    expect(verdict.status).toBe('uncertain');
    expect(verdict.group.id).toBe('shoes');
  });

  test('that no class claims shows nothing we know', () => {
    expect(fuse(undefined, seen('shoes', 0.2), 0.5).status).toBe('unknown');
  });
});

describe('a text alone', () => {
  test('keeps its own belief', () => {
    const text = told({ title: 'Chelsea boots' });
    const verdict = fuse(text, undefined, 0.5);
    expect(verdict.status).toBe('classified');
    expect(verdict.ranked[0]?.confidence).toBe(Math.max(...text.categories));
  });

  test.each(['', 'Nova 3000', 'Coat hanger'])('"%s" is unknown', (title) => {
    expect(fuse(told({ title }), undefined, 0.5).status).toBe('unknown');
  });

  test('for a group gives the group', () => {
    const verdict = fuse(told({ title: 'Schuhe' }), undefined, 0.5);
    expect([verdict.status, verdict.group.id]).toEqual(['uncertain', 'shoes']);
  });

  test('for two articles says so', () => {
    expect(fuse(told({ title: 'Veste et jupe' }), undefined, 0.5).severalArticles).toBe(true);
    expect(fuse(told({ title: 'Veste' }), undefined, 0.5).severalArticles).toBe(false);
  });
});

describe('both', () => {
  const confidence = (row: FeedAttributes | undefined, image: number[] | undefined, id: string) =>
    fuse(row && told(row), image, 0.5).ranked.find((each) => each.id === id)?.confidence ?? 0;

  test('the text names what the picture can only group', () => {
    const verdict = fuse(told({ title: 'Chelsea boots' }), seen('shoes', 0.9), 0.5);
    expect(verdict).toMatchObject({ status: 'classified', agreement: true });
    expect(verdict.ranked[0]?.id).toBe('boots');
  });

  test('the picture settles what the text leaves open', () => {
    const row = { title: 'Veste et jupe' };
    expect(fuse(told(row), seen('skirt', 0.95), 0.5).ranked[0]?.id).toBe('skirt_light');
    expect(fuse(told(row), seen('outwear', 0.95), 0.5).ranked[0]?.id).toBe('light_jacket');
  });

  test('that agree are surer than either', () => {
    const [title, image] = ['T-shirt', seen('t-shirt', 0.9)];
    const both = confidence({ title }, image, 't_shirt');
    expect(both).toBeGreaterThan(confidence({ title }, undefined, 't_shirt'));
    expect(both).toBeGreaterThan(confidence(undefined, image, 't_shirt'));
  });

  test('a word for the whole group does not unsettle the picture', () => {
    const image = seen('shoes', 0.97);
    expect(confidence({ title: 'Schuhe' }, image, 'sneakers')).toBeGreaterThanOrEqual(
      confidence(undefined, image, 'sneakers'),
    );
  });

  test.each<[string, ImageClass]>([
    ['Jeans', 'shoes'],
    ['Summer dress', 'hat'],
    ['Parka', 'skirt'],
    ['Running shoes', 't-shirt'],
  ])('"%s" beside a picture of %s disagree: both are told, none is chosen', (title, name) => {
    const verdict = fuse(told({ title }), seen(name, 0.95), 0.5);
    expect(verdict).toMatchObject({ status: 'uncertain', agreement: false });
    const regions = verdict.ranked.slice(0, 2).map(({ id }) => categories.get(id)?.region);
    expect(new Set(regions).size).toBe(2);
  });

  test.each<[string, ImageClass]>([
    ['Blazer', 'outwear'],
    ['Hoodie', 'outwear'],
    ['Leather belt', 'pants'],
    ['Tote bag', 'outwear'],
    ['Jumpsuit', 'pants'],
    ['Wool socks', 'shoes'],
  ])('"%s" beside a picture that looks like %s do not', (title, name) => {
    expect(fuse(told({ title }), seen(name, 0.95), 0.5).agreement).toBe(true);
  });
});

describe('for any row and picture', () => {
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
    .array(fc.integer({ min: 1, max: 1000 }), { minLength: 10, maxLength: 10 })
    .map((weights) => {
      const sum = weights.reduce((a, b) => a + b, 0);
      return weights.map((weight) => weight / sum);
    });

  test('adding the Google id of a category never makes it less likely', () => {
    fc.assert(
      fc.property(row, category, (attributes, { id, mappings }) => {
        const i = CATEGORY_IDS.indexOf(id);
        const before = told(attributes).categories[i] ?? 0;
        const after =
          told({ ...attributes, google_product_category: mappings.google.id }).categories[i] ?? 0;
        expect(after).toBeGreaterThanOrEqual(before - 1e-12);
      }),
    );
  });

  test('the order of columns changes nothing', () => {
    fc.assert(
      fc.property(row, (attributes) => {
        const reversed = Object.fromEntries(Object.entries(attributes).reverse());
        expect(told(reversed)).toEqual(told(attributes));
      }),
    );
  });

  test('the answer is one of the three, ranked, and sums to at most one', () => {
    fc.assert(
      fc.property(
        row,
        image,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attributes, probabilities, least) => {
          const verdict = fuse(told(attributes), probabilities, least);
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
