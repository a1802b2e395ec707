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
