import { describe, expect, test } from 'vitest';
import { computeTargets } from '../../src/look/comfort/signed-targets.ts';
import { situationOf } from '../../src/look/comfort/targets.ts';
import { readSigningKeys } from '../../src/look/digest.ts';
import { computeOutfits } from '../../src/look/outfits.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { TargetsRequest, Weather } from '../../src/look/schema.ts';
import { createSense } from '../../src/look/scoring/sense.ts';
import { CONDITIONS } from '../../src/look/tables.ts';
import { computeTrip, TripRequest } from '../../src/look/trips/trip.ts';
import { readGarment } from '../../src/look/wardrobe/garment-clo.ts';
import { OutfitsRequest } from '../../src/look/wardrobe/wardrobe-request.ts';
import { WardrobeItem } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { CATEGORY_IDS, MATERIAL_IDS, OCCASION_IDS } from '../../src/taxonomy/dictionary/schema.ts';
import requests from '../fixtures/look-requests.json' with { type: 'json' };
import { someOf } from '../support/many.ts';
import { CLOSET, SUMMER_CLOSET } from './closet.ts';
import { firstOutfit, gridCells } from './grid.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('k1:a-secret-of-the-test');
const requestOf = (name: string) => requests.find((one) => one.name === name)?.request as object;
const outfits = (request: object) => computeOutfits(model, keys, OutfitsRequest.parse(request));
const first = (request: object) => outfits(request).outfits[0];
const MILD = { tempC: 18, windMs: 2, humidityPct: 50, condition: 'cloudy' };
const HOT = { tempC: 33, windMs: 2, humidityPct: 60, condition: 'clear' };
const closet = (more: object) => ({ weather: MILD, met: 1.4, items: CLOSET, limit: 3, ...more });
const codesOf = (outfit: ReturnType<typeof first>) =>
  outfit?.explanation.map(({ code }) => code) ?? [];

describe('requests with right answers', () => {
  test('a gym at 7 met asks for next to nothing', () => {
    const found = outfits(requestOf('gym-met-7'));
    expect(found.place).toMatchObject({ why: 'indoor-temperature', met: 7 });
    expect(found.outfits[0]?.itemIds).toContain('shorts');
    for (const { itemIds, warnings } of found.outfits.slice(0, 2)) {
      expect(itemIds.some((id) => id === 'tee' || id === 'tank')).toBe(true);
      expect(warnings).not.toContain('too-cold');
    }
  });

  test('linen is not offered in sleet', () => {
    const found = outfits(requestOf('linen-in-sleet'));
    expect(found.outfits.map(({ itemIds }) => itemIds.includes('lin'))).toEqual([false]);
    expect(found.diagnostics.map(({ code }) => code)).toEqual(['not-in-rain']);
  });

  test('sport in the rain: a rain jacket over a top, and leggings or joggers', () => {
    const ids = first(requestOf('summer-dress-for-sport-in-rain'))?.itemIds ?? [];
    expect(ids).toContain('rain');
    expect(ids.some((id) => ['leggings-black', 'joggers-grey'].includes(id))).toBe(true);
  });

  test('at home: no ski trousers and no boots', () => {
    const ids = first(requestOf('home-ski-trousers'))?.itemIds ?? [];
    expect(ids.some((id) => ['joggers', 'jeans'].includes(id))).toBe(true);
    expect(ids.filter((id) => ['ski', 'boots', 'wboots', 'rt'].includes(id))).toEqual([]);
  });

  test('snow at 50 degrees may be Fahrenheit', () => {
    const { diagnostics } = outfits(requestOf('fahrenheit'));
    expect(diagnostics[0]?.detail).toMatch(/°F, it is 10 °C/);
  });

  test.each(requests.filter(({ name }) => name.startsWith('condition-')))('$name', (one) => {
    const { targets } = computeTargets(model, keys, TargetsRequest.parse(one.request));
    expect(targets.inputs.condition).not.toBe('unknown');
  });

  test('a packed hat, which needs no washing, is worn in the snow', () => {
    const { days } = computeTrip(model, TripRequest.parse(requestOf('trip-hat-left-off')));
    const ids = days.find(({ date }) => date === '2026-12-14')?.outfit?.itemIds;
    expect(ids).toEqual(expect.arrayContaining(['beanie', 'scarf-wool', 'gloves']));
  });
});

