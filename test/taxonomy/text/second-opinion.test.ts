import { describe, expect, test } from 'vitest';
import { CATEGORY_IDS } from '../../../src/taxonomy/dictionary/schema.ts';
import { classifyText } from '../../../src/taxonomy/text/classify-text.ts';
import { confidenceOf, probabilityOf } from '../../../src/taxonomy/text/confidence.ts';
import { FEATURES, type Features } from '../../../src/taxonomy/text/features.ts';
import {
  classProbabilities,
  opinionOf,
  readModel,
  rowsOf,
  supportOf,
} from '../../../src/taxonomy/text/second-opinion.ts';
import { tokenize } from '../../../src/taxonomy/text/tokens.ts';
import { namedBy } from '../feed-rows.ts';

describe('the linear model', () => {
  const supportIn = (title: string, id: string) =>
    supportOf(opinionOf(tokenize(title)), CATEGORY_IDS.indexOf(id));
  const support = (title: string, id: string) => supportIn(title, id).support;

  test.each([
    ['Cora Parachute Pant', 'joggers', 'hat'],
    ['Damen Sommerkleid mit Blumen', 'light_dress', 'belt'],
    ['Corbata de seda azul', 'tie', 'scarf'],
  ])('supports "%s" as %s, not as %s', (title, id, other) => {
    expect(support(title, id)).toBeGreaterThan(support(title, other));
  });

  test('reads a bounded part of a text', () => {
    const long = tokenize('wool coat '.repeat(2000));
    expect(rowsOf(long).length).toBeLessThan(100);
    expect(rowsOf(tokenize('x'.repeat(5000))).length).toBeLessThan(100);
  });

  test('has the same rows for the same text, each once', () => {
    const rows = rowsOf(tokenize('Wool coat, wool'));
    expect(new Set(rows).size).toBe(rows.length);
    expect(rowsOf(tokenize('Wool coat, wool'))).toEqual(rows);
  });

  test('tells how far a category is before the likeliest other', () => {
    const jeans = 'Mens blue jeans W32';
    expect(supportIn(jeans, 'jeans').supportBesideNext).toBeGreaterThan(0.9);
    expect(supportIn(jeans, 'shorts').supportBesideNext).toBeLessThan(0.1);
  });

  test('knows no other categories', () => {
    expect(support('Wool coat', 'spaceship')).toBe(0);
  });
});

test('it decides what an ambiguous name means, if it is clear', () => {
  const answer = namedBy({ title: 'Roy Robson Slim Weste anthrazit 50' });
  expect(answer.id).toBe('waistcoat');
  expect(answer.confidence).toBeLessThan(0.9);
  expect(namedBy({ title: 'Weste' }).confidence).toBeLessThan(0.5);
});

describe('two names in a title', () => {
  test.each([
    ['Chelsea Peers Satin Pyjama Short Set', 'sleepwear'],
    ['Damen Latzhose Jeans Boyfriend', 'dungarees'],
  ])('"%s" is what the linear model is sure of, but not surely', (title, id) => {
    const answer = namedBy({ title });
    expect(answer.id).toBe(id);
    expect(answer.confidence).toBeLessThan(0.9);
  });

  test('it does not choose against the product type', () => {
    const title = 'Damen Latzhose Jeans Boyfriend';
    expect(namedBy({ title, product_type: 'Jeans' }).id).toBe('jeans');
  });

  test('it does not choose what the garment comes with', () =>
    expect(namedBy({ title: 'Gonnellina tennis con shorts' }).id).toBe('skirt_light'));
});

describe('a stored model', () => {
  const small = (classes: readonly string[]) => {
    const weights = new Int8Array((2 ** 13 + 1) * (classes.length + 1));
    for (const [k] of classes.entries()) {
      for (let row = 0; row < 2 ** 13; row++) weights[row * (classes.length + 1) + k] = k + 1;
    }
    return {
      classes,
      scale: 1,
      bias: Array.from({ length: classes.length + 1 }, () => 0),
      weights: Buffer.from(weights.buffer).toString('base64'),
    };
  };

  test('is read by its own classes; those that it does not know are never meant', () => {
    const model = readModel(small(['jeans', 'spaceship', 'cap']));
    const values = classProbabilities([0, 1, 2], model);
    const known = CATEGORY_IDS.filter((_, k) => (values[k] ?? 0) > 0);
    expect(known.sort()).toEqual(['cap', 'jeans']);
    expect(CATEGORY_IDS[values.indexOf(Math.max(...values))]).toBe('cap');
  });

  test('of another size is refused', () => {
    const wrong = { ...small(['jeans']), classes: ['jeans', 'cap'] };
    expect(() => readModel(wrong)).toThrow(/not those of its classes/);
  });
});

describe('confidence', () => {
  const features = (given: Partial<Features>): Features => ({
    ...(Object.fromEntries(FEATURES.map((name) => [name, 0])) as unknown as Features),
    ...given,
  });
  const clear = features({ coverage: 1, support: 1 });

  test('is the logistic function of the features', () => {
    const model = { intercept: 1, weights: { support: 2, rivals: -3 } };
    expect(probabilityOf(features({ support: 0.5 }), model)).toBeCloseTo(1 / (1 + Math.exp(-2)));
    expect(probabilityOf(features({ rivals: 1 }), model)).toBeCloseTo(1 / (1 + Math.exp(2)));
  });

  test('is below .99 at best, and below .9 for a group', () => {
    expect(confidenceOf(clear)).toBeLessThan(0.99);
    const { categories } = classifyText({ title: 'Women shoes', product_type: 'Shoes' });
    expect(Math.max(...categories)).toBeGreaterThan(0.5);
    expect(Math.max(...categories)).toBeLessThan(0.9);
  });

  test('grows with support', () => {
    const plain = features({ coverage: 0.5 });
    expect(confidenceOf({ ...plain, support: 1 })).toBeGreaterThan(confidenceOf(plain));
  });

  test.each(['rivals', 'falseFriend', 'openCompound', 'otherLanguage'] as const)(
    'falls with %s',
    (name) => {
      const plain = features({ coverage: 0.5 });
      expect(confidenceOf({ ...plain, [name]: 1 })).toBeLessThan(confidenceOf(plain));
    },
  );
});
