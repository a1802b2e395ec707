import { dictionary } from '../taxonomy/dictionary/schema.ts';
import type { Basis } from './coefficients.ts';
import type { Ramp } from './numeric.ts';
import { SENSE_RULES, type SenseRule } from './sense-rules.ts';

// biome-ignore format: the order of the contract's resources
export const CONDITIONS = [
  'clear', 'partly-cloudy', 'cloudy', 'fog', 'drizzle', 'rain', 'heavy-rain', 'thunderstorm',
  'sleet', 'hail', 'snow', 'heavy-snow', 'windy', 'unknown',
] as const;
export type Condition = (typeof CONDITIONS)[number];

export const THERMAL_PROFILES = [
  'runs-very-cold',
  'runs-cold',
  'neutral',
  'runs-warm',
  'runs-very-warm',
] as const;
export type ThermalProfile = (typeof THERMAL_PROFILES)[number];

/** Parts of the body with an offset of their own. */
export const BODY_PARTS = ['top', 'bottom', 'feet', 'hands', 'head'] as const;

/** Terms of the score. */
export const TERMS = ['thermal', 'regions', 'protection', 'occasion', 'color', 'season'] as const;
export type Term = (typeof TERMS)[number];

/** Parts of the body that a person may want covered. */
export const COVERAGES = ['head', 'arms', 'legs', 'midriff'] as const;
export type Coverage = (typeof COVERAGES)[number];
/** Head: what covers it; the others: what leaves them bare. */
type CoverageRow = 'head' | 'bareArms' | 'bareLegs' | 'bareMidriff';

interface Table<Rows> {
  unit: string;
  basis: Basis;
  source: string;
  rows: Rows;
}

interface ConditionRow {
  /** Rise of the mean radiant temperature by day, K. */
  sunK: number;
  /** Factor on the insulation needed. */
  damp: number;
  /** Need of water protection, 0–1. */
  water: number;
}

interface ThermalProfileRow {
  id: ThermalProfile;
  /** Range of offsets with this label, K; null is no bound. */
  fromK: number | null;
  toK: number | null;
  /** Offset of the label if the profile has none, K. */
  offsetC: number;
}

export interface OccasionRow {
  /** Target formality, 0–5. */
  formality: number;
  /** Accepted deviation from it. */
  tolerance: number;
  /** Minimum insulation, clo. */
  floorClo: number;
  /**
   * Whether it is in a room, a room to which one walks (outside at the activity of a walk), outside, or sport. The second and
   * the last are in a room if its temperature is given.
   */
  place: 'room' | 'walk' | 'outside' | 'sport';
  /** Excluded categories. */
  forbids: readonly string[];
}

export interface Tables {
  condition: Table<Record<Condition, ConditionRow>>;
  regionShare: Table<Record<'top' | 'bottom' | 'shoes' | 'accessory', Ramp>>;
  feetRamp: Table<Ramp>;
  windChillRamp: Table<Ramp>;
  thermalProfile: Table<readonly ThermalProfileRow[]>;
  occasion: Table<Record<string, OccasionRow>>;
  season: Table<Record<string, { fromC: number; toC: number }>>;
  weights: Table<Record<Term, number>>;
  protection: Table<{ torso: number; legs: number; feet: number }>;
  hueHarmony: Table<Ramp>;
  visibleArea: Table<{
    outer: number;
    torso: number;
    beneath: number;
    dress: number;
    legs: number;
    feet: number;
    accessory: number;
  }>;
  feel: Table<readonly { id: string; belowIcl: number | null }[]>;
  warmth: Table<readonly number[]>;
  garmentClo: Table<Record<string, number>>;
  garmentWater: Table<Record<string, number>>;
  layering: Table<
    Record<
      | 'alone'
      | 'open'
      | 'thin'
      | 'sockless'
      | 'skirts'
      | 'overScarf'
      | 'sportTrousers'
      | 'jackets'
      | 'tieShirts'
      | 'frostShoes',
      readonly string[]
    >
  >;
  coverage: Table<Readonly<Record<CoverageRow, readonly string[]>>>;
  heatLimit: Table<readonly { toMet: number | null; wbgtC: number }[]>;
  sense: Table<readonly SenseRule[]>;
}

