import { addGarments } from './wardrobe-store.js';

/**
 * The sample wardrobe: image, category, name, main colour and season.
 * @type {readonly [image: string, category: string, label: string, hex: string, family: string, season?: string][]}
 */
// biome-ignore format: a table reads best aligned
const GARMENTS = [
  ['tee',           't_shirt',                'White T-shirt',      '#f1efe9', 'white'],
  ['breton',        'long_sleeve_tee',        'Breton top',         '#2b3a5c', 'navy'],
  ['oxford',        'shirt',                  'Oxford shirt',       '#a9c4e2', 'light_blue'],
  ['sweater',       'sweater',                'Mustard sweater',    '#c99325', 'mustard'],
  ['roll-neck',     'turtleneck',             'Roll-neck',          '#43474d', 'charcoal'],
  ['hoodie',        'hoodie',                 'Grey hoodie',        '#9a9fa6', 'grey'],
  ['blazer',        'blazer',                 'Navy blazer',        '#27324f', 'navy'],
  ['dress',         'light_dress',            'Summer dress',       '#2f7f7c', 'teal', 'summer'],
  ['jeans',         'jeans',                  'Selvage jeans',      '#2f456f', 'navy'],
  ['chinos',        'chinos',                 'Chinos',             '#c2a379', 'tan'],
  ['wool-trousers', 'corduroy_wool_trousers', 'Wool trousers',      '#5d6168', 'charcoal'],
  ['shorts',        'shorts',                 'Shorts',             '#8a7f4e', 'khaki', 'summer'],
  ['skirt',         'skirt_light',            'Pleated skirt',      '#7a2a3a', 'burgundy'],
  ['sneakers',      'sneakers',               'White sneakers',     '#f0efec', 'white'],
  ['boots',         'boots',                  'Leather boots',      '#6b4429', 'brown'],
  ['sandals',       'sandals',                'Sandals',            '#b98b5a', 'tan', 'summer'],
  ['rain-jacket',   'rain_jacket',            'Rain jacket',        '#e0b02c', 'yellow'],
  ['wool-coat',     'wool_coat',              'Camel coat',         '#b8895a', 'tan'],
  ['down-jacket',   'down_jacket',            'Down jacket',        '#2f4a3d', 'green'],
  ['beanie',        'beanie',                 'Red beanie',         '#b4352c', 'red'],
  ['scarf',         'scarf',                  'Wool scarf',         '#c3b59b', 'beige'],
  ['gloves',        'gloves',                 'Gloves',             '#2b2f3a', 'charcoal'],
  ['socks',         'socks_thick',            'Thick socks',        '#7d8188', 'grey'],
];

/** Adds the sample wardrobe to the garments that are there. */
export async function addSampleWardrobe() {
  const garments = GARMENTS.map(async ([image, category, label, hex, family, season]) => {
    const id = `sample-${image}`;
    const response = await fetch(`/console/sample/${image}.svg`);
    const colors = [{ hex, family, share: 1 }];
    const item = { id, category, name: label, colors, ...(season && { seasons: [season] }) };
    return { id, label, item, picture: await response.blob() };
  });
  await addGarments(...(await Promise.all(garments)));
}
