import { describe, expect, test } from 'vitest';
import { CATEGORY_IDS } from '../../../src/taxonomy/dictionary/schema.ts';
import {
  describeOutfit,
  type OutfitEvidence,
} from '../../../src/taxonomy/outfit/describe-outfit.ts';
import { OutfitDescription } from '../../../src/taxonomy/outfit/outfit-schema.ts';
import { groupEvidence, ParseGroup } from '../../../src/taxonomy/outfit/parse-groups.ts';
import { IMAGE_CLASSES, type ImageClass } from '../../../src/taxonomy/photo/image-classes.ts';
import { DEFAULT_SETTINGS } from '../../../src/taxonomy/request-schema.ts';
import { GROUPS } from '../../../workers/inference/garments/groups.ts';

type GarmentEvidence = OutfitEvidence['garments'][number];

const seenAs = (name: ImageClass, probability = 0.91) =>
  IMAGE_CLASSES.map((each) =>
    each === name ? probability : (1 - probability) / (IMAGE_CLASSES.length - 1),
  );

const garment = (
  group: ParseGroup,
  seen: ImageClass,
  more: Partial<GarmentEvidence> = {},
): GarmentEvidence => ({
  group,
  region: GROUPS.find(({ id }) => id === group)!.region!,
  alternatives: [{ group, probability: 0.9 }],
  box: { left: 10, top: 20, width: 100, height: 200 },
  areaShare: 0.3,
  confidence: 0.9,
  occludedBy: [],
  probabilities: seenAs(seen),
  colors: [{ family: 'navy', hex: '#1b2a4a', share: 1, lab: [17, 2, -20], deltaE: 1 }],
  ...more,
});

const outfit = (
  garments: GarmentEvidence[],
  more: Partial<OutfitEvidence> = {},
): OutfitEvidence => ({
  width: 600,
  height: 900,
  model: 'garment-parse@1',
  classifier: 'garment-class@1',
  person: true,
  severalPeople: false,
  confidence: 0.99,
  review: { needed: false, reasons: ['cut-by-frame'] },
  garments,
  ...more,
});

const describeAll = (evidence: OutfitEvidence) =>
  describeOutfit(evidence, { settings: DEFAULT_SETTINGS, id: 'photo' });
const categoryOf = (one: GarmentEvidence) =>
  describeAll(outfit([one])).garments[0]!.classification.category?.id;

test('the groups are those that the parse network says are worn', () => {
  const worn = GROUPS.filter(({ region }) => region !== undefined).map(({ id }) => id);
  expect(ParseGroup.options).toEqual(worn);
});

describe('the evidence of a group', () => {
  test('makes its usual categories likelier than all others', () => {
    const { categories } = groupEvidence([{ group: 'skirt', probability: 0.8 }], 0.1);
    const of = (id: string) => categories[CATEGORY_IDS.indexOf(id)]!;
    expect(of('skirt_light')).toBeGreaterThan(of('trousers'));
    expect(of('trousers')).toBeGreaterThan(0);
  });

  test('rules out what is worn elsewhere', () => {
    const { categories } = groupEvidence([{ group: 'shoes', probability: 0.6 }], 0.1);
    const of = (id: string) => categories[CATEGORY_IDS.indexOf(id)]!;
    expect(of('boots')).toBeGreaterThan(0);
    expect(of('tank_top')).toBe(0);
  });

  test('without any candidate favours none of them', () => {
    const { categories, notGarment } = groupEvidence([], 0.1);
    expect(notGarment).toBeLessThan(0.01);
    expect(new Set(categories).size).toBe(1);
  });

  test('of small things speaks for what is no garment', () => {
    expect(
      groupEvidence([{ group: 'small_things', probability: 0.9 }], 0.1).notGarment,
    ).toBeGreaterThan(0.5);
  });
});

