import { describe, expect, test } from 'vitest';
import { classify } from '../../src/taxonomy/classify.ts';
import type { Learned } from '../../src/taxonomy/learned-schema.ts';
import { DEFAULT_SETTINGS } from '../../src/taxonomy/request-schema.ts';
import { shopPath } from '../../src/taxonomy/shop-path.ts';

const learnedAs = (category: string, decisions = 3, agreement = 1): Learned => ({
  path: 'our > path',
  category,
  decisions,
  agreement,
});
const classified = (title: string, learned?: Learned) =>
  classify({
    attributes: { title, product_type: 'Our > Path' },
    options: DEFAULT_SETTINGS,
    fallbackId: 'row',
    learned,
  });

describe('what people have decided about a shop category', () => {
  test('names what no word of a title does', () => {
    expect(classified('Zorvik 12 blue').category?.id).toBeUndefined();
    const { category, evidence } = classified('Zorvik 12 blue', learnedAs('cardigan'));
    expect(category).toMatchObject({ id: 'cardigan', confidence: 0.95 });
    expect(evidence.learned).toEqual(learnedAs('cardigan'));
  });

  test('overrules a title that names another category of the same region', () => {
    expect(classified('Blue shirt').category?.id).toBe('shirt');
    expect(classified('Blue shirt', learnedAs('dress_shirt')).category?.id).toBe('dress_shirt');
  });

  test.each([
    ['Blue trousers', 'dress_shirt'],
    ['Blue trousers', 'none'],
    ['Shoe polish, black', 'trousers'],
  ])('never silently overrules %s, which clearly is no %s', (title, category) => {
    const { category: answered, review, evidence } = classified(title, learnedAs(category));
    expect(answered?.confidence ?? 0).toBeLessThan(0.6);
    expect(review).toMatchObject({ needed: true });
    expect(review.reasons).toContain('text-category-disagree');
    expect(evidence.text?.contradictedBy).toContain('product_type');
  });

  test('says that what nothing names is no garment', () => {
    const { status, garment } = classified('Zorvik 12 blue', learnedAs('none'));
    expect({ status, garment }).toEqual({ status: 'unknown', garment: false });
  });

  test.each([
    [1, 1],
    [2, 1],
    [9, 0.8],
  ])('is weak after %i decisions of which %f agree', (decisions, agreement) => {
    const weak = learnedAs('dress_shirt', decisions, agreement);
    const { category, topK } = classified('Blue shirt', weak);
    expect(category?.id).toBe('shirt');
    const alone = classified('Blue shirt').topK.find(({ id }) => id === 'dress_shirt');
    const more = topK.find(({ id }) => id === 'dress_shirt');
    expect(more?.confidence ?? 0).toBeGreaterThanOrEqual(alone?.confidence ?? 0);
  });

  test('about the very row holds, whatever its title says', () => {
    const own = { ...learnedAs('dress_shirt', 1), path: null };
    expect(classified('Blue trousers', own)).toMatchObject({
      status: 'classified',
      category: { id: 'dress_shirt', confidence: 0.989 },
    });
  });

  test('of a category that this dictionary does not have says nothing', () => {
    const { category } = classified('Blue shirt', learnedAs('toga'));
    expect(category).toEqual(classified('Blue shirt').category);
  });
});

test.each([
  ['Damen / Kleider', 'damen > kleider'],
  [' DAMEN &gt;  Kleider ', 'damen > kleider'],
  ['Herren > Hemden &amp; Polos | Neu', 'herren > hemden & polos > neu'],
  ['\u0000 > / ', undefined],
  ['', undefined],
  [undefined, undefined],
])('the path %j is compared as %j', (path, expected) => {
  expect(shopPath(path)).toBe(expected);
});

test('of a very long path the start counts', () => {
  expect(shopPath('a'.repeat(750))).toBe(shopPath('a'.repeat(700)));
});
