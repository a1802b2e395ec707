import { expect, test } from 'vitest';
import { z } from 'zod';
import { drawnShirt } from '../support/images.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { postJson } = await useSharedStack();

const post = async (path: string, body: object): Promise<unknown> => {
  const response = await postJson(path, body);
  const answer = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return answer;
};

const Classified = z.looseObject({
  status: z.literal('classified'),
  evidence: z.looseObject({ image: z.looseObject({ class: z.string() }).nullable() }),
  wardrobeItem: z.looseObject({ id: z.string(), category: z.string() }),
});
const Outfits = z.looseObject({
  outfits: z.array(z.looseObject({ itemIds: z.array(z.string()), name: z.string() })).min(1),
});

test('a photo and feed rows become wardrobe items, and these, unchanged, an outfit', async () => {
  const photo = await drawnShirt({ width: 480, height: 600, format: 'jpeg' });
  const seen = Classified.parse(
    await post('/taxonomy/v1/taxonomy', {
      image_base64: photo.toString('base64'),
      attributes: { id: 'photo', title: 'T-Shirt' },
    }),
  );
  expect(seen.evidence.image?.class).toBe('t-shirt');
  expect(seen.wardrobeItem).toMatchObject({ id: 'photo', category: 't_shirt' });

  const rows = ['Blue jeans', 'White sneakers', 'Grey wool sweater', 'Black down jacket'];
  const batch = z.looseObject({ items: z.array(Classified) }).parse(
    await post('/taxonomy/v1/taxonomy', {
      items: rows.map((title, i) => ({ id: `row-${i}`, attributes: { title } })),
    }),
  );
  const wardrobe = [seen, ...batch.items].map(({ wardrobeItem }) => wardrobeItem);

  const answer = Outfits.parse(
    await post('/look/v1/outfits', {
      weather: { tempC: 4, windMs: 3, humidityPct: 70, condition: 'cloudy' },
      met: 1.6,
      items: wardrobe,
    }),
  );
  // At 4 °C, indoors first: the sweater, the only trousers and shoes, and the jacket to go out with.
  expect(answer.outfits[0]?.itemIds).toEqual(expect.arrayContaining(['row-0', 'row-1', 'row-2']));
  expect(answer.outfits[0]).toMatchObject({ shell: { items: [{ itemId: 'row-3' }] } });
});
