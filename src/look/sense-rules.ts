/** A set of garments; every given field must hold. */
export interface GarmentSet {
  readonly categories?: readonly string[];
  readonly materials?: readonly string[];
  /** Of a colour that shows every splash. */
  readonly isPale?: true;
}

/** One rule of common sense: what a sensible person does not wear. */
export interface SenseRule {
  readonly id: string;
  /** Points that it costs to break the rule; without, it only leaves garments out. */
  readonly points?: number;
  /** Hard rules are broken only if there is no other outfit. */
  readonly isHard?: true;
  readonly garment: GarmentSet;
  /** Broken only together with one of these. */
  readonly with?: GarmentSet;
  /** Holds only if the wardrobe has one of these. */
  readonly ifOwned?: readonly string[];
  readonly occasions?: readonly string[];
  readonly conditions?: readonly string[];
  /** Broken only in dry weather. */
  readonly isDry?: true;
  /** Wind chill below which it holds, °C. */
  readonly belowC?: number;
  /** Air temperature above which it holds, °C. */
  readonly aboveC?: number;
}

const WET = ['rain', 'heavy-rain', 'thunderstorm', 'sleet', 'heavy-snow'] as const;
const SNOW = ['snow', 'heavy-snow', 'sleet'] as const;
const ANY_WET = [...WET, 'drizzle', 'snow', 'hail'] as const;

const LEGS = [
  'jeans',
  'trousers',
  'chinos',
  'dress_trousers',
  'cargo_pants',
  'joggers',
  'leggings',
  'corduroy_wool_trousers',
  'shorts',
  'capri',
  'skirt_light',
  'skirt_heavy',
  'maxi_skirt',
  'dungarees',
];
const DRESSES = [
  'light_dress',
  'dress',
  'long_sleeve_dress',
  'maxi_dress',
  'evening_dress',
  'saree_traditional',
  'jumpsuit',
  'abaya',
  'kaftan',
  'shalwar_kameez',
  'thobe',
  'dirndl',
  'hanfu_qipao',
];
const SKIRTS = ['skirt_light', 'skirt_heavy', 'maxi_skirt'];
const DRESS_SHOES = ['dress_shoes', 'heels', 'flats'];
const WARM_COATS = ['wool_coat', 'down_jacket', 'parka', 'puffer_vest'];
const SPORTY = ['joggers', 'leggings', 'tracksuit_set', 'shorts', 'cargo_pants'];
// biome-ignore format: a list reads best in lines
const NOT_FOR_SPORT = [
  ...DRESSES, ...SKIRTS, 'blouse', 'shirt', 'tunic', 'sweater', 'thick_sweater', 'turtleneck',
  'cardigan', 'knit_vest', 'trousers', 'chinos', 'dungarees', 'overshirt', 'kimono_duster',
  'flannel_shirt', 'short_sleeve_shirt', 'dress_shirt', 'kurta', 'cape_poncho', 'leather_jacket',
  'denim_jacket', 'down_jacket', 'parka',
];
const SNOW_GEAR = ['ski_trousers', 'rain_trousers'];
const SEDATE = [
  'casual',
  'travel',
  'school',
  'smart_casual',
  'work',
  'business_formal',
  'date',
  'party',
  'ceremony',
];
const OFFICE = ['work', 'business_formal'];
const FINE = ['smart_casual', 'date', 'party', 'ceremony', 'business_formal'];

