import { describe, expect, test } from 'vitest';
import { classify, type ImageEvidence } from '../../../src/taxonomy/classify.ts';
import type { MeasuredColor } from '../../../src/taxonomy/photo/color.ts';
import {
  IMAGE_CLASSES,
  type ImageClass,
  ofImageClasses,
} from '../../../src/taxonomy/photo/image-classes.ts';
import type { WornGarment } from '../../../src/taxonomy/photo/worn.ts';
import { DEFAULT_SETTINGS, type FeedAttributes } from '../../../src/taxonomy/request-schema.ts';

const classesOf = (name: ImageClass): number[] =>
  IMAGE_CLASSES.map((each) => (each === name ? 0.93 : 0.07 / (IMAGE_CLASSES.length - 1)));
const dyed = (family: string): MeasuredColor => ({
  family,
  hex: '#000000',
  share: 1,
  lab: [0, 0, 0],
  deltaE: 0,
});
const worn = (name: ImageClass, share: number, color: string): WornGarment => ({
  share,
  probabilities: classesOf(name),
  colors: [dyed(color)],
});

/** A model in a red t-shirt, blue jeans and black shoes. */
const MODEL: ImageEvidence = {
  probabilities: classesOf('t-shirt'),
  colors: [dyed('red')],
  worn: [worn('t-shirt', 0.55, 'red'), worn('jeans', 0.38, 'blue'), worn('boots', 0.07, 'black')],
  width: 600,
  height: 800,
  hasAlpha: false,
  model: 'garment-class@1',
};

const answer = (image: ImageEvidence, attributes?: FeedAttributes) =>
  classify({ attributes, image, options: DEFAULT_SETTINGS, fallbackId: 'row' });

describe('a photo of a model', () => {
  test('alone is named by the garment that is sold most likely', () => {
    const { category, attributes } = answer(MODEL);
    expect(category?.id).toBe('t_shirt');
    expect(attributes.colors.map(({ family }) => family)).toEqual(['red']);
  });

  test('alone asks which of its garments is sold, unless one is most of what is worn', () => {
    const withShare = (share: number, attributes?: FeedAttributes) =>
      answer({ ...MODEL, worn: [worn('t-shirt', share, 'red')] }, attributes).review.reasons;
    expect(withShare(0.59)).toContain('multiple-garments');
    expect(withShare(0.6)).not.toContain('multiple-garments');
    expect(withShare(0.59, { title: 'Red t-shirt' })).not.toContain('multiple-garments');
  });

  test.each<[string, string, ImageClass, string]>([
    ['Red t-shirt', 't_shirt', 't-shirt', 'red'],
    ['Slim fit jeans', 'jeans', 'jeans', 'blue'],
    ['Ankle boots', 'boots', 'boots', 'black'],
  ])('beside "%s" is of that garment, with its colours', (title, id, name, color) => {
    const { category, attributes, evidence, review } = answer(MODEL, { title });
    expect(category?.id).toBe(id);
    expect(evidence).toMatchObject({ image: { class: name }, agreement: true });
    expect(attributes.colors.map(({ family }) => family)).toEqual([color]);
    expect(review.reasons).not.toContain('image-text-disagree');
  });

  test('contradicts the title of what nobody wears in it', () => {
    const row = { title: 'Summer dress', product_type: 'Women > Dresses' };
    const inCoat = { ...MODEL, worn: [worn('leggings', 0.9, 'red'), worn('boots', 0.1, 'black')] };
    const { status, evidence, review } = answer(inCoat, row);
    expect([status, evidence.agreement]).toEqual(['uncertain', false]);
    expect(review.reasons).toContain('image-text-disagree');
  });

  test('title, category and photo that all say something else are all named', () => {
    const row = { title: 'Slim fit jeans', google_product_category: '187' };
    const inDress = { ...MODEL, worn: [worn('dress', 1, 'red')] };
    const { status, review } = answer(inDress, row);
    expect(status).not.toBe('classified');
    expect(review.reasons).toContain('text-category-disagree');
  });
});

describe('a kind that a photo does not tell from similar ones', () => {
  const seen = (name: ImageClass, probability = 0.95): ImageEvidence => ({
    ...MODEL,
    worn: [],
    probabilities: IMAGE_CLASSES.map((each) =>
      each === name ? probability : each === 'shirt' ? 1 - probability : 0,
    ),
  });

  test.each<[ImageClass, number, string, boolean]>([
    ['hoodie', 0.99, 'hoodie', true],
    ['shoes', 0.99, 'sneakers', true],
    ['polo', 0.4, 'polo_shirt', true],
    ['polo', 0.99, 'polo_shirt', false],
    ['t-shirt', 0.95, 't_shirt', false],
  ])('%s at %d is %s, and asks: %s', (name, probability, id, asks) => {
    const { category, review } = answer(seen(name, probability));
    expect(category?.id).toBe(id);
    expect(review.reasons.includes('photo-alone')).toBe(asks);
    if (asks) expect(review.needed).toBe(true);
  });

  test('needs only a title', () => {
    const { review } = answer(seen('hoodie'), { title: 'Grey hoodie' });
    expect(review.reasons).not.toContain('photo-alone');
  });
});

test('stored results of the ten classes before are read as before', () => {
  const stored = [0.9, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01];
  const current = ofImageClasses(stored);
  expect(current).toHaveLength(IMAGE_CLASSES.length);
  expect(current[IMAGE_CLASSES.indexOf('dress')]).toBe(0.9);
  expect(answer({ ...MODEL, worn: undefined, probabilities: stored }).category?.id).toBe('dress');
  expect(ofImageClasses(current)).toBe(current);
});
