import { describe, expect, test } from 'vitest';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { computeTrip, TripRequest } from '../../src/look/trips/trip.ts';
import { SMALL_CLOSETS } from './closet.ts';
import { firstOutfit, CLOSETS as GRID_CLOSETS } from './grid.ts';

const CLOSETS = { ...GRID_CLOSETS, ...SMALL_CLOSETS };

const weather = (tempC: number, condition: string, windMs = 3, humidityPct = 60) => ({
  tempC,
  windMs,
  humidityPct,
  condition,
});

interface Right {
  /** One of each of these. */
  worn?: readonly (readonly string[])[];
  /** None of these. */
  not?: readonly string[];
  /** Code of the first explanation, and warnings that there are or are not. */
  first?: string;
  warns?: string;
  calm?: string;
  /** Slots that are filled, and empty. */
  slots?: readonly string[];
  empty?: readonly string[];
  plan?: 'indoor' | 'outdoor';
  /** Pieces that the shell offers first. */
  shell?: readonly string[];
}

const LONG = [
  'jeans-blue',
  'jeans-black',
  'chinos-beige',
  'trousers-grey',
  'dresspants-grey',
  'skirt-wool',
  'leggings-black',
  'joggers-grey',
];
const BARE = [
  'tee-white',
  'tee-stripe',
  'tee-striped',
  'tank-coral',
  'shirt-linen',
  'dress-floral',
  'shorts-khaki',
  'shorts-denim',
];