/** Common sense, a rule a row. All of it is judgement, from what people wear and what shops advise. */
// biome-ignore format: a table reads best aligned
export const SENSE_RULES: readonly SenseRule[] = [
  // Material and weather.
  { id: 'linen-wet',        points: 30, isHard: true, garment: { categories: [...LEGS, ...DRESSES], materials: ['linen'] }, conditions: ANY_WET },
  { id: 'linen-cold',       points: 30, isHard: true, garment: { categories: [...LEGS, ...DRESSES], materials: ['linen'] }, belowC: 13 },
  { id: 'linen-top-cold',   points: 8,  garment: { categories: ['shirt', 'short_sleeve_shirt', 'blouse', 't_shirt', 'tunic', 'tank_top'], materials: ['linen'] }, belowC: 8 },
  { id: 'suede-wet',        points: 40, isHard: true, garment: { materials: ['suede'] }, conditions: [...WET, 'snow'] },
  { id: 'silk-wet',         points: 8,  garment: { materials: ['silk'] }, conditions: WET },
  { id: 'straw-wet',        points: 20, isHard: true, garment: { materials: ['straw'] }, conditions: ANY_WET },
  { id: 'straw-cold',       points: 20, isHard: true, garment: { materials: ['straw'] }, belowC: 18 },
  { id: 'mesh-cold',        points: 10, garment: { materials: ['lace_mesh'] }, belowC: 8 },
  { id: 'fur-warm',         points: 30, isHard: true, garment: { materials: ['fur', 'down'] }, aboveC: 18 },
  { id: 'pale-wet',         points: 10, garment: { categories: LEGS, isPale: true }, conditions: WET },
  // Denim and cotton soak up rain; a raincoat in the same closet does not.
  { id: 'jacket-soaked',    points: 12, garment: { categories: ['denim_jacket', 'bomber_jacket', 'leather_jacket', 'light_jacket'] }, conditions: ['rain', 'heavy-rain', 'thunderstorm', 'sleet'] },
  // Wet down insulates no more.
  { id: 'down-wet',         points: 10, garment: { categories: ['down_jacket', 'puffer_vest'] }, conditions: ['rain', 'heavy-rain', 'thunderstorm'] },
  { id: 'down-wet-mild',    points: 30, garment: { categories: ['down_jacket', 'puffer_vest'] }, conditions: ['rain', 'heavy-rain', 'thunderstorm'], aboveC: 8 },
  // Footwear and weather.
  { id: 'sandals-wet',      points: 40, isHard: true, garment: { categories: ['sandals'] }, conditions: [...WET, 'snow', 'hail'], belowC: 22 },
  { id: 'sandals-cold',     points: 40, isHard: true, garment: { categories: ['sandals'] }, belowC: 14 },
  { id: 'sandals-cool',     points: 10, garment: { categories: ['sandals'] }, belowC: 18 },
  { id: 'thin-shoes-snow',  points: 30, isHard: true, garment: { categories: ['heels', 'flats'] }, conditions: SNOW },
  { id: 'low-shoes-snow',   points: 10, garment: { categories: ['sneakers', 'sports_shoes', 'dress_shoes'] }, conditions: SNOW, occasions: [...SEDATE, 'home', 'outdoor', 'beach'] },
  { id: 'low-shoes-trail',  points: 8,  garment: { categories: ['sneakers'] }, conditions: WET, belowC: 18, occasions: ['outdoor'] },
  { id: 'heels-rain',       points: 8,  garment: { categories: ['heels', 'flats'] }, conditions: WET },
  { id: 'winter-boots-mild', points: 30, isHard: true, garment: { categories: ['winter_boots'] }, aboveC: 12 },
  { id: 'boots-hot',        points: 20, isHard: true, garment: { categories: ['boots'] }, aboveC: 25 },
  { id: 'boots-warm',       points: 8,  garment: { categories: ['boots'] }, aboveC: 20 },
  // Clothes and temperature.
  { id: 'bare-freezing',    points: 80, isHard: true, garment: { categories: ['shorts', 'swimwear'] }, belowC: 5 },
  { id: 'bare-cold',        points: 12, garment: { categories: ['shorts', 'skirt_light', 'light_dress', 'capri'] }, belowC: 12, occasions: SEDATE },
  { id: 'bare-wet',         points: 12, garment: { categories: ['shorts', 'skirt_light', 'light_dress', 'capri'] }, conditions: WET, belowC: 15, occasions: ['outdoor'] },
  { id: 'summer-dress-cold', points: 25, isHard: true, garment: { categories: ['light_dress'] }, belowC: 9 },
  { id: 'thin-legs-cold',   points: 12, garment: { categories: ['skirt_light', 'capri', 'dress', 'maxi_dress'] }, belowC: 4 },
  { id: 'skirt-frost',      points: 12, garment: { categories: [...SKIRTS, 'dress', 'maxi_dress', 'long_sleeve_dress'] }, belowC: -12 },
  { id: 'coat-warm',        points: 40, isHard: true, garment: { categories: WARM_COATS }, aboveC: 15 },
  { id: 'jacket-hot',       points: 20, isHard: true, garment: { categories: ['leather_jacket', 'bomber_jacket', 'denim_jacket', 'trench_coat'] }, aboveC: 25 },
  { id: 'knit-hot',         points: 25, isHard: true, garment: { categories: ['thick_sweater', 'fleece_jacket', 'turtleneck', 'hoodie', 'sweatshirt', 'flannel_shirt', 'sweater', 'corduroy_wool_trousers'] }, aboveC: 27 },
  { id: 'wrapped-warm',     points: 40, isHard: true, garment: { categories: ['beanie', 'gloves', 'socks_thick', 'thermal_top', 'long_johns'] }, aboveC: 17 },
  { id: 'gloves-mild',      points: 20, isHard: true, garment: { categories: ['gloves'] }, aboveC: 13 },
  { id: 'rain-gear-dry',    points: 25, isHard: true, garment: { categories: ['rain_trousers'] }, isDry: true },
  { id: 'ski-mild',         points: 40, isHard: true, garment: { categories: ['ski_trousers'] }, aboveC: 5 },
  // Occasion and garment.
  { id: 'sport-dressy',     points: 50, isHard: true, garment: { categories: NOT_FOR_SPORT }, occasions: ['sport'] },
  { id: 'sport-shoes',      points: 40, isHard: true, garment: { categories: ['boots', 'sandals'] }, occasions: ['sport'] },
  { id: 'sport-boots',      points: 40, isHard: true, garment: { categories: ['winter_boots'] }, with: { categories: ['leggings', 'joggers', 'tracksuit_set', 'shorts', 'capri', 'cargo_pants'] }, occasions: ['sport'] },
  { id: 'ski-low-shoes',    points: 15, garment: { categories: ['ski_trousers'] }, with: { categories: ['sneakers', 'sports_shoes'] } },
  { id: 'sport-material',   points: 40, isHard: true, garment: { materials: ['silk', 'denim', 'corduroy', 'fur'] }, occasions: ['sport'] },
  { id: 'sport-sneakers',   isHard: true, garment: { categories: ['sneakers'] }, ifOwned: ['sports_shoes'], occasions: ['sport'] },
  { id: 'sport-casual',     points: 8,  garment: { categories: ['polo_shirt', 'cargo_pants', 'capri', 'bodysuit', 'bomber_jacket'] }, occasions: ['sport'] },
  { id: 'beach-heavy',      points: 40, isHard: true, garment: { categories: ['tracksuit_set', 'boots', 'winter_boots', 'heels', 'dress_shoes', 'evening_dress', 'skirt_heavy', 'beanie', 'gloves', 'ski_trousers', 'thick_sweater', 'turtleneck', ...WARM_COATS] }, occasions: ['beach'], aboveC: 14 },
  { id: 'beach-long',       points: 10, garment: { categories: ['joggers', 'leggings', 'trousers', 'cargo_pants', 'hoodie', 'sweatshirt', 'fleece_jacket', 'sneakers', 'sports_shoes', 'long_sleeve_dress'] }, occasions: ['beach'], aboveC: 22 },
  { id: 'home-outdoor',     points: 40, isHard: true, garment: { categories: ['boots', 'winter_boots', 'rain_jacket', 'trench_coat', 'wool_coat'] }, occasions: ['home'], aboveC: 7 },
  { id: 'home-dressy',      points: 40, isHard: true, garment: { categories: ['heels', 'dress_shoes', 'ski_trousers', 'rain_trousers', 'suit_set', 'blazer', 'waistcoat', 'evening_dress', 'saree_traditional'] }, occasions: ['home'] },
  { id: 'home-stiff',       points: 8,  garment: { categories: ['dress_trousers', 'dress_shirt'] }, occasions: ['home'] },
  { id: 'snow-gear-town',   points: 40, isHard: true, garment: { categories: ['ski_trousers'] }, occasions: [...SEDATE, 'beach'] },
  { id: 'rain-gear-fine',   points: 30, isHard: true, garment: { categories: SNOW_GEAR }, occasions: FINE },
  { id: 'gown-everyday',    points: 50, isHard: true, garment: { categories: ['evening_dress'] }, occasions: ['home', 'casual', 'sport', 'outdoor', 'travel', 'school', 'work', 'business_formal', 'beach', 'smart_casual'] },
  { id: 'suit-leisure',     points: 40, isHard: true, garment: { categories: ['suit_set'] }, occasions: ['home', 'sport', 'outdoor', 'beach', 'travel'] },
  { id: 'outdoor-delicate', points: 20, isHard: true, garment: { categories: [...DRESSES, 'skirt_light', 'skirt_heavy', 'maxi_skirt', 'blouse'] }, occasions: ['outdoor'] },
  { id: 'office-leisure',   points: 40, isHard: true, garment: { categories: ['shorts', 'tank_top', 'joggers', 'tracksuit_set', 'swimwear', 'cargo_pants'] }, occasions: OFFICE },
  { id: 'office-casual',    points: 10, garment: { categories: ['leggings', 'hoodie', 'sweatshirt', 'sandals', 'sports_shoes', 'dungarees', 'camisole', 'fleece_jacket'] }, occasions: OFFICE },
  { id: 'ceremony-casual',  points: 40, isHard: true, garment: { categories: ['jeans', 'shorts', 'joggers', 'leggings', 'tracksuit_set', 'hoodie', 'sweatshirt', 'fleece_jacket', 'tank_top', 'cargo_pants', 'sports_shoes', 'denim_jacket', 'flannel_shirt', 'dungarees'] }, occasions: ['ceremony', 'business_formal'] },
  { id: 'evening-sporty',   points: 20, isHard: true, garment: { categories: ['tracksuit_set', 'joggers', 'fleece_jacket', 'sports_shoes', 'winter_boots'] }, occasions: ['date', 'party'] , aboveC: -5 },
  { id: 'thick-socks-fine', points: 10, isHard: true, garment: { categories: ['socks_thick'] }, occasions: FINE, aboveC: 5 },
  { id: 'shorts-evening',   points: 25, isHard: true, garment: { categories: ['shorts', 'tank_top'] }, occasions: ['smart_casual', 'date', 'party'] },
  { id: 'swim-elsewhere',   points: 50, isHard: true, garment: { categories: ['swimwear'] }, occasions: [...SEDATE, 'home', 'outdoor'] },
  // What does not go together.
  { id: 'sporty-shiny',     points: 40, isHard: true, garment: { categories: DRESS_SHOES }, with: { categories: ['joggers', 'tracksuit_set', 'shorts', 'leggings', 'cargo_pants', ...SNOW_GEAR] } },
  { id: 'over-skirt',       points: 30, isHard: true, garment: { categories: SNOW_GEAR }, with: { categories: [...SKIRTS, 'light_dress', 'dress', 'long_sleeve_dress', 'maxi_dress', 'evening_dress'] } },
  { id: 'over-stiff',       points: 8,  garment: { categories: ['ski_trousers'] }, with: { categories: ['jeans', 'trousers', 'chinos', 'dress_trousers', 'cargo_pants', 'corduroy_wool_trousers'] } },
  { id: 'boots-bare',       points: 25, isHard: true, garment: { categories: ['winter_boots'] }, with: { categories: ['shorts', 'light_dress', 'capri', 'skirt_light'] } },
  { id: 'boots-shorts',     points: 12, garment: { categories: ['boots'] }, with: { categories: ['shorts', 'capri'] } },
  { id: 'tailored-sporty',  points: 30, isHard: true, garment: { categories: ['blazer', 'waistcoat', 'suit_set'] }, with: { categories: [...SPORTY, 'ski_trousers', 'hoodie', 'sweatshirt', 'sports_shoes', 'tank_top', 'thermal_top'] } },
  { id: 'tailored-bulk',    points: 25, garment: { categories: ['blazer', 'suit_set', 'waistcoat'] }, with: { categories: ['thick_sweater', 'fleece_jacket'] } },
  { id: 'hood-dressy',      points: 12, garment: { categories: ['hoodie', 'sweatshirt'] }, with: { categories: ['blouse', 'dress_shirt', 'dress_trousers', 'dress_shoes'] } },
  { id: 'sundress-stiff',   points: 12, garment: { categories: ['light_dress'] }, with: { categories: ['dress_shoes'] } },
  { id: 'waistcoat-casual', points: 12, garment: { categories: ['waistcoat'] }, with: { categories: ['t_shirt', 'long_sleeve_tee', 'camisole'] } },
  { id: 'runners-dressy',   points: 25, isHard: true, garment: { categories: ['sports_shoes'] }, with: { categories: ['dress_trousers', 'dress', 'long_sleeve_dress', 'evening_dress', 'skirt_heavy', 'maxi_skirt', 'wool_coat', 'trench_coat', 'dress_shirt'] } },
  { id: 'coat-bare',        points: 25, isHard: true, garment: { categories: WARM_COATS }, with: { categories: ['shorts', 'sandals', 'light_dress'] } },
  { id: 'coat-sandals',     points: 20, isHard: true, garment: { categories: ['trench_coat', 'corduroy_wool_trousers', 'suit_set', 'thick_sweater', 'turtleneck', 'dress_trousers'] }, with: { categories: ['sandals'] } },
  { id: 'bulk-on-bulk',     points: 12, garment: { categories: ['cardigan', 'fleece_jacket', 'overshirt', 'knit_vest', 'kimono_duster', 'waistcoat'] }, with: { categories: ['hoodie', 'sweatshirt', 'thick_sweater'] } },
  { id: 'gown-casual',      points: 30, isHard: true, garment: { categories: ['evening_dress'] }, with: { categories: ['sneakers', 'sports_shoes', 'boots', 'winter_boots', 'sandals', 'parka', 'down_jacket', 'puffer_vest', 'denim_jacket', 'fleece_jacket', 'windbreaker', 'rain_jacket'] } },
  { id: 'tracksuit-shirt',  points: 20, isHard: true, garment: { categories: ['tracksuit_set'] }, with: { categories: ['dress_shirt', 'shirt', 'flannel_shirt', 'kurta', 'blouse', 'short_sleeve_shirt', 'wool_coat', 'trench_coat', 'boots'] } },
  { id: 'tracksuit-bulk',   points: 10, garment: { categories: ['tracksuit_set'] }, with: { categories: ['sweatshirt', 'hoodie', 'thick_sweater', 'parka', 'down_jacket'] } },
  { id: 'joggers-dressy',   points: 15, garment: { categories: ['joggers', 'leggings'] }, with: { categories: ['dress_shirt', 'wool_coat', 'trench_coat'] } },
];