describe('where one is', () => {
  test.each([
    [{ occasion: 'sport' }, 'outdoor', 'occasion'],
    [{ occasion: 'outdoor' }, 'outdoor', 'occasion'],
    [{ occasion: 'beach', weather: HOT }, 'outdoor', 'occasion'],
    [{ occasion: 'work' }, 'indoor', 'default'],
    [{ occasion: 'sport', plan: 'indoor' }, 'indoor', 'plan'],
    [{ occasion: 'sport', indoorTempC: 20 }, 'indoor', 'indoor-temperature'],
  ])('%j', (more, plan, why) => {
    expect(outfits(closet(more))).toMatchObject({ plan, place: { why } });
  });

  test('work beyond a walk is done in the room', () => {
    const metOf = (met: number) => outfits(closet({ met, occasion: 'work' })).place.met;
    expect([1, 1.4, 2, 2.3, 2.6, 4].map(metOf)).toEqual([1, 1.4, 1.4, 1.85, 2.6, 4]);
  });
});

describe('coverage', () => {
  const BARE = [
    'tee-white',
    'tee-striped',
    'tank-coral',
    'shirt-linen',
    'shorts-khaki',
    'dress-floral',
  ];

  test('arms, legs and head are covered in the heat, by request or profile', () => {
    const coverage = ['head', 'arms', 'legs'];
    for (const more of [{ coverage }, { userProfile: { coverage } }]) {
      const found = outfits(closet({ weather: HOT, ...more })).outfits;
      expect(found.length).toBeGreaterThan(0);
      for (const { slots, itemIds } of found) {
        expect(slots.head ?? slots.neck).toBeDefined();
        expect(slots.mid !== undefined || !BARE.includes(slots.main ?? '')).toBe(true);
        expect(itemIds).not.toContain('shorts-khaki');
      }
    }
  });

  test('a wardrobe that cannot cover a part says which garment is missing', () => {
    const items = CLOSET.filter(({ id }) => ['tee-white', 'shorts-khaki', 'sneakers'].includes(id));
    const found = outfits(closet({ items, coverage: ['legs'] }));
    expect(found.outfits).toEqual([]);
    const missing = found.diagnostics.find(({ code }) => code === 'missing-coverage');
    expect(missing?.detail).toMatch(/legs.*long trousers/);
  });

  test('swimwear is for the beach, and a bikini top needs a bottom', () => {
    const swim = { id: 'swim', category: 'swimwear' };
    const items = [swim, ...CLOSET];
    const worn = (more: object) =>
      outfits(closet({ items, weather: HOT, limit: 20, ...more })).outfits.some(({ itemIds }) =>
        itemIds.includes('swim'),
      );
    expect(worn({ occasion: 'beach' })).toBe(true);
    expect(worn({ occasion: 'casual' })).toBe(false);
    const top = { id: 'top', category: 'swimwear', name: 'Bikini top' };
    expect(outfits(closet({ items: [top], must: ['top'], weather: HOT })).outfits).toEqual([]);
  });
});

describe('danger is said first', () => {
  test.each([
    [
      { tempC: -35, windMs: 6, humidityPct: 60, condition: 'clear' },
      'danger.frostbite',
      'frostbite-risk',
    ],
    [{ tempC: 33, windMs: 1, humidityPct: 80, condition: 'clear' }, 'danger.heat', 'heat-stress'],
    [{ tempC: 48, windMs: 2, humidityPct: 10, condition: 'clear' }, 'danger.heat', 'heat-stress'],
  ])('%j', (weather, code, warning) => {
    const outfit = first(closet({ weather, plan: 'outdoor', met: 1.6 }));
    expect(codesOf(outfit)[0]).toBe(code);
    expect(outfit?.warnings).toContain(warning);
    expect(outfit?.thermal.ppd).toBeGreaterThan(90);
    expect(outfit?.score).toBeLessThan(60);
  });

  test('the limit of exposure is that of the cold, not of a cool wind', () => {
    const codes = (tempC: number) => {
      const weather = { tempC, windMs: 9, humidityPct: 70, condition: 'windy' };
      const items = CLOSET.filter(({ id }) => /tee-white|jeans-blue|sneakers/.test(id));
      return codesOf(first(closet({ weather, plan: 'outdoor', met: 1.2, items })));
    };
    expect(codes(9)).toContain('danger.cold');
    expect(codes(11)).not.toContain('danger.cold');
  });

  test('on a mild day there is none', () => {
    expect(codesOf(first(closet({}))).filter((code) => code.startsWith('danger'))).toEqual([]);
  });
});

