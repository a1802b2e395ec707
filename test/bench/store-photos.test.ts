import { expect, test } from 'vitest';
import { answerFor, type StorePhoto, scoreStorePhotos } from '../../bench/store-photos.ts';
import { IMAGE_CLASSES, type ImageClass } from '../../src/taxonomy/photo/image-classes.ts';

function photo(name: ImageClass, leaf: string, region: string, notAGarment = false): StorePhoto {
  return {
    kind: 'drawn',
    image: `${leaf}.jpg`,
    product: {
      sku: leaf,
      name: leaf.replace('_', ' '),
      categories: [],
      truthLeaves: notAGarment ? [] : [leaf],
      acceptedRegions: notAGarment ? [] : [region],
      notAGarment,
    },
    evidence: {
      probabilities: IMAGE_CLASSES.map((each) => (each === name ? 0.97 : 0.03 / 31)),
      colors: [],
      width: 500,
      height: 500,
      hasAlpha: false,
      model: 'any',
    },
    viewMillis: 100,
    cutOutMillis: 80,
  };
}

test('a right category, and "no garment" for what is none, are right answers', () => {
  const right = { isAnswered: true, isRegionRight: true, isGroupRight: true, isLeafRight: true };
  expect(answerFor(photo('jeans', 'jeans', 'bottom'))).toMatchObject(right);
  expect(answerFor(photo('other', 'watch', '', true))).toMatchObject(right);
  expect(answerFor(photo('bag', 'watch', '', true))).toMatchObject({ isRegionRight: false });
});

test('a right group is told apart from a right leaf, and no answer from a wrong one', () => {
  const sweatshirt = photo('hoodie', 'sweatshirt', 'top');
  expect(answerFor(sweatshirt)).toMatchObject({ isGroupRight: true, isLeafRight: false });
  const blurred = photo('hoodie', 'sweatshirt', 'top');
  const probabilities = IMAGE_CLASSES.map(() => 1 / IMAGE_CLASSES.length);
  const evidence = { ...blurred.evidence, probabilities };
  expect(answerFor({ ...blurred, evidence }).isAnswered).toBe(false);
});

test('photos are swapped between products of different regions only', () => {
  const photos = [photo('jeans', 'jeans', 'bottom'), photo('dress', 'dress', 'dress')];
  expect(scoreStorePhotos(photos)?.disagree).toEqual({ swapped: 1, own: 0 });
  expect(scoreStorePhotos([])).toBeUndefined();
});

test('what a photo costs is the mean of all, and confidence that of the answered', () => {
  const photos = [photo('jeans', 'jeans', 'bottom'), photo('dress', 'dress', 'dress')];
  const scores = scoreStorePhotos([photos[0]!, { ...photos[1]!, viewMillis: 120 }])!;
  expect(scores.cpu).toEqual({ viewMillis: 110, cutOutMillis: 80 });
  const [all] = scores.alone.slice(-1);
  const confidences = photos.map((each) => answerFor(each).confidence);
  expect(all!.confidence).toBeCloseTo((confidences[0]! + confidences[1]!) / 2, 6);
});