const { occasions, thermalProfiles } = dictionary.profileOptions;

function entryOf<T extends { id: string }>(entries: readonly T[], id: string): T {
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry) throw new Error(`The dictionary has no ${id}`);
  return entry;
}

const midFormality = (id: string): number => {
  const [low, high] = entryOf(occasions, id).formality;
  return (low + high) / 2;
};

const labelOffset = (id: ThermalProfile): number => entryOf(thermalProfiles, id).offsetC;

const occasion = (
  id: string,
  tolerance: number,
  floorClo: number,
  forbids: readonly string[] = [],
  place: OccasionRow['place'] = 'room',
): [string, OccasionRow] => [
  id,
  { formality: midFormality(id), tolerance, floorClo, place, forbids },
];

const TAILORED = ['blazer', 'waistcoat', 'suit_set', 'tie', 'dress_trousers', 'dress_shirt'];
const DELICATE = ['dress_shoes', 'heels', 'flats', 'evening_dress'];
const STIFF = ['jeans', 'corduroy_wool_trousers', 'wool_coat', 'trench_coat'];

const DICTIONARY = `Garment dictionary ${dictionary.dictionaryVersion}`;

// biome-ignore format: a table reads best aligned
export const TABLES: Tables = {
  condition: {
    unit: 'sunK: K, by day; damp: factor; water: 0..1', basis: 'judgement', source: 'Sign by physics, size by judgement',
    rows: {
      'clear':         { sunK: 12, damp: 1,    water: 0 },
      'partly-cloudy': { sunK: 6,  damp: 1,    water: 0 },
      'cloudy':        { sunK: 0,  damp: 1,    water: 0 },
      'fog':           { sunK: 0,  damp: 1,    water: 0 },
      'drizzle':       { sunK: 0,  damp: 1.02, water: 0.3 },
      'rain':          { sunK: 0,  damp: 1.05, water: 0.6 },
      'heavy-rain':    { sunK: 0,  damp: 1.1,  water: 0.9 },
      'thunderstorm':  { sunK: 0,  damp: 1.08, water: 0.8 },
      'sleet':         { sunK: 0,  damp: 1.1,  water: 0.8 },
      'hail':          { sunK: 0,  damp: 1.06, water: 0.5 },
      'snow':          { sunK: 0,  damp: 1.03, water: 0.4 },
      'heavy-snow':    { sunK: 0,  damp: 1.06, water: 0.6 },
      'windy':         { sunK: 0,  damp: 1,    water: 0 },
      'unknown':       { sunK: 0,  damp: 1,    water: 0 },
    },
  },
  regionShare: {
    unit: 'share of the sum of Iclu by iclRequired (clo), linear between', basis: 'fitted',
    source: 'Rounded by hand to ASHRAE 55 garment sets; cross-checked with Lin et al. 2025, 10.1007/s00484-025-02934-3, up to 1.5 clo',
    rows: {
      top:       [[0.3, 0.5],  [0.6, 0.57],  [1, 0.645], [1.5, 0.66],  [2, 0.645], [3, 0.62], [5, 0.6]],
      bottom:    [[0.3, 0.44], [0.6, 0.375], [1, 0.31],  [1.5, 0.285], [2, 0.275], [3, 0.27]],
      shoes:     [[0.6, 0.045], [1, 0.035], [1.5, 0.04],  [2, 0.05],  [3, 0.06], [5, 0.065]],
      accessory: [[1, 0.01],  [1.5, 0.015], [2, 0.03],  [3, 0.05], [5, 0.065]],
    },
  },
  feetRamp: {
    unit: 'clo by air temperature, degC', basis: 'judgement', source: 'Shoes people wear; a floor under the share',
    rows: [[-30, 0.16], [-10, 0.11], [5, 0.05], [20, 0.02]],
  },
  windChillRamp: {
    unit: 'clo by wind chill, degC', basis: 'judgement', source: 'Hat, scarf and gloves people wear; a floor under the share',
    rows: [[-40, 0.22], [-30, 0.2], [-10, 0.12], [0, 0.05], [10, 0]],
  },
  thermalProfile: {
    unit: 'K', basis: 'judgement', source: `${DICTIONARY}, offsets of the labels; an offset has the label of the first row that contains it`,
    rows: [
      { id: 'runs-very-cold', fromK: 2.5,  toK: null, offsetC: labelOffset('runs-very-cold') },
      { id: 'runs-cold',      fromK: 1,    toK: null, offsetC: labelOffset('runs-cold') },
      { id: 'runs-very-warm', fromK: null, toK: -2.5, offsetC: labelOffset('runs-very-warm') },
      { id: 'runs-warm',      fromK: null, toK: -1,   offsetC: labelOffset('runs-warm') },
      { id: 'neutral',        fromK: null, toK: null, offsetC: labelOffset('neutral') },
    ],
  },
  occasion: {
    unit: 'formality, tolerance: 0..5; floorClo: clo', basis: 'judgement', source: `${DICTIONARY}; floors after ensembles of ASHRAE 55-2023`,
    rows: Object.fromEntries([
      occasion('home',            2.5,   0.3),
      occasion('casual',          1.875, 0.3,  [], 'walk'),
      occasion('sport',           1.25,  0.3,  [...TAILORED, ...DELICATE, ...STIFF], 'sport'),
      occasion('outdoor',         1.875, 0.3,  [...TAILORED, ...DELICATE], 'outside'),
      occasion('travel',          1.875, 0.3,  [], 'walk'),
      occasion('school',          1.875, 0.36, [], 'walk'),
      occasion('smart_casual',    1.25,  0.36),
      occasion('work',            1.25,  0.45),
      occasion('business_formal', 1,     0.57),
      occasion('date',            1.5,   0.36),
      occasion('party',           1.5,   0.36),
      occasion('ceremony',        0.75,  0.57),
      occasion('beach',           1.25,  0.2,  TAILORED, 'outside'),
    ]),
  },
  season: {
    unit: 'degC', basis: 'judgement', source: 'Air temperatures at which garments of a season are worn',
    rows: {
      winter: { fromC: -60, toC: 8 },
      spring: { fromC: 4, toC: 20 },
      autumn: { fromC: 4, toC: 20 },
      summer: { fromC: 16, toC: 60 },
    },
  },
  weights: {
    unit: 'share of the score', basis: 'judgement', source: 'Comfort before appearance',
    rows: { thermal: 0.4, regions: 0.2, protection: 0.12, occasion: 0.13, color: 0.1, season: 0.05 },
  },
  protection: {
    unit: 'share', basis: 'judgement', source: 'Where rain and wind are felt',
    rows: { torso: 0.5, legs: 0.2, feet: 0.3 },
  },
  hueHarmony: {
    unit: 'harmony by difference of OKLCH hue, degrees; linear between', basis: 'judgement',
    source: 'Common practice after the templates of Matsuda; borders softened by 5 degrees to each side',
    rows: [
      [15, 0.9], [25, 0.8], [45, 0.8], [55, 0.5], [75, 0.5], [85, 0.45], [105, 0.45], [115, 0.65],
      [135, 0.65], [145, 0.6], [165, 0.6], [175, 0.75],
    ],
  },
  visibleArea: {
    unit: 'share', basis: 'judgement', source: 'Visible share of each slot; a pair of garments weighs the product',
    rows: { outer: 0.35, torso: 0.35, beneath: 0.1, dress: 0.6, legs: 0.3, feet: 0.1, accessory: 0.1 },
  },
  feel: {
    unit: 'clo', basis: 'judgement', source: 'Adjective of a name by the insulation of the outfit',
    rows: [
      { id: 'airy',    belowIcl: 0.45 },
      { id: 'light',   belowIcl: 0.85 },
      { id: 'layered', belowIcl: 1.3 },
      { id: 'warm',    belowIcl: 1.9 },
      { id: 'winter',  belowIcl: null },
    ],
  },
  warmth: {
    unit: 'factor on the category’s clo, for warmth 1 to 5', basis: 'judgement', source: 'Spread of garment tables',
    rows: [0.6, 0.8, 1, 1.25, 1.5],
  },
  garmentClo: {
    unit: 'clo, Iclu', basis: 'standard', source: `${DICTIONARY}: ASHRAE 55 and ISO 9920 values if it names them`,
    rows: Object.fromEntries(dictionary.categories.map(({ id, clo }) => [id, clo.default])),
  },
  garmentWater: {
    unit: 'resistance to water, 0..3', basis: 'judgement', source: `Where shops say more than the ${DICTIONARY}: gabardine is proofed`,
    rows: { trench_coat: 2 },
  },
  layering: {
    unit: 'categories', basis: 'judgement',
    source: 'alone: of the middle or outer layer, but also worn without a base; open: also worn over a pullover; thin: also worn under one; sockless: shoes worn without thick socks; skirts: worn with tights, not with long underwear; overScarf: worn over a scarf that covers the head; sportTrousers: for sport worn without others beneath; jackets: one is worn to formal occasions; tieShirts: under it worn with a tie; frostShoes: never too informal in hard cold',
    rows: {
      alone: ['flannel_shirt', 'sweater', 'thick_sweater', 'turtleneck', 'sweatshirt', 'hoodie', 'ski_trousers'],
      open: ['blazer', 'cardigan', 'fleece_jacket', 'kimono_duster', 'knit_vest', 'overshirt', 'waistcoat'],
      thin: ['flannel_shirt', 'turtleneck'],
      frostShoes: ['boots', 'winter_boots'],
      skirts: ['skirt_light', 'skirt_heavy', 'maxi_skirt', 'light_dress', 'dress', 'long_sleeve_dress', 'maxi_dress', 'evening_dress', 'dirndl', 'hanfu_qipao'],
      overScarf: ['beanie'],
      sportTrousers: ['rain_trousers'],
      sockless: ['sandals', 'heels', 'flats'],
      jackets: ['blazer', 'suit_set', 'sherwani'],
      tieShirts: ['dress_shirt', 'shirt'],
    },
  },
  coverage: {
    unit: 'categories', basis: 'judgement', source: 'What covers the head; what leaves the rest bare as it is usually cut',
    rows: {
      head: ['scarf', 'hat', 'beanie', 'cap'],
      bareArms: ['t_shirt', 'tank_top', 'camisole', 'polo_shirt', 'short_sleeve_shirt', 'knit_vest', 'waistcoat', 'bodysuit', 'light_dress', 'dress', 'maxi_dress', 'evening_dress', 'saree_traditional', 'swimwear'],
      bareLegs: ['shorts', 'capri', 'skirt_light', 'skirt_heavy', 'light_dress', 'dress', 'long_sleeve_dress', 'swimwear'],
      bareMidriff: ['swimwear', 'saree_traditional'],
    },
  },
  heatLimit: {
    unit: 'met; degC WBGT', basis: 'standard', source: 'ISO 7243:2017, reference values of people not acclimatised, by class of activity',
    rows: [
      { toMet: 1.1, wbgtC: 32 }, { toMet: 2.2, wbgtC: 29 }, { toMet: 3.4, wbgtC: 26 }, { toMet: 4.5, wbgtC: 23 }, { toMet: null, wbgtC: 20 },
    ],
  },
  sense: {
    unit: 'points; belowC: wind chill, degC; aboveC: air, degC; fromMet, belowMet: met; fromMs: wind, m/s', basis: 'judgement',
    source: 'What people wear and shops advise; a rule without `with` is about one garment, a hard one is broken only if nothing else is left',
    rows: SENSE_RULES,
  },
};
