import type { WardrobeItem } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { categories } from '../../src/taxonomy/dictionary/schema.ts';

/** Numbers that look random and are the same in every run (mulberry32). */
export function createChance(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    below: (n: number): number => Math.floor(next() * n),
    pick: <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)]!,
    between: (low: number, high: number): number => low + next() * (high - low),
  };
}
export type Chance = ReturnType<typeof createChance>;

/** How often each part of a wardrobe comes: as in a closet, not as in the dictionary. */
// biome-ignore format: a table reads best aligned
const CLOSET: readonly (readonly [share: number, ids: readonly string[]])[] = [
  [0.24, ['t_shirt', 'long_sleeve_tee', 'polo_shirt', 'shirt', 'short_sleeve_shirt', 'dress_shirt', 'blouse', 'tank_top']],
  [0.16, ['sweater', 'thick_sweater', 'cardigan', 'hoodie', 'sweatshirt', 'blazer', 'fleece_jacket', 'turtleneck', 'flannel_shirt']],
  [0.16, ['jeans', 'trousers', 'chinos', 'dress_trousers', 'shorts', 'leggings', 'skirt_light', 'skirt_heavy']],
  [0.06, ['dress', 'light_dress', 'jumpsuit', 'suit_set']],
  [0.1,  ['rain_jacket', 'parka', 'wool_coat', 'down_jacket', 'windbreaker', 'denim_jacket', 'trench_coat']],
  [0.14, ['sneakers', 'boots', 'winter_boots', 'sandals', 'dress_shoes', 'sports_shoes']],
  [0.05, ['thermal_top', 'long_johns', 'rain_trousers', 'ski_trousers', 'socks_thick']],
  [0.09, ['beanie', 'cap', 'scarf', 'gloves', 'belt', 'bag']],
];

const hex = (chance: Chance): string => `#${chance.below(0x1000000).toString(16).padStart(6, '0')}`;

function kindOf(chance: Chance): string {
  let left = chance.next();
  for (const [share, ids] of CLOSET) {
    left -= share;
    if (left <= 0) return chance.pick(ids);
  }
  return 't_shirt';
}

/**
 * A wardrobe of so many items, most with colours, some with more.
 * @param coloured how many of them have a colour, 0-1; with 1 no two items are alike
 */
export function drawWardrobe(chance: Chance, items: number, coloured = 0.85): WardrobeItem[] {
  return Array.from({ length: items }, (_, i) => {
    const category = kindOf(chance);
    const { clo } = categories.get(category)!;
    return {
      id: `item-${String(i).padStart(4, '0')}`,
      category,
      ...(chance.next() < coloured && { colors: [{ hex: hex(chance) }] }),
      ...(chance.next() < 0.3 && { clo: Math.round(100 * chance.between(clo.min, clo.max)) / 100 }),
      ...(chance.next() < 0.2 && { pattern: 'striped' }),
      ...(chance.next() < 0.15 && { windResistance: chance.below(11) / 10 }),
      ...(chance.next() < 0.15 && { waterResistance: chance.below(11) / 10 }),
      ...(chance.next() < 0.2 && { seasons: [chance.pick(['winter', 'summer', 'spring'])] }),
      ...(chance.next() < 0.1 && { formality: chance.below(6) }),
    };
  });
}

const CONDITIONS = ['clear', 'cloudy', 'rain', 'snow', 'heavy-rain', 'windy', 'partly-cloudy'];

/** Weather and errand of a day somewhere. */
export const drawDay = (chance: Chance) => ({
  weather: {
    tempC: Math.round(chance.between(-25, 38)),
    windMs: Math.round(chance.between(0, 15)),
    humidityPct: Math.round(chance.between(10, 100)),
    condition: chance.pick(CONDITIONS),
  },
  met: chance.pick([1.1, 1.4, 2, 2.6]),
  occasion: chance.pick(['casual', 'work', 'home', 'date', 'outdoor']),
});
