import { dictionary, REGIONS, type Region } from '../dictionary/schema.ts';

const APPAREL = 'Apparel & Accessories';
/** The other roots of the tree, in lower case: categories below them are no apparel. */
const OTHER_ROOTS: ReadonlySet<string> = new Set([
  'animals & pet supplies',
  'arts & entertainment',
  'baby & toddler',
  'business & industrial',
  'cameras & optics',
  'electronics',
  'food, beverages & tobacco',
  'furniture',
  'hardware',
  'health & beauty',
  'home & garden',
  'mature',
  'media',
  'office supplies',
  'religious & ceremonial',
  'software',
  'sporting goods',
  'toys & games',
  'vehicles & parts',
]);
/** A root of its own; the dictionary has one category below it. */
const LUGGAGE = 'Luggage & Bags';
const BAG_NODES = [
  'Backpacks',
  'Briefcases',
  'Duffel Bags',
  'Fanny Packs',
  'Messenger Bags',
  'Shopping Totes',
] as const;
const BAG_NODE_IDS = [5181, 100, 101, 103, 104, 106, 5608] as const;
const CLOTHING = `${APPAREL} > Clothing`;

/** Branches above the dictionary's leaves (Google Product Taxonomy 2021-09-21). */
const BRANCHES: Readonly<Record<number, string>> = {
  166: APPAREL,
  167: `${APPAREL} > Clothing Accessories`,
  203: `${CLOTHING} > Outerwear`,
  208: `${CLOTHING} > Sleepwear & Loungewear`,
  213: `${CLOTHING} > Underwear & Socks`,
  1604: CLOTHING,
  5182: `${CLOTHING} > One-Pieces`,
  5388: `${CLOTHING} > Traditional & Ceremonial Clothing`,
  5441: `${CLOTHING} > Wedding & Bridal Party Dresses`,
  6551: `${APPAREL} > Handbags, Wallets & Cases`,
};

/** Nodes for sports, work and school clothing of any kind: they mean only "clothing". */
// biome-ignore format: a list reads best in lines
const ANY_CLOTHING = [
  5322, 3951, 5697, 3128, 3455, 3188, 6087, 3729, 5378, 499979, 5460, 5461, 5552, 5379, 5517, 6006, 7003, 5463,
  2306, 5484, 7235, 2396, 7236, 5949, 206, 3414, 3598, 3888, 3191, 3439, 3683, 3724, 3958, 4003, 5564, 3379,
];

const inRegion = (...regions: Region[]): readonly string[] =>
  dictionary.categories.filter(({ region }) => regions.includes(region)).map(({ id }) => id);

const SUITS = ['suit_set', 'blazer', 'dress_trousers', 'waistcoat'] as const;
const TRADITIONAL = [
  'saree_traditional',
  'abaya',
  'kaftan',
  'shalwar_kameez',
  'thobe',
  'dirndl',
  'hanfu_qipao',
] as const;
const HEADWEAR = ['hat', 'cap', 'beanie'] as const;

/**
 * Category ids that belong to a node besides those the dictionary maps to it: for nodes that cut across the
 * dictionary, and for what sellers file under other nodes.
 */
const EXTRA_CATEGORIES: Readonly<Record<number, readonly string[]>> = {
  168: ['scarf'],
  179: ['belt'],
  182: inRegion(...REGIONS),
  203: ['fleece_jacket', 'blazer', 'hoodie', 'cardigan', 'overshirt'],
  204: ['rain_trousers', 'ski_trousers', 'dungarees', 'capri', 'leggings'],
  208: ['joggers', 'hoodie', 'sweatshirt', 'shorts', 'socks_thick', 'slippers'],
  211: ['shorts', 'kimono_duster'],
  212: ['kurta', 'fleece_jacket', 'thermal_top', 'undershirt', 'kimono_duster', 'blazer', 'bra'],
  213: ['thermal_top', 'bodysuit', 'camisole', 'leggings'],
  1516: SUITS,
  1578: ['underwear_bottom', 'bra', 'bodysuit'],
  1580: SUITS,
  1594: SUITS,
  1772: ['bra', 'underwear_bottom', 'bodysuit', 'camisole', 'sleepwear'],
  1786: ['beanie'],
  1807: ['leggings'],
  1831: ['knit_vest'],
  2020: HEADWEAR,
  2271: ['jumpsuit', 'evening_dress', ...TRADITIONAL, 'swimwear', 'kimono_duster'],
  2331: ['skirt_light'],
  2668: ['bag'],
  3032: ['bag'],
  3066: ['rain_jacket', 'rain_trousers'],
  5183: SUITS,
  5329: ['evening_dress'],
  5330: ['evening_dress', 'dress', 'maxi_dress'],
  5344: ['shorts', 'skirt_light'],
  5408: inRegion('bottom'),
  5409: ['swimwear'],
  5410: inRegion('top'),
  5411: ['jumpsuit', 'bodysuit', 'sleepwear', 'dungarees'],
  5412: ['sleepwear', 'robe', 'jumpsuit'],
  5423: ['socks_thin', 'socks_thick', 'tights', 'leggings'],
  5424: inRegion('dress'),
  5425: inRegion('outerwear'),
  5490: ['bodysuit', 'jumpsuit'],
  5513: ['sleepwear'],
  5598: ['fleece_jacket', 'blazer', 'overshirt', 'cardigan', 'hoodie'],
  5621: ['underwear_bottom', 'undershirt'],
  5622: inRegion('dress', 'top', 'bottom'),
  5623: ['belt'],
  5624: ['gloves'],
  5625: HEADWEAR,
  5713: ['sleepwear', 'joggers', 'robe', 'hoodie', 'sweatshirt', 'shorts', 'tracksuit_set'],
  6031: ['saree_traditional'],
  6238: ['beanie'],
  7230: ['scarf'],
  7313: ['suit_set', 'sleepwear', 'dungarees'],
  543673: ['scarf'],
  543674: ['scarf'],
};

