import { WardrobeItem } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';

/** A closet of ordinary garments for all weather. */
// biome-ignore format: a table reads best aligned
const GARMENTS: readonly [id: string, category: string, hex: string, more?: object][] = [
  ['tee-white',     't_shirt',       '#f5f5f2'],
  ['tee-striped',   't_shirt',       '#1b2a4a', { pattern: 'striped', seasons: ['summer', 'spring'] }],
  ['tank-coral',    'tank_top',      '#f58a73', { seasons: ['summer'] }],
  ['shirt-blue',    'shirt',         '#a9cbe8', { materials: [{ id: 'cotton' }] }],
  ['shirt-linen',   'short_sleeve_shirt', '#e8e4d8', { materials: [{ id: 'linen' }], seasons: ['summer'] }],
  ['dress-shirt',   'dress_shirt',   '#f7f7f5'],
  ['sweater-grey',  'sweater',       '#8c8c8c', { materials: [{ id: 'merino' }] }],
  ['sweater-thick', 'thick_sweater', '#6d1a2d', { materials: [{ id: 'wool' }], seasons: ['winter', 'autumn'] }],
  ['hoodie-green',  'hoodie',        '#2f8f3f'],
  ['blazer-navy',   'blazer',        '#1b2a4a'],
  ['thermal-top',   'thermal_top',   '#161616'],
  ['jeans-blue',    'jeans',         '#2b3f63'],
  ['chinos-beige',  'chinos',        '#d8c3a5'],
  ['trousers-grey', 'dress_trousers', '#3d4145'],
  ['shorts-khaki',  'shorts',        '#8a7f4e', { seasons: ['summer'] }],
  ['long-johns',    'long_johns',    '#161616'],
  ['rain-trousers', 'rain_trousers', '#161616'],
  ['dress-floral',  'light_dress',   '#f29dbb', { pattern: 'floral', seasons: ['summer'] }],
  ['dress-knit',    'long_sleeve_dress', '#6b4226'],
  ['suit',          'suit_set',      '#3d4145'],
  ['sneakers',      'sneakers',      '#f7f7f5', { lastWornDaysAgo: 1 }],
  ['boots',         'boots',         '#6b4226', { waterResistance: 0.7 }],
  ['snow-boots',    'winter_boots',  '#161616'],
  ['sandals',       'sandals',       '#b98b5a'],
  ['oxfords',       'dress_shoes',   '#161616'],
  ['suede-shoes',   'flats',         '#b98b5a', { materials: [{ id: 'suede' }] }],
  ['rain-jacket',   'rain_jacket',   '#f2d026'],
  ['denim-jacket',  'denim_jacket',  '#2b3f63'],
  ['wool-coat',     'wool_coat',     '#b98b5a'],
  ['parka',         'parka',         '#6a6a2a', { warmth: 4 }],
  ['beanie',        'beanie',        '#161616'],
  ['scarf',         'scarf',         '#c81e2b'],
  ['gloves',        'gloves',        '#161616'],
  ['socks-thick',   'socks_thick',   '#8c8c8c'],
];

export const CLOSET: readonly WardrobeItem[] = GARMENTS.map(([id, category, hex, more]) =>
  WardrobeItem.parse({ id, category, colors: [{ hex }], ...more }),
);

