import { calibrate } from '../../src/look/calibration/calibrate.ts';
import type { Feedback } from '../../src/look/calibration/calibrate-schema.ts';
import { dangersOf } from '../../src/look/comfort/danger.ts';
import { situationOf, unsignedTargets } from '../../src/look/comfort/targets.ts';
import { computeDay } from '../../src/look/day.ts';
import { readSigningKeys } from '../../src/look/digest.ts';
import { metaResponse } from '../../src/look/meta.ts';
import { computeCandidates, computeOutfits } from '../../src/look/outfits.ts';
import { type Model, PARAMS } from '../../src/look/params.ts';
import { Weather } from '../../src/look/schema.ts';
import { costOf, createSense, type Sense } from '../../src/look/scoring/sense.ts';
import { CONDITIONS, type Condition } from '../../src/look/tables.ts';
import { readGarment } from '../../src/look/wardrobe/garment-clo.ts';
import type { OutfitsRequest } from '../../src/look/wardrobe/wardrobe-request.ts';
import { WardrobeItem } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { OCCASION_IDS } from '../../src/taxonomy/dictionary/schema.ts';
import { CLOSET } from './closet.ts';
import { requestFrom } from './properties.ts';
import { createRandom } from './wardrobes.ts';

const keys = readSigningKeys('k1:a-secret-of-the-test');
const { next } = createRandom(11);
const requests = Array.from({ length: 120 }, () => requestFrom(Array.from({ length: 20 }, next)));

/** Garments with unusual attributes: dark and pale colours, patterns, extreme warmth, no attributes. */
// biome-ignore format: a table reads best aligned
const ODD = ([
  { id: 'dark',     category: 't_shirt',  colors: [{ hex: '#1a0508' }], warmth: 1 },
  { id: 'pale',     category: 'shirt',    colors: [{ hex: '#fdf0c8' }], warmth: 2, pattern: 'checked' },
  { id: 'vivid',    category: 'sweater',  colors: [{ hex: '#d0103a' }], warmth: 4 },
  { id: 'shrill',   category: 'hoodie',   colors: [{ hex: '#10b040' }], warmth: 5, pattern: 'striped', occasions: ['sport'] },
  { id: 'dotted',   category: 'chinos',   colors: [{ hex: '#2050c0' }], pattern: 'dots', occasions: ['work'] },
  { id: 'unknown',  category: 'jeans' },
  { id: 'bare',     category: 'sandals',  colors: [{ hex: '#c0a010' }] },
  { id: 'shoes',    category: 'sneakers', colors: [{ hex: '#12080f' }] },
  { id: 'jacket',   category: 'light_jacket', colors: [{ hex: '#104080' }] },
  { id: 'trench',   category: 'trench_coat', colors: [{ hex: '#c2a878' }] },
]).map((item) => WardrobeItem.parse(item));

/** Accessories that are worn only on request. */
// biome-ignore format: a table reads best aligned
const STYLE = ([
  { id: 'bag',  category: 'bag',  colors: [{ hex: '#d0103a' }] },
  { id: 'belt', category: 'belt', colors: [{ hex: '#2050c0' }] },
]).map((item) => WardrobeItem.parse(item));

const ofCategories = (categories: string): WardrobeItem[] =>
  categories.split(' ').map((category) => WardrobeItem.parse({ id: category, category }));

const SKIRT = ofCategories('blouse skirt_light tights flats');
const SUIT = ofCategories('suit_set dress_shirt tie dress_shoes');

const SWIMSUIT = WardrobeItem.parse({ id: 'swimsuit', category: 'swimwear' });