const pathOf = new Map<number, string>([
  ...ANY_CLOTHING.map((id) => [id, CLOTHING] as const),
  ...Object.entries(BRANCHES).map(([id, path]) => [Number(id), path] as const),
  ...dictionary.categories.map(({ mappings: { google } }) => [google.id, google.path] as const),
]);
// A path's own id comes last and overwrites: ids that only share the path come before it.
const idOf = new Map([...pathOf].map(([id, path]) => [path.toLowerCase(), id]));

const isUnder = (path: string, branch: string): boolean =>
  path === branch || path.startsWith(`${branch} >`);

const categoriesUnder = (id: number): ReadonlySet<string> => {
  const branch = pathOf.get(id);
  const own = dictionary.categories
    .filter(({ mappings: { google } }) => branch !== undefined && isUnder(google.path, branch))
    .map((category) => category.id);
  return new Set([...own, ...(EXTRA_CATEGORIES[id] ?? [])]);
};
const categoriesByNode = new Map<number, ReadonlySet<string>>([
  ...[...pathOf.keys(), ...Object.keys(EXTRA_CATEGORIES).map(Number)].map(
    (id) => [id, categoriesUnder(id)] as const,
  ),
  ...BAG_NODE_IDS.map((id) => [id, new Set(['bag'])] as const),
]);

/**
 * The meaning of a `google_product_category`. `categories`: the category ids below it; empty if it is no apparel.
 * `text`: a path in another language than English, to be read as text.
 */
type GoogleHint = { categories: ReadonlySet<string> } | { text: string };

const NO_CATEGORIES: ReadonlySet<string> = new Set();
const BAGS: ReadonlySet<string> = new Set(['bag']);
const isBagNode = (step: string | undefined): boolean =>
  BAG_NODES.some((name) => name.toLowerCase() === step?.toLowerCase());

/** An id, alone or as feeds write it beside its path: "187 - Apparel & Accessories > Shoes", "Shoes (187)". */
const ID = /^(\d+)(?:\s*[-–:].*)?$|\((\d+)\)$/;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&gt;': '>' };

/** Returns the steps of a path. A slash separates them only if nothing else does: names may contain one. */
function stepsOf(path: string): string[] {
  const steps = path.split(/[>›»|]/);
  return (steps.length > 1 ? steps : path.split('/')).map((step) => step.trim());
}

/** Reads a category. @param value an id, or a path such as `Apparel & Accessories > Shoes` */
export function readGoogleCategory(value: string | number): GoogleHint {
  const text = String(value)
    .trim()
    .replaceAll(/&(?:amp|gt);/g, (entity) => ENTITIES[entity] ?? entity);
  const [, before, after] = ID.exec(text) ?? [];
  const id = before ?? after;
  if (id !== undefined) return { categories: categoriesByNode.get(Number(id)) ?? NO_CATEGORIES };
  const steps = stepsOf(text);
  const root = steps[0]?.toLowerCase() ?? '';
  if (OTHER_ROOTS.has(root)) return { categories: NO_CATEGORIES };
  if (root === LUGGAGE.toLowerCase()) {
    return { categories: steps.length === 1 || isBagNode(steps[1]) ? BAGS : NO_CATEGORIES };
  }
  if (root !== APPAREL.toLowerCase()) return { text: String(value) };
  for (let length = steps.length; length > 0; length--) {
    const node = idOf.get(steps.slice(0, length).join(' > ').toLowerCase());
    // An unknown node falls back to its parent, unless that is the root.
    if (node !== undefined && (length > 1 || steps.length === 1)) {
      return { categories: categoriesByNode.get(node) ?? NO_CATEGORIES };
    }
  }
  return { categories: NO_CATEGORIES };
}