// biome-ignore format: a table reads best aligned
const REQUESTS: readonly [name: string, closet: keyof typeof CLOSETS, request: object, right: Right][] = [
  // Activity and place.
  ['a run at 20 °C', 'south', { weather: weather(20, 'clear'), met: 7, occasion: 'sport' }, { worn: [['run-shorts'], ['tee-run', 'tee-black'], ['runners']], calm: 'too-cold', plan: 'outdoor' }],
  ['a run at -5 °C', 'south', { weather: weather(-5, 'cloudy'), met: 7, occasion: 'sport' }, { worn: [['run-tights'], ['runners']], not: ['run-shorts', 'down-long'] }],
  ['gloves for a run in the frost', 'runner', { weather: weather(-5, 'clear'), met: 7, occasion: 'sport' }, { worn: [['gloves'], ['tights', 'joggers'], ['runners']], not: ['parka', 'run-shorts', 'jeans'] }],
  ['a run in the rain at 10 °C', 'south', { weather: weather(10, 'rain'), met: 6, occasion: 'sport' }, { worn: [['runners'], ['rain-shell', 'windbreaker', 'light-jacket']], not: ['boots-brown', 'jeans-dark'] }],
  ['a hall at 22 °C in winter', 'hers', { weather: weather(-8, 'snow'), met: 5, occasion: 'sport', indoorTempC: 22 }, { worn: [['tee-white', 'tee-stripe']], not: ['hoodie-pink', 'winterboots', 'beanie', 'thermal-top'], plan: 'indoor', calm: 'too-cold' }],
  ['a waiter in the heat', 'his', { weather: weather(24, 'clear'), met: 2.6, occasion: 'work' }, { not: ['sweater', 'thick', 'fleece', 'flannel', 'blazer'], plan: 'indoor' }],
  ['a desk in summer', 'mixed', { weather: weather(30, 'clear'), met: 1.1, occasion: 'work' }, { not: ['shorts-khaki', 'tank-coral', 'sandals'], plan: 'indoor' }],
  ['gardening on a cool day', 'his', { weather: weather(9, 'cloudy'), met: 4, occasion: 'outdoor' }, { not: ['parka', 'overcoat', 'suit', 'oxfords'], plan: 'outdoor', calm: 'too-cold' }],
  ['a walk in a gale', 'mixed', { weather: weather(9, 'windy', 18), met: 2.3, occasion: 'outdoor' }, { worn: [['rain-jacket', 'parka']], plan: 'outdoor' }],
  ['waiting for a bus at -10 °C', 'mixed', { weather: weather(-10, 'snow'), met: 1.2, plan: 'outdoor' }, { worn: [['parka'], ['gloves'], ['beanie'], ['scarf'], ['snow-boots', 'boots']] }],
  ['skiing', 'his', { weather: weather(-6, 'snow', 4), met: 4, occasion: 'outdoor' }, { worn: [['ski', 'rt', 'cords', 'jeans', 'joggers']], not: ['oxfords', 'suit', 'blazer', 'sneakers', 'shorts'] }],
  ['at home in January', 'hers', { weather: weather(-3, 'cloudy'), met: 1, occasion: 'home' }, { not: ['heels-black', 'boots-leather', 'winterboots', 'gown-red', 'rain', 'blazer-navy'], plan: 'indoor' }],
  ['taking out the rubbish in the snow', 'mixed', { weather: weather(-8, 'heavy-snow'), met: 2, occasion: 'home', plan: 'outdoor' }, { worn: [['parka'], ['snow-boots', 'boots']], not: ['blazer-navy', 'oxfords', 'sneakers'] }],
  ['a run at -18 °C in wind', 'runner', { weather: weather(-18, 'windy', 7), met: 6, occasion: 'sport' }, { worn: [['gloves'], ['beanie'], ['tights', 'joggers'], ['shell']], not: ['run-shorts', 'cap'], first: 'danger.frostbite' }],
  ['a run at 28 °C', 'runner', { weather: weather(28, 'clear'), met: 7, occasion: 'sport' }, { worn: [['tee-run'], ['run-shorts'], ['runners']], warns: 'heat-stress' }],
  ['a gym at 18 °C in winter', 'runner', { weather: weather(-10, 'snow'), met: 5, occasion: 'sport', indoorTempC: 18 }, { worn: [['runners']], not: ['parka', 'beanie', 'gloves', 'jeans', 'shell'], plan: 'indoor' }],
  ['a long walk in the heat', 'south', { weather: weather(30, 'clear'), met: 4, occasion: 'outdoor' }, { worn: [['canvas-shoes', 'runners']], not: ['sandals-brown', 'jeans-dark', 'swimsuit'], warns: 'heat-stress' }],
  ['sledging', 'child', { weather: weather(-2, 'snow', 2), met: 3, occasion: 'outdoor' }, { worn: [['ski'], ['winter-boots', 'wellies'], ['mittens'], ['puffer', 'rain']], not: ['jeans', 'dungarees', 'leggings', 'sneakers'] }],
  ['to school in the rain', 'child', { weather: weather(11, 'rain'), met: 1.6, occasion: 'school', plan: 'outdoor' }, { worn: [['rain'], ['wellies', 'sneakers']], not: ['shorts', 'ski', 'winter-boots'] }],
  ['to school in the snow', 'child', { weather: weather(-6, 'snow'), met: 1.6, occasion: 'school', plan: 'outdoor' }, { worn: [['puffer'], ['mittens'], ['beanie'], ['winter-boots']] }],
  ['a delivery rider in the rain', 'rider', { weather: weather(9, 'rain', 5), met: 3, occasion: 'work', plan: 'outdoor' }, { worn: [['rain', 'parka'], ['boots']], not: ['suit', 'oxfords', 'shorts', 'winter-boots'] }],
  ['a delivery rider in the snow', 'rider', { weather: weather(-4, 'heavy-snow', 5), met: 3, occasion: 'work', plan: 'outdoor' }, { worn: [['winter-boots', 'boots'], ['gloves'], ['beanie'], ['parka', 'rain']], not: ['suit', 'oxfords'] }],
  ['a postman in the heat', 'rider', { weather: weather(33, 'clear'), met: 2.5, occasion: 'work', plan: 'outdoor' }, { worn: [['tee']], not: ['suit', 'boots', 'long-tee'], warns: 'heat-stress' }],
  ['a waiter with shirts', 'waiter', { weather: weather(12, 'cloudy'), met: 2.6, occasion: 'work' }, { worn: [['shirt-white', 'shirt-blue', 'polo'], ['dress-trousers', 'chinos']], not: ['long-tee', 'hoodie'], plan: 'indoor' }],
  ['a cold flat', 'mixed', { weather: weather(-5, 'snow'), met: 1, occasion: 'home', indoorTempC: 15 }, { worn: [['sweater-thick', 'sweater-grey', 'hoodie-green'], ['socks-thick']], not: ['boots', 'parka', 'shorts-khaki'], warns: 'too-cold' }],
  // Weather and material.
  ['linen in a heat wave', 'south', { weather: weather(36, 'clear', 2, 30), met: 1.4, occasion: 'casual', plan: 'outdoor' }, { not: ['jeans-dark', 'sweater-cream', 'sweatshirt-red', 'boots-brown', 'down-long'], calm: 'too-cold' }],
  ['white linen in snow', 'south', { weather: weather(-2, 'snow'), met: 2, occasion: 'work' }, { not: ['linen-white', 'sandals-brown', 'loafers', 'hat-straw'] }],
  ['suede in a cloudburst', 'hers', { weather: weather(14, 'heavy-rain'), met: 2, occasion: 'work', plan: 'outdoor' }, { worn: [['rain', 'trench']], not: ['boots-suede', 'sandals-tan', 'trousers-linen-white', 'heels-black'] }],
  ['a straw hat in the frost', 'south', { weather: weather(-4, 'clear'), met: 2, occasion: 'casual', plan: 'outdoor' }, { not: ['hat-straw'], worn: [['wool-hat', 'headscarf']] }],
  ['sandals after a warm shower', 'south', { weather: weather(29, 'rain'), met: 1.4, occasion: 'beach' }, { worn: [['sandals-brown']], not: ['boots-brown', 'run-tights'] }],
  ['a thunderstorm on the way to the bank', 'mixed', { weather: weather(21, 'thunderstorm'), met: 2.3, occasion: 'business_formal', plan: 'outdoor' }, { worn: [['rain-jacket']], not: ['hoodie-green', 'sandals'] }],
  ['hail', 'mixed', { weather: weather(8, 'hail'), met: 2, occasion: 'casual', plan: 'outdoor' }, { not: ['sandals', 'shorts-khaki', 'suede-shoes'] }],
  ['an unknown sky', 'mixed', { weather: weather(12, 'exceptional'), met: 1.6, occasion: 'casual' }, { not: ['shorts-khaki', 'sandals'] }],
  // Occasion.
  ['a wedding in July', 'south', { weather: weather(28, 'clear'), met: 1.4, occasion: 'ceremony' }, { not: ['run-shorts', 'jeans-dark', 'runners', 'canvas-shoes', 'swimsuit', 'sweatshirt-red'] }],
  ['a wedding in January', 'his', { weather: weather(-6, 'snow'), met: 1.4, occasion: 'ceremony' }, { worn: [['suit', 'dp']], not: ['jeans', 'joggers', 'sneakers', 'track', 'fleece'], shell: ['overcoat', 'parka'] }],
  ['a party in an evening dress', 'hers', { weather: weather(18, 'clear'), met: 1.4, occasion: 'party', must: ['gown-red'] }, { worn: [['gown-red'], ['heels-black', 'loafers-brown']], not: ['sneakers-white', 'winterboots', 'sandals-tan'] }],
  ['a date in the rain', 'his', { weather: weather(11, 'rain'), met: 1.6, occasion: 'date', plan: 'outdoor' }, { not: ['track', 'joggers', 'rt', 'ski', 'fleece'] }],
  ['a trip by train', 'hers', { weather: weather(15, 'cloudy'), met: 1.4, occasion: 'travel' }, { not: ['gown-red', 'winterboots', 'heels-black'] }],
  ['school in May', 'hers', { weather: weather(19, 'partly-cloudy'), met: 1.4, occasion: 'school' }, { not: ['gown-red', 'winterboots', 'puffer', 'coat-wool'] }],
  ['a summer day at the office', 'south', { weather: weather(24, 'clear'), met: 1.6, occasion: 'work', plan: 'outdoor' }, { not: ['dress-sun'] }],
  ['a date in drizzle on foot', 'south', { weather: weather(16, 'drizzle'), met: 2.6, occasion: 'date', plan: 'outdoor' }, { not: ['heels-gold'] }],
  ['no silk in drizzle', 'south', { weather: weather(16, 'drizzle'), met: 2.6, occasion: 'date' }, { not: ['blouse-silk', 'heels-gold'] }],
  ['a blazer before a cardigan', 'hers', { weather: weather(21, 'thunderstorm', 5, 90), met: 1.6, occasion: 'ceremony', plan: 'outdoor' }, { worn: [['blazer-navy']], not: ['cardigan-camel'] }],
  // Beach.
  ['swimming', 'south', { weather: weather(31, 'clear'), met: 1, occasion: 'beach' }, { worn: [['swimsuit', 'dress-sun', 'run-shorts']], not: ['boots-brown', 'jeans-dark', 'runners'], calm: 'too-cold', plan: 'outdoor' }],
  ['a beach in March', 'south', { weather: weather(11, 'windy', 10), met: 2, occasion: 'beach' }, { not: ['swimsuit', 'sandals-brown', 'run-shorts'] }],
  // Coverage and custom.
  ['a covered head and arms in the heat', 'hers', { weather: weather(33, 'clear'), met: 1.4, occasion: 'casual', coverage: ['head', 'arms', 'legs'] }, { not: BARE, worn: [['scarf-wool', 'beanie']] }],
  ['legs covered for work', 'hers', { weather: weather(25, 'clear'), met: 1.4, occasion: 'work', coverage: ['legs'] }, { worn: [[...LONG, 'trousers-linen-white']] }],
  ['covered by profile', 'south', { weather: weather(30, 'clear'), met: 1.4, occasion: 'casual', userProfile: { coverage: ['head', 'arms', 'legs'] } }, { not: ['dress-sun', 'run-shorts', 'swimsuit'], worn: [['headscarf', 'cap', 'hat-straw']] }],
  ['a covered midriff at the beach', 'south', { weather: weather(31, 'clear'), met: 1.2, occasion: 'beach', coverage: ['midriff'] }, { not: ['swimsuit'] }],
  ['a covered head for a run', 'south', { weather: weather(24, 'clear'), met: 6, occasion: 'sport', coverage: ['head', 'legs'] }, { worn: [['run-tights'], ['headscarf', 'cap', 'hat-straw']], not: ['run-shorts'] }],
  ['a headscarf in the heat, not a cap', 'hijab', { weather: weather(33, 'clear'), met: 1.4, plan: 'outdoor', coverage: ['head', 'arms', 'legs'] }, { worn: [['headscarf'], ['long-tee', 'tunic', 'abaya']], not: ['beanie', 'shorts', 'tee', 'thick', 'gloves'] }],
  ['a headscarf at the office', 'hijab', { weather: weather(18, 'cloudy'), met: 1.2, occasion: 'work', coverage: ['head', 'arms', 'legs'] }, { worn: [['headscarf']], not: ['leggings', 'shorts', 'beanie'] }],
  ['a headscarf in the frost', 'hijab', { weather: weather(-10, 'snow', 4), met: 1.6, plan: 'outdoor', coverage: ['head', 'arms', 'legs'] }, { worn: [['headscarf'], ['parka'], ['gloves'], ['boots']], not: ['shorts', 'straw'] }],
  // Danger.
  ['-32 °C in wind', 'his', { weather: weather(-32, 'clear', 8), met: 2, occasion: 'outdoor' }, { first: 'danger.frostbite', warns: 'frostbite-risk', worn: [['parka'], ['gloves']] }],
  ['a formal day at -25 °C', 'south', { weather: weather(-25, 'clear', 4), met: 1.6, occasion: 'business_formal', plan: 'outdoor' }, { worn: [['down-long'], ['wool-hat', 'headscarf']], first: 'danger.frostbite' }],
  ['a building site at 35 °C', 'his', { weather: weather(35, 'clear', 2, 60), met: 4, occasion: 'outdoor' }, { first: 'danger.heat', warns: 'heat-stress', not: ['parka', 'thick'] }],
  ['damp heat in town', 'hers', { weather: weather(34, 'partly-cloudy', 1, 75), met: 2, plan: 'outdoor' }, { warns: 'heat-stress', not: ['jeans-blue', 'sweater-grey'] }],
  // People.
  ['one who is always cold', 'mixed', { weather: weather(16, 'cloudy'), met: 1.2, userProfile: { thermalProfile: 'runs-very-cold' } }, { not: ['shorts-khaki', 'tank-coral', 'sandals'] }],
  ['a room at 26 °C in winter', 'his', { weather: weather(-5, 'snow'), met: 1.2, occasion: 'casual', indoorTempC: 26 }, { not: ['thick', 'fleece', 'therm', 'lj'], shell: ['parka', 'overcoat'] }],
];