type Day = [tempC: number, windMs: number, condition: string, more?: Partial<OutfitsRequest>];
// biome-ignore format: a table reads best aligned
const DAYS: readonly Day[] = [
  [19,  3, 'cloudy',     { items: ODD, limit: 20 }],
  [11,  3, 'cloudy',     { items: ODD, limit: 20, plan: 'outdoor', occasion: 'casual' }],
  [19,  3, 'partly-cloudy'],
  [19,  3, 'cloudy',     { plan: 'outdoor', occasion: 'work' }],
  [12,  6, 'rain',       { items: ODD, plan: 'outdoor' }],
  [8,   6, 'rain'],
  [8,   6, 'rain',       { items: [...CLOSET, ...STYLE], must: ['bag', 'belt'] }],
  [8,   6, 'rain',       { plan: 'outdoor', met: 1.6 }],
  [12,  9, 'heavy-rain', { plan: 'outdoor', occasion: 'outdoor' }],
  [-15, 4, 'snow'],
  [-15, 4, 'snow',       { plan: 'outdoor' }],
  [-5,  9, 'heavy-snow', { plan: 'outdoor', met: 1.2 }],
  [-38, 12, 'cloudy',    { plan: 'outdoor', met: 1.2 }],
  [33,  2, 'clear'],
  [33,  2, 'clear',      { plan: 'outdoor' }],
  [38,  1, 'clear',      { plan: 'outdoor', met: 3 }],
  [26,  1, 'cloudy',     { plan: 'outdoor', met: 1.4 }],
  [23,  5, 'windy',      { plan: 'outdoor', met: 1.2, occasion: 'date' }],
  [3,   4, 'drizzle',    { occasion: 'business_formal', recent: [{ itemIds: ['oxfords', 'suit', 'dress-shirt'], daysAgo: 2 }] }],
  [16,  2, 'thunderstorm', { occasion: 'party' }],
  [-0.5, 4, 'heavy-snow', { plan: 'outdoor' }],
  [-8,  3, 'snow',       { occasion: 'outdoor', met: 1.6 }],
  [-2,  3, 'snow',       { occasion: 'outdoor', met: 1.6 }],
  [6,   2, 'cloudy',     { plan: 'outdoor', met: 2.6, limit: 20 }],
  [10,  2, 'sleet',      { occasion: 'home', indoorTempC: 14 }],
  [5,   2, 'hail',       { occasion: 'sport', plan: 'outdoor', met: 4 }],
  [21,  2, 'fog',        { occasion: 'school' }],
  [28,  3, 'clear',      { occasion: 'beach' }],
  [24,  3, 'clear',      { items: [...CLOSET, SWIMSUIT], occasion: 'beach', plan: 'outdoor' }],
  [11,  3, 'unknown',    { plan: 'outdoor' }],
  [14,  3, 'cloudy',     { items: SKIRT, occasion: 'work', limit: 1 }],
  [14,  3, 'cloudy',     { items: SUIT, occasion: 'business_formal', limit: 1 }],
  [14,  3, 'cloudy',     { occasion: 'smart_casual' }],
  [14,  3, 'cloudy',     { occasion: 'travel' }],
  [14,  3, 'cloudy',     { occasion: 'ceremony' }],
  [19,  2, 'clear',      { occasion: 'ceremony', limit: 1 }],
  [13,  2, 'heavy-rain', { plan: 'outdoor', occasion: 'outdoor', met: 3, limit: 1 }],
  [2,   3, 'cloudy',     { occasion: 'outdoor', met: 4.5, limit: 1 }],
  [16,  2, 'drizzle',    { occasion: 'sport', met: 5, limit: 1 }],
  [9,   4, 'rain',       { plan: 'outdoor', occasion: 'school', met: 4.5, limit: 1 }],
  [9,   2, 'heavy-rain', { plan: 'outdoor', occasion: 'casual', met: 3, limit: 1 }],
];

const outfitsOn =
  ([tempC, windMs, condition, more]: Day) =>
  (model: Model) =>
    computeOutfits(model, keys, {
      weather: Weather.parse({ tempC, windMs, humidityPct: 60, condition }),
      met: 2,
      items: [...CLOSET],
      limit: 4,
      ...more,
    });

const COLD = Weather.parse({ tempC: 2, windMs: 4, humidityPct: 70, condition: 'cloudy' });
const felt = (vote: number, more: Partial<Feedback> = {}): Feedback => ({
  vote,
  weather: COLD,
  met: 2,
  plan: 'outdoor',
  worn: { icl: 1.7 },
  ...more,
});

const HOURS = [2, 4, 9, 14, 19, 21, 17, 12].map((tempC, hour) => ({
  weather: Weather.parse({
    tempC,
    windMs: 2 + hour,
    humidityPct: 60,
    condition: hour > 5 ? 'rain' : 'clear',
  }),
  met: hour % 3 === 0 ? 1.3 : 2,
}));

const DAY_PLANS = [
  [
    [15, 'clear', 1.3],
    [14, 'clear', 1.4],
    [10, 'clear', 2.6],
    [8, 'clear', 2.6],
    [7, 'clear', 2],
    [18, 'clear', 1.4],
  ],
  [
    [25, 'clear', 1.6],
    [28, 'rain', 1.6],
  ],
].map((hours) =>
  hours.map(([tempC, condition, met]) => ({
    weather: Weather.parse({ tempC, windMs: 4, humidityPct: 60, condition }),
    met: Number(met),
  })),
);

const RIDER = ofCategories('t_shirt long_sleeve_tee leggings sports_shoes windbreaker');

const VOTES: readonly Feedback[] = [
  felt(-2, { regionVotes: { hands: -3 } }),
  felt(3, { minutes: 3 }),
  felt(-1, { minutes: 4.9 }),
  { ...felt(0), vote: undefined, preference: 'warmer' },
  felt(0, { plan: 'indoor', indoorTempC: 19, weather: undefined }),
  felt(-1, {
    worn: { items: CLOSET.filter(({ id }) => ['tee-white', 'jeans-blue'].includes(id)) },
  }),
];
const EXTREMES = [
  Array.from({ length: 40 }, () => felt(-3, { regionVotes: { feet: -3 } })),
  Array.from({ length: 40 }, () => felt(-1)),
];