test('socks are not worn in sandals', () => {
  const items = CLOSET.filter(({ id }) => !/boots|oxfords|suede|sneakers/.test(id));
  const found = outfits(closet({ items, plan: 'outdoor', weather: { ...MILD, tempC: 8 } })).outfits;
  expect(found.length).toBeGreaterThan(0);
  for (const { slots } of found) expect([slots.shoes, slots.socks]).toEqual(['sandals', undefined]);
});

/** Shares no factor with the sizes of the grid, so that every row and column of it is met. */
const STRIDE = 41;

test('the grid breaks no hard rule if another outfit is left, and a soft one in 1 % at most', () => {
  const met = [...gridCells()].filter((_, at) => at % STRIDE === 0);
  expect(met.length).toBeGreaterThan(100);
  const cells = someOf(met, 5);
  const broken = cells.map((cell) => ({ cell, ...firstOutfit(cell) }));
  const isAvoidable = ({ cell }: (typeof broken)[number]) =>
    firstOutfit(cell, 20).found.outfits.some(
      ({ explanation }) => !explanation.some(({ code }) => code.startsWith('sense.')),
    );
  expect(broken.filter(({ outfit }) => !outfit)).toEqual([]);
  const named = broken.filter(({ hard }) => hard.length > 0).filter(isAvoidable);
  expect(named.map(({ cell: { request: _, ...cell }, hard }) => ({ cell, hard }))).toEqual([]);
  expect(broken.filter(({ soft }) => soft.length > 0).length).toBeLessThan(cells.length / 100);
});

