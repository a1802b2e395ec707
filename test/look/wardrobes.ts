import type { WardrobeItem } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { categories } from '../../src/taxonomy/dictionary/schema.ts';

/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export function createRandom(seed: number) {
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
export type Random = ReturnType<typeof createRandom>;

/** Share of each kind of garment, as in a closet and not as in the dictionary. */
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

const hex = (random: Random): string => `#${random.below(0x1000000).toString(16).padStart(6, '0')}`;

function kindOf(random: Random): string {
  let left = random.next();
  for (const [share, ids] of CLOSET) {
    left -= share;
    if (left <= 0) return random.pick(ids);
  }
  return 't_shirt';
}

/**
 * A random wardrobe; most items have a colour, some have more attributes.
 * @param coloured share of items with a colour, 0-1; with 1 no two items are equal
 */
export function drawWardrobe(random: Random, items: number, coloured = 0.85): WardrobeItem[] {
  return Array.from({ length: items }, (_, i) => {
    const category = kindOf(random);
    const { clo } = categories.get(category)!;
    return {
      id: `item-${String(i).padStart(4, '0')}`,
      category,
      ...(random.next() < coloured && { colors: [{ hex: hex(random) }] }),
      ...(random.next() < 0.3 && { clo: Math.round(100 * random.between(clo.min, clo.max)) / 100 }),
      ...(random.next() < 0.2 && { pattern: 'striped' }),
      ...(random.next() < 0.15 && { windResistance: random.below(11) / 10 }),
      ...(random.next() < 0.15 && { waterResistance: random.below(11) / 10 }),
      ...(random.next() < 0.2 && { seasons: [random.pick(['winter', 'summer', 'spring'])] }),
      ...(random.next() < 0.1 && { formality: random.below(6) }),
    };
  });
}

const CONDITIONS = ['clear', 'cloudy', 'rain', 'snow', 'heavy-rain', 'windy', 'partly-cloudy'];

/** Random weather, activity and occasion; no snow in warmth, and no damp heat, which nobody measured. */
export function drawDay(random: Random) {
  const tempC = Math.round(random.between(-25, 38));
  const windMs = Math.round(random.between(0, 15));
  const humidityPct = Math.min(Math.round(random.between(10, 100)), tempC > 30 ? 60 : 100);
  const drawn = random.pick(CONDITIONS);
  const condition = drawn === 'snow' && tempC > 10 ? 'cloudy' : drawn;
  return {
    weather: { tempC, windMs, humidityPct, condition },
    met: random.pick([1.1, 1.4, 2, 2.6]),
    occasion: random.pick(['casual', 'work', 'home', 'date', 'outdoor']),
  };
}