describe('what a sensible person wears', () => {
  test.each(REQUESTS)('%s', (_, closet, request, right) => {
    const { outfit, found, hard } = firstOutfit(
      { request: { ...request, items: CLOSETS[closet] } },
      3,
    );
    const ids = outfit?.itemIds ?? [];
    expect(hard, ids.join(' ')).toEqual([]);
    expect(ids.filter((id) => right.not?.includes(id))).toEqual([]);
    for (const some of right.worn ?? [])
      expect(
        some.some((id) => ids.includes(id)),
        `${ids} has none of ${some}`,
      ).toBe(true);
    if (right.first) expect(outfit?.explanation[0]?.code).toBe(right.first);
    if (right.warns) expect(outfit?.warnings).toContain(right.warns);
    if (right.calm) expect(outfit?.warnings).not.toContain(right.calm);
    if (right.plan) expect(found.plan).toBe(right.plan);
    if (right.shell) expect(right.shell).toContain(outfit?.shell?.items[0]?.itemId);
  });
});

describe('trips', () => {
  const model = readModel(PARAMS);
  const day = (at: number, more: object) => ({
    date: `2026-12-${10 + at}`,
    met: 1.6,
    occasion: 'casual',
    ...more,
  });
  const trip = (closet: keyof typeof CLOSETS, days: object[], more: object) =>
    computeTrip(model, TripRequest.parse({ items: CLOSETS[closet], days, maxItems: 12, ...more }));
  const worn = (found: ReturnType<typeof trip>, at: number) =>
    found.days[at]?.outfit?.itemIds ?? [];

  test('one bag for a thaw and a frost: the frost has the thermals, coat and gloves', () => {
    const days = [
      day(0, { weather: weather(9, 'rain') }),
      day(1, { weather: weather(-14, 'snow', 6) }),
      day(2, { weather: weather(6, 'cloudy') }),
    ];
    const found = trip('mixed', days, { wearsBeforeWash: 1, maxItems: 16 });
    expect(worn(found, 1)).toEqual(
      expect.arrayContaining(['parka', 'thermal-top', 'long-johns', 'gloves', 'beanie']),
    );
    expect(found.days.every(({ outfit }) => outfit)).toBe(true);
  });

  test('a week in the snow with a tight bag has gloves and a hat, no blazer, no linen', () => {
    const days = Array.from({ length: 7 }, (_, at) =>
      day(at, { weather: weather(-7 - at, 'snow', 5), occasion: 'outdoor' }),
    );
    const found = trip('his', days, { wearsBeforeWash: 3 });
    expect(found.itemIds).toEqual(expect.arrayContaining(['gloves', 'beanie']));
    expect(found.itemIds).not.toContain('blazer');
    expect(found.itemIds.length).toBeLessThanOrEqual(12);
    const dressed = found.days.filter(({ outfit }) => outfit);
    expect(dressed.length).toBeGreaterThan(5);
    // Nothing that needs no washing stays in the bag, whichever top is spent.
    for (const { outfit } of dressed)
      expect(outfit?.itemIds).toEqual(expect.arrayContaining(['parka', 'gloves', 'beanie']));
  });

  test('sun and a wedding: sandals and something fine', () => {
    const days = [
      day(0, { weather: weather(30, 'clear'), occasion: 'beach' }),
      day(1, { weather: weather(29, 'clear'), occasion: 'ceremony', plan: 'indoor' }),
    ];
    const found = trip('south', days, {});
    expect(worn(found, 0)).toContain('sandals-brown');
    expect(
      worn(found, 1).filter((id) => ['runners', 'canvas-shoes', 'run-shorts'].includes(id)),
    ).toEqual([]);
  });

  test('a trip keeps the head covered, with one scarf on every day', () => {
    const days = [0, 1, 2, 3].map((at) =>
      day(at, { weather: weather(26, 'clear'), occasion: 'travel' }),
    );
    const found = trip('south', days, {
      coverage: ['head', 'arms', 'legs'],
      wearsBeforeWash: 1,
      maxItems: 14,
    });
    for (const [at] of days.entries())
      expect(
        worn(found, at).some((id) => ['headscarf', 'cap', 'hat-straw', 'wool-hat'].includes(id)),
      ).toBe(true);
  });
});