test('rules name what the dictionary has, and their numbers are numbers', () => {
  const known = new Set<string>([
    ...CATEGORY_IDS,
    ...MATERIAL_IDS,
    ...OCCASION_IDS,
    'labour',
    ...CONDITIONS,
  ]);
  for (const { garment, with: other, ...rule } of model.tables.sense) {
    const lists = [rule.ifOwned, rule.unlessOwned, rule.occasions, rule.conditions];
    for (const set of [garment, other]) lists.push(set?.categories, set?.materials, set?.unlessOf);
    expect(lists.flatMap((ids) => ids ?? []).filter((id) => !known.has(id))).toEqual([]);
    expect(Object.values(rule)).not.toContain(Number.NaN);
  }
  const ids = model.tables.sense.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('what a stranger would not wear', () => {
  const RAIN = { tempC: 14, windMs: 4, humidityPct: 85, condition: 'rain' };
  const FROST = { tempC: -25, windMs: 3, humidityPct: 60, condition: 'clear' };
  const rulesBroken = (category: string, other: string | undefined, more: object) => {
    const items = [
      { id: 'one', category },
      ...(other ? [{ id: 'other', category: other }] : []),
      ...CLOSET.filter(({ id }) => /tee-white|jeans-blue|boots$/.test(id)),
    ];
    const must = other ? ['one', 'other'] : ['one'];
    const [outfit] = outfits(closet({ plan: 'outdoor', ...more, items, must })).outfits;
    return outfit?.explanation.flatMap(({ params }) => params.rule ?? []) ?? [];
  };
  test.each([
    ['jacket-soaked', 'denim_jacket', undefined, { weather: RAIN }],
    ['skirt-frost', 'skirt_heavy', undefined, { weather: FROST }],
    ['hood-dressy', 'hoodie', 'blouse', {}],
    ['sundress-stiff', 'light_dress', 'dress_shoes', {}],
    ['snow-gear-town', 'ski_trousers', undefined, { weather: FROST, occasion: 'beach' }],
    ['jacket-soaked', 'light_jacket', undefined, { weather: RAIN }],
    ['bare-wet', 'shorts', undefined, { weather: RAIN, occasion: 'outdoor' }],
    ['sport-boots', 'winter_boots', 'leggings', { weather: FROST, occasion: 'sport' }],
    ['over-skirt', 'rain_trousers', 'skirt_heavy', { weather: { ...RAIN, tempC: 1 } }],
    ['ski-low-shoes', 'ski_trousers', 'sneakers', { weather: FROST, occasion: 'sport' }],
    ['sport-bulk', 'parka', 'leggings', { weather: FROST, occasion: 'sport', met: 6 }],
    ['sport-coat-mild', 'down_jacket', 'leggings', { occasion: 'sport', met: 3 }],
    ['sandals-knit', 'sandals', 'sweater', {}],
    ['denim-hot', 'dungarees', undefined, { weather: HOT }],
    ['formal-tee', 't_shirt', 'trousers', { occasion: 'ceremony' }],
    ['ceremony-casual', 'sneakers', 'trousers', { occasion: 'ceremony' }],
    ['joggers-shirt', 'joggers', 'shirt', {}],
    ['knit-hot', 'skirt_heavy', undefined, { weather: HOT }],
    ['hood-shirt', 'hoodie', 'shirt', {}],
    ['suit-casual', 'suit_set', undefined, { occasion: 'casual' }],
    ['suit-tee', 't_shirt', 'suit_set', {}],
    ['cardigan-sweater', 'cardigan', 'sweater', {}],
    ['tie-open', 'polo_shirt', 'tie', {}],
    ['waistcoat-casual', 'sweater', 'waistcoat', { weather: { ...MILD, tempC: 12 } }],
    ['formal-knit', 'suit_set', 'sweater', { occasion: 'ceremony' }],
    ['bulk-mild', 'parka', 'fleece_jacket', {}],
    ['down-mild', 'wool_coat', undefined, { weather: { ...MILD, tempC: 13 } }],
    ['flats-cold', 'flats', undefined, { weather: { ...MILD, tempC: -2 } }],
    ['summer-dress-wet', 'light_dress', undefined, { weather: { ...RAIN, condition: 'drizzle' } }],
    ['leggings-hot', 'leggings', undefined, { weather: HOT }],
    ['dress-fleece', 'fleece_jacket', 'light_dress', {}],
    ['over-ski', 'rain_trousers', 'ski_trousers', { weather: { ...RAIN, tempC: 1 } }],
    ['denim-hot', 'long_sleeve_dress', undefined, { weather: HOT }],
    ['kurta-shorts', 'kurta', 'shorts', {}],
    ['waistcoat-casual', 'polo_shirt', 'waistcoat', {}],
    ['swim-warm', 'swimwear', 'fleece_jacket', { weather: HOT, occasion: 'beach' }],
    ['knit-warm', 'sweater', undefined, { weather: { ...MILD, tempC: 25 } }],
    [
      'bare-wet',
      'shorts',
      undefined,
      { weather: { ...RAIN, condition: 'drizzle' }, occasion: 'outdoor' },
    ],
  ])('%s', (rule, category, other, more) => {
    expect(rulesBroken(category, other, more)).toContain(rule);
    const mild = { weather: { ...MILD, tempC: 2 }, occasion: 'outdoor' };
    const rest = other ? rulesBroken(category, undefined, {}) : rulesBroken(category, other, mild);
    expect(rest).not.toContain(rule);
  });

  test('one skis in winter boots and does not run in silk', () => {
    const items = [
      ...CLOSET,
      { id: 'ski', category: 'ski_trousers' },
      { id: 'runners', category: 'sports_shoes' },
      { id: 'tights', category: 'leggings' },
      { id: 'silk', category: 'camisole', materials: [{ id: 'silk' }] },
    ];
    const idsOf = (more: object) => first(closet({ items, occasion: 'sport', ...more }))?.itemIds;
    const snow = { tempC: -8, windMs: 6, humidityPct: 80, condition: 'snow' };
    expect(idsOf({ weather: snow, met: 3.5 })).toEqual(
      expect.arrayContaining(['ski', 'snow-boots']),
    );
    const run = idsOf({ weather: snow, met: 7 });
    expect(run).toEqual(expect.arrayContaining(['tights', 'runners']));
    expect(idsOf({ weather: HOT, met: 7 })).not.toContain('silk');
    const walk = idsOf({ weather: FROST, met: 2.3, occasion: 'outdoor' });
    expect(walk).toEqual(expect.arrayContaining(['ski', 'tights']));
    const jacket = { id: 'ski-jacket', category: 'parka' };
    const slope = { items: [...items, jacket], weather: snow, met: 3, occasion: 'sport' };
    expect(first(closet(slope))?.slots.outer).toMatch(/parka|ski-jacket/);
  });

  test('a rider in the wind has a windbreaker, and in the cold sleeves', () => {
    const rider = [
      { id: 'jersey', category: 't_shirt', materials: [{ id: 'polyester' }] },
      { id: 'long-tee', category: 'long_sleeve_tee' },
      { id: 'tights', category: 'leggings' },
      { id: 'runners', category: 'sports_shoes' },
      { id: 'shorts', category: 'shorts' },
    ];
    const shell = { id: 'shell', category: 'windbreaker' };
    const ride = (tempC: number, windMs: number, met: number) =>
      first({
        items: [...rider, shell],
        weather: { tempC, windMs, humidityPct: 60, condition: 'windy' },
        met,
        occasion: 'sport',
      })?.slots;
    expect([5, 6].map((met) => ride(12, 10, met)?.outer)).toEqual(['shell', 'shell']);
    expect(ride(12, 2, 5)?.outer).toBeUndefined();
    expect(ride(12, 10, 7)?.outer).toBeUndefined();
    const rainwear = [...rider, { id: 'shell', category: 'rain_jacket' }];
    const wet = (met: number) =>
      first({ items: rainwear, weather: RAIN, met, occasion: 'sport' })?.slots.outer;
    expect([wet(5), wet(7)]).toEqual(['shell', 'shell']);
    expect(ride(8, 3, 6)?.main).toBe('jersey');
    expect(ride(3, 3, 6)).toMatchObject({ main: 'long-tee' });
    const bare = { items: rider.filter(({ id }) => id !== 'long-tee'), occasion: 'sport' };
    expect(first({ ...bare, weather: FROST, met: 7 })?.slots.main).toBe('jersey');
  });

  test('a top of polyester lets sweat out and the rain in, as one of which nothing is known', () => {
    const heat = { tempC: 31, windMs: 3, humidityPct: 50, condition: 'clear' };
    const drizzle = { tempC: 16, windMs: 2, humidityPct: 90, condition: 'drizzle' };
    const dressed = (material: string | undefined, weather: object) =>
      first({
        items: [
          { id: 'tee', category: 't_shirt', ...(material && { materials: [{ id: material }] }) },
          { id: 'shorts', category: 'shorts' },
          { id: 'runners', category: 'sports_shoes' },
        ],
        weather,
        met: 6,
        occasion: 'sport',
      });
    const scores = ['polyester', undefined].map((one) => dressed(one, heat)?.score ?? 0);
    expect(Math.abs(scores[0]! - scores[1]!)).toBeLessThan(1);
    expect(codesOf(dressed('polyester', drizzle))).toContain('rain.exposed');
    expect(codesOf(dressed('polyester', drizzle))).toContain('occasion.match');
  });

  test('rubber boots and flip-flops are not for the office or a feast', () => {
    const wellies = { id: 'wellies', category: 'boots', materials: [{ id: 'rubber' }] };
    const items = CLOSET.filter(({ id }) => !/boots|sneakers|suede|sandals/.test(id));
    for (const occasion of ['work', 'party', 'ceremony']) {
      const found = outfits(closet({ items: [...items, wellies], weather: RAIN, occasion }));
      expect(found.outfits.some(({ itemIds }) => itemIds.includes('wellies'))).toBe(false);
    }
  });

  test('who wears more than is needed is not told that nothing lighter helps', () => {
    const items = CLOSET.filter(({ id }) => /sweater-thick|jeans-blue|^boots|parka/.test(id));
    const must = ['sweater-thick', 'parka'];
    const mild = closet({ items, must, plan: 'outdoor', met: 2.6 });
    expect(codesOf(first(mild))).toContain('thermal.warm');
    expect(codesOf(first(closet({ weather: HOT, plan: 'outdoor' })))).toContain('thermal.hot');
  });

  test('formal business asks for a jacket, if there is one and it is not hot', () => {
    const formal = (more: object) => first(closet({ occasion: 'business_formal', ...more }))?.slots;
    const jackets = /blazer|suit/;
    expect(formal({})?.mid).toMatch(jackets);
    const none = CLOSET.filter(({ id }) => !jackets.test(id));
    expect(formal({ items: none })?.main).toBeDefined();
    expect(formal({ weather: HOT, plan: 'outdoor' })?.mid).toBeUndefined();
  });

  test('gloves and hats stay at home on mild days, and a raincoat is put on to leave home', () => {
    const added = (tempC: number, more: object = {}) => {
      const weather = { tempC, windMs: 12, humidityPct: 60, condition: 'windy' };
      return first(closet({ weather, plan: 'indoor', ...more }))?.shell?.addIds;
    };
    expect(added(4)).toEqual(expect.arrayContaining(['beanie', 'gloves']));
    expect(added(9)).not.toContain('gloves');
    expect(added(9)).toContain('beanie');
    expect(added(11)).not.toContain('beanie');
    const items = [
      ...CLOSET.filter(({ id }) => id !== 'scarf'),
      { id: 'wool', category: 'scarf', materials: [{ id: 'wool' }] },
    ];
    expect(added(11, { items })).toContain('wool');
    expect(added(16.5, { items })).not.toContain('wool');
    const shell = first(closet({ weather: RAIN, occasion: 'home' }))?.shell;
    expect(shell?.items[0]?.itemId).toMatch(/rain-jacket|parka/);
  });

  test('wind that is hardly felt is not spoken of', () => {
    const breeze = { tempC: 10, windMs: 3, humidityPct: 70, condition: 'cloudy' };
    const codes = codesOf(first(closet({ weather: breeze, plan: 'outdoor', met: 2 })));
    expect(codes.filter((code) => code.startsWith('wind'))).toEqual([]);
  });

  test('in frost a coat is worn, a warm one before a trench, whatever the order of the wardrobe', () => {
    const cells = [...gridCells()].filter(
      ({ closet: id, weather, occasion, plan, met }) =>
        id === 'south' &&
        /^-/.test(weather) &&
        occasion !== 'sport' &&
        plan === 'outdoor' &&
        met <= 2.6,
    );
    const bare = cells.filter((cell) => !firstOutfit(cell).outfit?.slots.outer);
    expect(bare.map(({ weather, occasion, met }) => [weather, occasion, met])).toEqual([]);
    for (const occasion of ['date', 'smart_casual', 'party'])
      for (const [tempC, met] of [
        [-7, 1.2],
        [-4, 1.6],
        [-4, 2.6],
        [-1, 2],
      ]) {
        const request = { weather: { ...FROST, tempC }, met, occasion, plan: 'outdoor' };
        const worn = (items: object) => firstOutfit({ request: { ...request, items } }).outfit;
        const outfit = worn(SUMMER_CLOSET);
        expect(outfit?.itemIds).toContain('down-long');
        expect(worn(SUMMER_CLOSET.toReversed())?.itemIds).toEqual(outfit?.itemIds);
      }
  });

  test('a garment gives way only to one that stays: of two that outdo each other neither goes', () => {
    const garmentOf = (category: string) =>
      readGarment(model, WardrobeItem.parse({ id: category, category }));
    const [hoodie, sweater, parka, cap] = ['hoodie', 'sweater', 'parka', 'cap'].map(garmentOf);
    const outdone = (pairs: readonly string[]) => {
      const rule = model.tables.sense.find(({ id }) => id === 'denim-cold')!;
      const sense = pairs.map((pair) => {
        const [worse = '', better = ''] = pair.split('<');
        const garment = { ...rule.garment, categories: [worse] };
        return { ...rule, id: pair, garment, ifOwned: [better], belowC: undefined };
      });
      const tables = { ...model.tables, sense };
      const situation = situationOf(model, { weather: Weather.parse(MILD), met: 1.4 });
      const owned = [hoodie!, sweater!, parka!, cap!];
      const { outdoneIn } = createSense({ ...model, tables }, situation, 'outside');
      const [ids, turned] = [owned, owned.toReversed()].map((order) =>
        owned.filter((one) => outdoneIn(order)(one).length > 0).map(({ id }) => id),
      );
      expect(turned).toEqual(ids);
      return ids;
    };
    expect(outdone(['hoodie<sweater'])).toEqual(['hoodie']);
    expect(outdone(['hoodie<sweater', 'sweater<hoodie'])).toEqual([]);
    expect(outdone(['hoodie<sweater', 'sweater<parka', 'parka<hoodie'])).toEqual([]);
    expect(outdone(['hoodie<sweater', 'sweater<parka'])).toEqual(['sweater']);
    expect(outdone(['hoodie<sweater', 'sweater<hoodie', 'sweater<cap'])).toEqual(['sweater']);
  });
});