type SenseDay = [tempC: number, condition: Condition, met?: number, windMs?: number];
const SENSE_DAYS: readonly SenseDay[] = [
  [-3, 'cloudy'],
  [-1, 'cloudy', 2],
  [1, 'sleet'],
  [4, 'snow'],
  [-1, 'snow', 2],
  [4, 'drizzle', 2],
  [-12, 'snow'],
  [2, 'cloudy', 4],
  [0, 'rain'],
  [5, 'rain'],
  [6, 'cloudy'],
  [9, 'cloudy'],
  [10, 'drizzle'],
  [12, 'rain'],
  [13, 'cloudy'],
  [14, 'cloudy', 1.6],
  [16, 'sleet'],
  [16, 'windy', 1.6, 11],
  [18, 'cloudy'],
  [21, 'drizzle'],
  [24, 'cloudy'],
  [27, 'cloudy'],
  [31, 'clear'],
  [34, 'clear'],
];

const sensesOf = (model: Model): Sense[] =>
  SENSE_DAYS.flatMap(([tempC, condition, met = 5, windMs = COLD.windMs]) =>
    OCCASION_IDS.map((occasion) => {
      const weather = { ...COLD, tempC, condition, windMs };
      return createSense(model, situationOf(model, { weather, met, occasion }), 'outside');
    }),
  );

/** For each rule of common sense a garment, the second one of a rule about two, and what the first gives way to. */
const BREAKERS = PARAMS.tables.sense.rows.map((rule) =>
  [rule.garment, rule.with ?? rule.garment, { categories: rule.ifOwned, materials: undefined }].map(
    ({ categories, materials }, i) =>
      WardrobeItem.parse({
        id: `${rule.id}-${i}`,
        category: categories?.[0] ?? 'shirt',
        materials: materials?.slice(0, 1).map((id) => ({ id })),
        colors: [{ hex: '#ffffff' }],
      }),
  ),
);

/** Results of the engine that together depend on every number in the params. */
export const PROBES: readonly ((model: Model) => unknown)[] = [
  (model) => requests.map((request) => unsignedTargets(model, situationOf(model, request))),
  (model) => requests.map((request) => situationOf(model, request).indoor.regions),
  (model) => calibrate(model, { feedback: [...VOTES] }),
  ...EXTREMES.map((feedback) => (model: Model) => [
    calibrate(model, { feedback }),
    calibrate(model, {
      userProfile: { offsetC: 5, learning: { n: 1, variance: 0.06, model: '' } },
      feedback: feedback.slice(0, 3),
    }),
  ]),
  ...DAYS.map(outfitsOn),
  // The number of outfits depends on whether outerwear is required.
  (model) =>
    [4, 6, 8, 10, 12].map((tempC) =>
      computeCandidates(model, keys, {
        weather: { ...COLD, tempC },
        met: 2,
        plan: 'outdoor',
        items: [...ODD],
        limit: 1,
      }),
    ),
  (model) => metaResponse(model, 'en').dictionaries,
  // A run in a light frost, with gloves.
  (model) =>
    computeOutfits(model, keys, {
      items: [...CLOSET],
      weather: Weather.parse({ ...COLD, tempC: -2, windMs: 2 }),
      met: 7,
      occasion: 'sport',
      limit: 1,
    }).outfits.map(({ itemIds }) => itemIds),
  // What common sense and danger say of every garment in all weathers.
  (model) =>
    Array.from({ length: 24 }, (_, i) => {
      const condition = CONDITIONS[i % CONDITIONS.length]!;
      const weather = { ...COLD, tempC: 3 * i - 34, windMs: 1 + (i % 5) * 3, condition };
      return [1, 2, 3, 4, 6].map((met) => dangersOf(model, situationOf(model, { weather, met })));
    }),
  (model) => {
    const breakers = BREAKERS.map((items) => items.map((item) => readGarment(model, item)));
    return sensesOf(model).map(({ brokenBy, brokenByPair, outdoneIn }) =>
      breakers.map(([garment, other, better]) => [
        brokenBy(garment!).map(({ id, points }) => [id, points]),
        outdoneIn([garment!, better!])(garment!).map(({ id }) => id),
        costOf(brokenByPair(garment!, other!)),
      ]),
    );
  },
  (model) => computeDay(model, { hours: [...HOURS], items: [...CLOSET] }),
  // Whether a pullover is worth a change, and whether one takes a coat for a warm shower.
  ...DAY_PLANS.map(
    (hours) => (model: Model) => computeDay(model, { hours: [...hours], items: [...CLOSET] }),
  ),
  // Rides in wind and cold: a shell, and sleeves.
  (model) =>
    [
      [8, 3],
      [12, 12],
    ].map(([tempC = 0, windMs = 0]) =>
      computeOutfits(model, keys, {
        items: [...RIDER],
        weather: Weather.parse({ ...COLD, tempC, windMs, condition: 'cloudy' }),
        met: 6,
        occasion: 'sport',
        limit: 1,
      }).outfits.map(({ itemIds }) => itemIds),
    ),
];
