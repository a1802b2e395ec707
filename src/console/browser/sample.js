import { textOf } from './texts.js';
import { addGarments } from './wardrobe-store.js';

/**
 * The sample wardrobe: image, category, main colour and season.
 * @type {readonly [image: string, category: string, hex: string, family: string, season?: string][]}
 */
// biome-ignore format: a table reads best aligned
const GARMENTS = [
  ['tee',           't_shirt',                '#f1efe9', 'white'],
  ['breton',        'long_sleeve_tee',        '#2b3a5c', 'navy'],
  ['oxford',        'shirt',                  '#a9c4e2', 'light_blue'],
  ['sweater',       'sweater',                '#c99325', 'mustard'],
  ['roll-neck',     'turtleneck',             '#43474d', 'charcoal'],
  ['hoodie',        'hoodie',                 '#9a9fa6', 'grey'],
  ['blazer',        'blazer',                 '#27324f', 'navy'],
  ['dress',         'light_dress',            '#2f7f7c', 'teal', 'summer'],
  ['jeans',         'jeans',                  '#2f456f', 'navy'],
  ['chinos',        'chinos',                 '#c2a379', 'tan'],
  ['wool-trousers', 'corduroy_wool_trousers', '#5d6168', 'charcoal'],
  ['shorts',        'shorts',                 '#8a7f4e', 'khaki', 'summer'],
  ['skirt',         'skirt_light',            '#7a2a3a', 'burgundy'],
  ['sneakers',      'sneakers',               '#f0efec', 'white'],
  ['boots',         'boots',                  '#6b4429', 'brown'],
  ['sandals',       'sandals',                '#b98b5a', 'tan', 'summer'],
  ['rain-jacket',   'rain_jacket',            '#e0b02c', 'yellow'],
  ['wool-coat',     'wool_coat',              '#b8895a', 'tan'],
  ['down-jacket',   'down_jacket',            '#2f4a3d', 'green'],
  ['beanie',        'beanie',                 '#b4352c', 'red'],
  ['scarf',         'scarf',                  '#c3b59b', 'beige'],
  ['gloves',        'gloves',                 '#2b2f3a', 'charcoal'],
  ['socks',         'socks_thick',            '#7d8188', 'grey'],
];

/** Adds the sample wardrobe to the garments that are there. */
export async function addSampleWardrobe() {
  const garments = GARMENTS.map(async ([image, category, hex, family, season]) => {
    const id = `sample-${image}`;
    const label = textOf(`sample.${image}`) ?? image;
    const response = await fetch(`/console/sample/${image}.svg`);
    const colors = [{ hex, family, share: 1 }];
    const item = { id, category, name: label, colors, ...(season && { seasons: [season] }) };
    return { id, label, item, picture: await response.blob() };
  });
  await addGarments(...(await Promise.all(garments)));
}