describe('a garment of an outfit', () => {
  test('is what the classifier sees within its group', () => {
    expect(categoryOf(garment('trousers_jeans', 'pants'))).toBe('trousers');
    expect(categoryOf(garment('dress_onepiece', 'dress'))).toBe('dress');
  });

  test.each<[ParseGroup, ImageClass, string]>([
    ['skirt', 'skirt', 'tights'],
    ['dress_onepiece', 'dress', 'tights'],
    ['shorts', 'shorts', 'tights'],
    ['coat', 'coat', 'leggings'],
  ])('that looks like leggings below %s, seen as %s, is %s', (over, seen, id) => {
    const { garments } = describeAll(
      outfit([garment(over, seen), garment('leggings_tights', 'leggings')]),
    );
    expect(garments[1]!.classification.category?.id).toBe(id);
  });

  test('of which the classifier is not sure is named by its place', () => {
    const unsure = (name: ImageClass) => ({ probabilities: seenAs(name, 0.2) });
    expect(categoryOf(garment('bag', 'shoes', unsure('shoes')))).toBe('bag');
    expect(categoryOf(garment('belt', 'hat', unsure('hat')))).toBe('belt');
  });

  test('is no other accessory, unless the classifier is sure', () => {
    const seen = { probabilities: seenAs('hat', 0.35) };
    const belt = { alternatives: [{ group: 'belt', probability: 0.5 }], ...seen } as const;
    const bag = { alternatives: [{ group: 'bag', probability: 0.5 }], ...seen } as const;
    expect(categoryOf(garment('belt', 'hat', belt))).not.toBe('hat');
    expect(categoryOf(garment('bag', 'hat', bag))).not.toBe('hat');
  });

  test('is something that is worn in its region, however sure the classifier is', () => {
    const shoes = garment('shoes', 'tank-top', { probabilities: seenAs('tank-top', 0.95) });
    expect(describeAll(outfit([shoes])).garments[0]!.classification.category?.region).toBe('shoes');
  });

  test('that is a watch or jewellery has no category and no wardrobe item', () => {
    const { classification } = describeAll(
      outfit([garment('small_things', 'hat', { probabilities: seenAs('hat', 0.1) })]),
    ).garments[0]!;
    expect(classification).toMatchObject({
      status: 'unknown',
      category: null,
      wardrobeItem: null,
      review: { reasons: ['not-a-garment'] },
    });
  });

  test('that is small is never a hat, however sure the classifier is of its few pixels', () => {
    const scrap = garment('small_things', 'hat', { probabilities: seenAs('hat', 0.95) });
    const { classification } = describeAll(outfit([scrap])).garments[0]!;
    expect(classification).toMatchObject({ status: 'unknown', wardrobeItem: null });
    expect(categoryOf(garment('small_things', 'sunglasses'))).toBe('sunglasses');
    const speck = garment('small_things', 'sunglasses', { areaShare: 0.001 });
    expect(categoryOf(speck)).toBeUndefined();
  });

  test('has a wardrobe item with an id of its own, whatever the id it starts with', () => {
    const two = outfit([garment('bag', 'bag'), garment('skirt', 'skirt')]);
    const ids = describeOutfit(two, { settings: DEFAULT_SETTINGS, id: 'x'.repeat(300) }).garments;
    const [first, second] = ids.map(({ classification }) => classification.wardrobeItem!.id);
    expect(first).toMatch(/^x{120}-0$/);
    expect(second).toMatch(/-1$/);
  });

  describe('whose category is uncertain', () => {
    const probabilities = IMAGE_CLASSES.map((name) =>
      name === 'flats' || name === 'sandals' || name === 'heels' ? 1 / 3 : 0,
    );
    const shoes = garment('shoes', 'flats', { probabilities });

    test('has the item of the likeliest, and the review asks', () => {
      const { garments, review } = describeAll(outfit([shoes]));
      const { status, category, topK, insulation, wardrobeItem } = garments[0]!.classification;
      expect([status, category?.id, category?.groupId]).toEqual(['uncertain', null, 'shoes']);
      expect(wardrobeItem).toMatchObject({ category: topK[0]!.id, region: 'shoes' });
      expect(insulation).toBeNull();
      expect(review).toEqual({ needed: true, reasons: ['category-guessed', 'cut-by-frame'] });
    });

    test('has none if the garment or its group is uncertain too, or none is wanted', () => {
      const itemOf = (one: GarmentEvidence, wardrobeItem = true) =>
        describeOutfit(outfit([one]), {
          settings: { ...DEFAULT_SETTINGS, wardrobeItem },
          id: 'photo',
        }).garments[0]!.classification.wardrobeItem;
      const vest = garment('top', 'vest', {
        alternatives: [
          { group: 'top', probability: 0.3 },
          { group: 'knit_sweat', probability: 0.3 },
          { group: 'shirt_blouse', probability: 0.3 },
        ],
        probabilities: IMAGE_CLASSES.map((name) =>
          ['longsleeve', 'sweater', 'shirt'].includes(name) ? 1 / 3 : 0,
        ),
      });
      expect(itemOf(shoes)).not.toBeNull();
      expect(itemOf({ ...shoes, confidence: 0.55 })).toBeNull();
      expect(itemOf(shoes, false)).toBeNull();
      expect(itemOf(vest)).toBeNull();
    });
  });

  test('says what hides it, and where its cut-out is', () => {
    const [hidden] = describeOutfit(
      outfit([garment('shirt_blouse', 'shirt', { occludedBy: ['coat', 'frame'] })]),
      {
        settings: DEFAULT_SETTINGS,
        id: 'photo',
        cutOutOf: () => ({ file: '0-shirt_blouse.png', bytes: 5, sha256: 'ab' }),
      },
    ).garments;
    expect(hidden).toMatchObject({
      occluded: true,
      occludedBy: ['coat', 'frame'],
      cutout: { file: '0-shirt_blouse.png', width: 100, height: 200, mediaType: 'image/png' },
    });
  });
});

describe('the whole photo', () => {
  test('matches the schema', () => {
    const all = ParseGroup.options.map((group) => garment(group, 'shirt'));
    const described = describeAll(outfit(all));
    expect(OutfitDescription.parse(described)).toEqual(described);
  });

  test('needs a review if there is no garment, another person, or too few pixels', () => {
    const good = outfit([garment('coat', 'coat')]);
    expect(describeAll(good).review).toEqual({ needed: false, reasons: ['cut-by-frame'] });
    expect(describeAll(outfit([])).review).toEqual({
      needed: true,
      reasons: ['no-garment', 'cut-by-frame'],
    });
    expect(describeAll({ ...good, severalPeople: true, width: 150 }).review).toMatchObject({
      needed: true,
      reasons: ['several-people', 'too-small', 'cut-by-frame'],
    });
  });

  test('needs a review if most of what is worn may be something else', () => {
    const unsure = garment('boots', 'boots', { areaShare: 0.6, confidence: 0.5 });
    const sure = garment('hat', 'hat', { areaShare: 0.1, confidence: 0.9 });
    expect(describeAll(outfit([unsure, sure])).review).toEqual({
      needed: true,
      reasons: ['garments-unsure', 'cut-by-frame'],
    });
    const larger = { ...sure, areaShare: 0.3 };
    expect(describeAll(outfit([unsure, larger])).review.needed).toBe(false);
  });

  test('goods that nobody wears ask a little earlier', () => {
    const goods = outfit([garment('hat', 'hat', { confidence: 0.65 })]);
    expect(describeAll(goods).review.needed).toBe(false);
    expect(describeAll({ ...goods, person: false }).review.reasons).toContain('garments-unsure');
  });
});