/** A closet of a person in a warm country who swims, runs, prays and goes to weddings. */
// biome-ignore format: a table reads best aligned
const SUMMER_GARMENTS: typeof GARMENTS = [
  ['kurta-white',   'kurta',         '#f4f1ea', { materials: [{ id: 'cotton' }] }],
  ['tunic-teal',    'tunic',         '#1f7a7a', { materials: [{ id: 'viscose' }] }],
  ['tee-black',     't_shirt',       '#161616'],
  ['tee-run',       't_shirt',       '#2bb3c0', { materials: [{ id: 'polyester' }] }],
  ['polo-green',    'polo_shirt',    '#2d5a3d'],
  ['blouse-silk',   'blouse',        '#e8d8c8', { materials: [{ id: 'silk' }] }],
  ['shirt-white',   'dress_shirt',   '#ffffff'],
  ['linen-shirt',   'shirt',         '#cfe0ea', { materials: [{ id: 'linen' }] }],
  ['cardigan-sand', 'cardigan',      '#d9c7a3'],
  ['kimono-print',  'kimono_duster', '#8a3b4a', { pattern: 'floral' }],
  ['sweatshirt-red', 'sweatshirt',   '#a3323a'],
  ['sweater-cream', 'thick_sweater', '#efe6d0', { materials: [{ id: 'wool' }] }],
  ['linen-white',   'trousers',      '#fbfbf6', { materials: [{ id: 'linen' }] }],
  ['chinos-olive',  'chinos',        '#5d5f3a'],
  ['suit-trousers', 'dress_trousers', '#22252b'],
  ['jeans-dark',    'jeans',         '#1e2a3d'],
  ['run-tights',    'leggings',      '#161616'],
  ['run-shorts',    'shorts',        '#22303f', { materials: [{ id: 'polyester' }] }],
  ['skirt-maxi',    'maxi_skirt',    '#6b2737'],
  ['abaya',         'abaya',         '#161616'],
  ['kaftan',        'kaftan',        '#d98a3d', { pattern: 'floral' }],
  ['shalwar',       'shalwar_kameez', '#3f6f5a'],
  ['saree',         'saree_traditional', '#b3123a', { materials: [{ id: 'silk' }] }],
  ['dress-sun',     'light_dress',   '#f2c14e'],
  ['jumpsuit',      'jumpsuit',      '#2c3e66'],
  ['swimsuit',      'swimwear',      '#123f5a'],
  ['sandals-brown', 'sandals',       '#8b5a2b'],
  ['heels-gold',    'heels',         '#c9a227'],
  ['loafers',       'dress_shoes',   '#3b2416', { materials: [{ id: 'suede' }] }],
  ['oxfords-black', 'dress_shoes',   '#161616'],
  ['runners',       'sports_shoes',  '#e4572e'],
  ['canvas-shoes',  'sneakers',      '#f0efe9'],
  ['boots-brown',   'boots',         '#5a3a22'],
  ['winter-boots',  'winter_boots',  '#2b2b2b'],
  ['rain-shell',    'rain_jacket',   '#2f6db3'],
  ['light-jacket',  'light_jacket',  '#8c8f7a'],
  ['windbreaker',   'windbreaker',   '#33383d'],
  ['trench',        'trench_coat',   '#c2a878'],
  ['down-long',     'down_jacket',   '#2d2f45', { warmth: 5 }],
  ['hat-straw',     'hat',           '#e3cf9b', { materials: [{ id: 'straw' }] }],
  ['cap',           'cap',           '#203040'],
  ['headscarf',     'scarf',         '#3a4a5a', { materials: [{ id: 'viscose' }] }],
  ['wool-hat',      'beanie',        '#802020'],
  ['mittens',       'gloves',        '#302020'],
  ['base-top',      'thermal_top',   '#161616'],
  ['base-legs',     'long_johns',    '#161616'],
  ['wool-socks',    'socks_thick',   '#5a5a5a'],
];

/** Small closets of people who do one thing: `id:category:hex:material`. */
const SMALL = {
  runner:
    'tee-run:t_shirt:2bb3c0:polyester long-run:long_sleeve_tee:161616:polyester thermal:thermal_top:161616 ' +
    'shell:windbreaker:33383d tights:leggings:161616 run-shorts:shorts:22303f:polyester joggers:joggers:8c8c8c ' +
    'runners:sports_shoes:e4572e sneakers:sneakers:f7f7f5 gloves:gloves:161616 beanie:beanie:802020 cap:cap:203040 ' +
    'parka:parka:2d2f45 jeans:jeans:1e2a3d hoodie:hoodie:2f8f3f',
  child:
    'tee:t_shirt:f2c14e long-tee:long_sleeve_tee:2bb3c0 hoodie:hoodie:a3323a leggings:leggings:161616 ' +
    'jeans:jeans:2b3f63 shorts:shorts:22303f dungarees:dungarees:2b3f63 sneakers:sneakers:e4572e ' +
    'wellies:boots:2d5a3d winter-boots:winter_boots:802020 ski:ski_trousers:203040 rain:rain_jacket:f2d026 ' +
    'puffer:down_jacket:c81e2b beanie:beanie:802020 mittens:gloves:802020 scarf:scarf:2f8f3f',
  waiter:
    'shirt-white:dress_shirt:ffffff shirt-blue:shirt:a9cbe8 long-tee:long_sleeve_tee:161616 tee:t_shirt:161616 ' +
    'polo:polo_shirt:161616 hoodie:hoodie:8c8c8c waistcoat:waistcoat:161616 dress-trousers:dress_trousers:161616 ' +
    'chinos:chinos:1b2a4a jeans:jeans:2b3f63 shoes:dress_shoes:161616 sneakers:sneakers:f7f7f5 ' +
    'coat:wool_coat:3d4145 rain:rain_jacket:2f6db3',
  rider:
    'tee:t_shirt:161616 long-tee:long_sleeve_tee:161616 fleece:fleece_jacket:2d5a3d rain:rain_jacket:f2d026 ' +
    'rain-trousers:rain_trousers:161616 cargo:cargo_pants:5d5f3a shorts:shorts:22303f jeans:jeans:2b3f63 ' +
    'sneakers:sneakers:161616 boots:boots:5a3a22 winter-boots:winter_boots:161616 parka:parka:2d2f45 ' +
    'gloves:gloves:161616 beanie:beanie:161616 cap:cap:203040 thermal:thermal_top:161616 ' +
    'long-johns:long_johns:161616 suit:suit_set:22252b oxfords:dress_shoes:161616',
  hijab:
    'headscarf:scarf:3a4a5a:viscose cap:cap:203040 straw:hat:e3cf9b:straw beanie:beanie:161616 ' +
    'long-tee:long_sleeve_tee:ffffff tunic:tunic:1f7a7a tee:t_shirt:161616 maxi:maxi_skirt:6b2737 ' +
    'jeans:jeans:1e2a3d wide:trousers:d8c3a5 leggings:leggings:161616 shorts:shorts:22303f abaya:abaya:161616 ' +
    'sneakers:sneakers:f0efe9 sandals:sandals:8b5a2b boots:boots:5a3a22 parka:parka:2d2f45 ' +
    'thick:thick_sweater:8c8c8c:wool gloves:gloves:161616 thermal:thermal_top:161616',
};

const readItem = (text: string): WardrobeItem => {
  const [id, category, hex, material] = text.split(':');
  const materials = material && { materials: [{ id: material }] };
  return WardrobeItem.parse({ id, category, colors: [{ hex: `#${hex}` }], ...materials });
};

/**
 * Reads `category#colour:material`, with the category as id; of two, the second is `category-2`.
 * @param more fields of single items, by id
 */
export function readCloset(
  text: string,
  more: Readonly<Record<string, object>> = {},
): WardrobeItem[] {
  const counts = new Map<string, number>();
  return text.split(' ').map((word) => {
    const [category = '', hex, material] = word.split(/[#:]/);
    const count = (counts.get(category) ?? 0) + 1;
    counts.set(category, count);
    const id = count > 1 ? `${category}-${count}` : category;
    const materials = material && { materials: [{ id: material }] };
    return WardrobeItem.parse({
      id,
      category,
      colors: [{ hex: `#${hex}` }],
      ...materials,
      ...more[id],
    });
  });
}

export const SMALL_CLOSETS = Object.fromEntries(
  Object.entries(SMALL).map(([name, text]) => [name, text.split(' ').map(readItem)]),
);

export const SUMMER_CLOSET: readonly WardrobeItem[] = SUMMER_GARMENTS.map(
  ([id, category, hex, more]) => WardrobeItem.parse({ id, category, colors: [{ hex }], ...more }),
);
