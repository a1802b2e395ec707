/** What a number rests on. */
export const BASES = ['standard', 'literature', 'fitted', 'judgement'] as const;
export type Basis = (typeof BASES)[number];

/** Gives the value in force of one coefficient; how it is called says what is published of it. */
export type Take = (
  key: string,
  value: number,
  unit: string,
  basis: Basis,
  source: string,
) => number;

const ISO_7730 = 'ISO 7730:2005';
const ISO_11079 = 'ISO 11079:2007';
const ISO_9920 = 'ISO 9920:2007';
const WIND_CHILL = 'Environment Canada and US National Weather Service, wind chill index 2001';

/**
 * Every number of the engine that is not in a table, each in this one place. Called once to publish
 * them (`GET /look/v1/params`) and once to read them back from the published document.
 */
// biome-ignore format: a table reads best aligned
export const coefficients = (take: Take) => ({
  unit: {
    metW:  take('unit.metW',  58.15, 'W/m2 per met', 'standard', ISO_7730),
    cloSi: take('unit.cloSi', 0.155, 'm2K/W per clo', 'standard', ISO_7730),
  },
  skin: {
    restC: take('skin.restC', 35.7,   'degC',      'standard', `${ISO_7730} and ${ISO_11079}, comfort`),
    perW:  take('skin.perW',  0.0285, 'K per W/m2', 'standard', `${ISO_7730} and ${ISO_11079}, comfort`),
  },
  walk: {
    restW: take('walk.restW', 58,     'W/m2',          'standard', `${ISO_11079}, walking speed from activity`),
    perW:  take('walk.perW',  0.0052, 'm/s per W/m2',  'standard', `${ISO_11079}, walking speed from activity`),
    maxMs: take('walk.maxMs', 1.2,    'm/s',           'standard', `${ISO_11079}, walking speed from activity`),
  },
  wind: {
    bodyShare: take('wind.bodyShare', 0.52, '-',   'literature', 'Logarithmic profile, roughness 0.1 m, from 10 m to 1.1 m'),
    minMs:     take('wind.minMs',     0.26, 'm/s', 'judgement',  'Air is never quite still outdoors'),
    maxMs:     take('wind.maxMs',     18,   'm/s', 'standard',   `${ISO_11079}, limit of validity`),
  },
  air: {
    convection: take('air.convection', 12.1,                 'W/m2K per sqrt(m/s)', 'standard', ISO_7730),
    radiation:  take('air.radiation',  4.1,                  'W/m2K',               'fitted',   `Linearised radiation; 0.74 clo in 0.15 m/s against 0.7 of ${ISO_9920}`),
    stillOut:   take('air.stillOut',   0.085 / 0.155,        'clo',                 'standard', `${ISO_11079}, static boundary layer 0.085 m2K/W`),
    stillIn:    take('air.stillIn',    0.7,                  'clo',                 'standard', `${ISO_9920}, static boundary layer`),
  },
  vapour: {
    a:        take('vapour.a',        16.6536,  '-',    'standard', `${ISO_7730}, saturated vapour: exp(a - b/(t + c)) kPa`),
    b:        take('vapour.b',        4030.183, 'degC', 'standard', `${ISO_7730}, saturated vapour`),
    c:        take('vapour.c',        235,      'degC', 'standard', `${ISO_7730}, saturated vapour`),
    refPct:   take('vapour.refPct',   50,       '%',    'literature', 'UTCI reference humidity (Broede 2012)'),
    refMin:   take('vapour.refMin',   0.2,      'kPa',  'judgement',  'Keeps the reference gradient positive in great heat'),
    gradMax:  take('vapour.gradMax',  2,        '-',    'judgement',  'Ceiling of kHumidity'),
  },
  breath: {
    dry:    take('breath.dry',    0.0014, '1/K',  'standard', `${ISO_7730}, respiration`),
    dryC:   take('breath.dryC',   34,     'degC', 'standard', `${ISO_7730}, respiration`),
    wet:    take('breath.wet',    0.0173, '1/kPa', 'standard', `${ISO_7730}, respiration`),
    wetKpa: take('breath.wetKpa', 5.87,   'kPa',  'standard', `${ISO_7730}, respiration`),
  },
  sweat: {
    diffusion:  take('sweat.diffusion',  3.05,  'W/m2kPa',   'standard', `${ISO_7730}, diffusion through skin`),
    perW:       take('sweat.perW',       0.42,  '-',         'standard', `${ISO_7730}, sweat of comfort`),
    wetPerW:    take('sweat.wetPerW',    0.001, 'm2/W',      'standard', `${ISO_11079}, skin wettedness of comfort`),
    resistance: take('sweat.resistance', 0.06,  'kPa/K',     'standard', `${ISO_11079}, vapour resistance = 0.06/im x heat resistance`),
    im:         take('sweat.im',         0.38,  '-',         'standard', `${ISO_9920}, permeability index of ordinary clothing`),
  },
  blend: {
    coldC: take('blend.coldC', 0,  'degC', 'judgement', 'At and below: evaporation of ISO 11079 alone'),
    warmC: take('blend.warmC', 20, 'degC', 'judgement', 'At and above: evaporation of ISO 7730 alone'),
  },
  storage: {
    allowedW: take('storage.allowedW', 12, 'W/m2', 'judgement', `30 % of Qlim 40 Wh/m2 of ${ISO_11079}, spread over one hour outdoors`),
    limitWh:  take('storage.limitWh',  40, 'Wh/m2', 'standard', `${ISO_11079}, Qlim of exposure time`),
    fromW:    take('storage.fromW',    5,  'W/m2',  'judgement', 'Heat debt that is worth a limit'),
    maxH:     take('storage.maxH',     8,  'h',     'judgement', 'No limit is told beyond a working day'),
    warnH:    take('storage.warnH',    1,  'h',     'judgement', 'Warn below'),
  },
  surface: {
    perClo: take('surface.perClo', 0.1855, '1/clo', 'standard', `${ISO_11079}, clothing area factor (1.197 per m2K/W)`),
  },
  wear: {
    wind:         take('wear.wind',         0.54,  '-',   'standard', `${ISO_11079}, insulation in use of what it is at rest`),
    windDecay:    take('wear.windDecay',    0.15,  's/m', 'standard', `${ISO_11079}, insulation in use`),
    windFromMs:   take('wear.windFromMs',   0.4,   'm/s', 'standard', `${ISO_11079}, insulation in use`),
    walkDecay:    take('wear.walkDecay',    0.22,  's/m', 'standard', `${ISO_11079}, insulation in use`),
    airExponent:  take('wear.airExponent',  0.075, '-',   'standard', `${ISO_11079}, insulation in use`),
    airLog:       take('wear.airLog',       0.06,  '-',   'standard', `${ISO_11079}, insulation in use`),
    rest:         take('wear.rest',         0.5,   '-',   'standard', `${ISO_11079}, insulation in use`),
    airRef:       take('wear.airRef',       8,     'l/m2s', 'standard', `${ISO_11079}, air permeability of a usual outer layer`),
    airOpen:      take('wear.airOpen',      100,   'l/m2s', 'judgement', 'Air permeability at windResistance 0'),
    windUnknown:  take('wear.windUnknown',  0.3,   '-',   'judgement', 'windResistance where neither item, kind nor material tells'),
    airTightest:  take('wear.airTightest',  0.05,  '-',   'judgement', 'Of that, at windResistance 1'),
  },
  motion: {
    air:      take('motion.air',      0.281, 's/m',   'standard', `${ISO_9920}, total insulation in moving air`),
    air2:     take('motion.air2',     0.044, 's2/m2', 'standard', `${ISO_9920}, total insulation in moving air`),
    airMs:    take('motion.airMs',    0.15,  'm/s',   'standard', `${ISO_9920}, total insulation in moving air`),
    walk:     take('motion.walk',     0.492, 's/m',   'standard', `${ISO_9920}, total insulation on a walking person`),
    walk2:    take('motion.walk2',    0.176, 's2/m2', 'standard', `${ISO_9920}, total insulation on a walking person`),
  },
  icl: {
    solveMax:  take('icl.solveMax',  12,    'clo', 'judgement', 'Upper end of the search for the resultant insulation'),
    max:       take('icl.max',       5,     'clo', 'judgement', 'More cannot be worn; total.capped says so'),
    hot:       take('icl.hot',       0.36,  'clo', 'standard',  'ASHRAE 55, lightest typical ensemble: at or below it is hot'),
    perIclu:   take('icl.perIclu',   0.835, '-',   'standard',  `${ISO_9920}, Icl = 0.835 sum(Iclu) + 0.161`),
    atNothing: take('icl.atNothing', 0.161, 'clo', 'standard',  `${ISO_9920}, Icl = 0.835 sum(Iclu) + 0.161`),
  },
  indoor: {
    airMs:   take('indoor.airMs',   0.1,  'm/s',  'standard',  `${ISO_7730}, air of rooms`),
    rhPct:   take('indoor.rhPct',   40,   '%',    'judgement', 'Heated and cooled rooms; +-10 % moves the need by at most 0.06 clo'),
    metMax:  take('indoor.metMax',  1.4,  'met',  'judgement', 'Nobody keeps an outdoor pace indoors'),
    winterC: take('indoor.winterC', 22,   'degC', 'standard',  `${ISO_7730} A.5, category B, heating season`),
    summerC: take('indoor.summerC', 24.5, 'degC', 'standard',  `${ISO_7730} A.5, category B, cooling season`),
    heatC:   take('indoor.heatC',   10,   'degC', 'literature', 'EN 16798-1: the heating season ends at a running mean of 10 to 15 degC'),
    coolC:   take('indoor.coolC',   25,   'degC', 'judgement',  'Cooling season'),
  },
  region: {
    topMax:      take('region.topMax',      0.8,  'clo', 'standard',  'ASHRAE 55: T-shirt .08 + thick long sleeves .36 + thick sweater .36; more is outerwear'),
    underwear:   take('region.underwear',   0.04, 'clo', 'standard',  'ASHRAE 55: underpants; worn though not listed'),
    socks:       take('region.socks',       0.02, 'clo', 'standard',  'ASHRAE 55: ankle socks; worn though not listed'),
    bottomMin:   take('region.bottomMin',   0.06, 'clo', 'standard',  'ASHRAE 55: short shorts'),
    shoesMin:    take('region.shoesMin',    0.02, 'clo', 'standard',  'ASHRAE 55: shoes, sandals'),
    dressOfLegs: take('region.dressOfLegs', 0.75, '-',   'judgement', 'Of the legs, what a dress covers; the rest is legwear'),
    perK:        take('region.perK',        0.08, '1/K', 'judgement', 'Share more of a region for each kelvin of its own offset'),
    coldK:       take('region.coldK',       2,    'K',   'judgement', 'coldHands, coldFeet'),
  },
  chill: {
    a:       take('chill.a',       13.12,  'degC', 'literature', WIND_CHILL),
    perC:    take('chill.perC',    0.6215, '-',    'literature', WIND_CHILL),
    wind:    take('chill.wind',    11.37,  'degC', 'literature', WIND_CHILL),
    both:    take('chill.both',    0.3965, '-',    'literature', WIND_CHILL),
    power:   take('chill.power',   0.16,   '-',    'literature', WIND_CHILL),
    fromKmh: take('chill.fromKmh', 5,      'km/h', 'literature', `${WIND_CHILL}; linear to the air temperature below`),
    frostC:  take('chill.frostC',  -27,    'degC', 'literature', `${WIND_CHILL}: frostbite within half an hour`),
  },
  gust: {
    fromMs:  take('gust.fromMs',  1.5, 'm/s',  'judgement', 'Body wind from which wind protection is wanted'),
    spanMs:  take('gust.spanMs',  4,   'm/s',  'judgement', 'Body wind over which the wish grows to 1'),
    warmC:   take('gust.warmC',   22,  'degC', 'judgement', 'Nobody wants wind protection in warm air'),
    spanC:   take('gust.spanC',   10,  'K',    'judgement', 'Cooling over which the wish grows to 1'),
  },
  vote: {
    a:     take('vote.a',     0.303, 'm2/W', 'standard', `${ISO_7730}, PMV = (a exp(-decay M) + rest) load`),
    decay: take('vote.decay', 0.036, 'm2/W', 'standard', `${ISO_7730}, PMV`),
    rest:  take('vote.rest',  0.028, 'm2/W', 'standard', `${ISO_7730}, PMV`),
  },
  ppd: {
    four:  take('ppd.four',  0.03353, '-', 'standard', `${ISO_7730}, PPD = 100 - 95 exp(-four d^4 - two d^2)`),
    two:   take('ppd.two',   0.2179,  '-', 'standard', `${ISO_7730}, PPD`),
    scale: take('ppd.scale', 95,      '%', 'standard', `${ISO_7730}, PPD`),
  },
  regret: {
    factor: take('regret.factor', 1.2, '-',    'judgement', 'Weight of too cold in the cold and too warm in the heat'),
    coldC:  take('regret.coldC',  5,   'degC', 'judgement', 'Too cold weighs in full at and below'),
    mildC:  take('regret.mildC',  15,  'degC', 'judgement', 'Too cold weighs like too warm at and above'),
  },
  hot: {
    skinC:  take('hot.skinC',  35,   'degC', 'standard',  'ISO 7933, skin in the heat'),
    imSpan: take('hot.imSpan', 0.1,  '-',    'judgement', 'Permeability index gained from breathability 0 to 1'),
    width:  take('hot.width',  0.15, '-',    'judgement', 'Skin wettedness beyond the lightest ensemble that loses 40 % of the fit'),
    fromClo: take('hot.fromClo', 0.16, 'clo', 'judgement', 'Need at and below which wettedness alone decides'),
    spanClo: take('hot.spanClo', 0.4,  'clo', 'judgement', 'Need over which PMV takes over'),
    breathUnknown: take('hot.breathUnknown', 0.67, '-', 'judgement', 'Breathability where neither item nor material tells'),
    breathMiddle:  take('hot.breathMiddle',  0.5,  '-', 'judgement', 'Breathability at which the permeability index is sweat.im'),
    warnWet: take('hot.warnWet', 0.85, '-',   'standard',  'ISO 7933, greatest wettedness of people who are not used to heat'),
  },
  thermal: {
    tailShare: take('thermal.tailShare', 0.5, '-',     'judgement', 'Of the thermal term: 1/sqrt(1 + (d/tailWidth)2), so that of two outfits that are far too cold the warmer still wins'),
    tailWidth: take('thermal.tailWidth', 2,   'votes', 'judgement', 'Deviation at which that has fallen to 0.71'),
    warn:      take('thermal.warn',      1.5, 'votes', 'judgement', 'Deviation from which an answer warns'),
  },
  rain: {
    loss:    take('rain.loss',    0.3, '-', 'judgement', 'Insulation an unprotected garment loses in the heaviest rain'),
    ruins:   take('rain.ruins',   0.6, '-', 'judgement', 'Water need from which suede and sandals stay at home'),
    overLegs: take('rain.overLegs', 0.6, '-', 'judgement', 'Water need from which overtrousers are considered'),
  },
  layering: {
    underClo: take('layering.underClo', 2.2,  'clo', 'judgement', 'Need from which long underwear is considered'),
    overClo:  take('layering.overClo',  0.6,  'clo', 'judgement', 'Target of the legs from which overtrousers are considered'),
    socksClo: take('layering.socksClo', 0.05, 'clo', 'judgement', 'Target of the feet from which thick socks are considered'),
    extraClo: take('layering.extraClo', 0.05, 'clo', 'judgement', 'Target of the extremities from which hat, scarf and gloves are considered'),
    outerClo: take('layering.outerClo', 0.25, 'clo', 'judgement', 'Target of outerwear from which an outdoor outfit must have some'),
    bareC:    take('layering.bareC',    5,    'degC', 'judgement', 'Wind chill below which what leaves legs or feet bare stays at home'),
    bothWays: take('layering.bothWays', 0.5,  '-',   'judgement', 'Weight of the way outdoors for an indoor outfit that is warmer than the day'),
  },
  fit: {
    regionMin:   take('fit.regionMin',   0.1,  'clo', 'judgement', 'Tolerance of a region at least'),
    regionShare: take('fit.regionShare', 0.35, '-',   'judgement', 'Tolerance of a region as a share of its target'),
    hotStrict:   take('fit.hotStrict',   2,    '-',   'judgement', 'How much stricter too warm is judged in the hot regime'),
    unknown:     take('fit.unknown',     0.7,  '-',   'judgement', 'Value of a term for which data is missing'),
    formalityTooFar: take('fit.formalityTooFar', 1, '-', 'judgement', 'Formality steps beyond the tolerance at which an item is left out'),
    seasonK:     take('fit.seasonK',     8,    'K',   'judgement', 'Kelvin beyond a season over which its garments lose their value'),
  },
  colour: {
    greyFrom:   take('colour.greyFrom',   0.03,  'OKLCH C', 'judgement', 'Neutral up to'),
    greyTo:     take('colour.greyTo',     0.05,  'OKLCH C', 'judgement', 'Chromatic from'),
    blackL:     take('colour.blackL',     0.18,  'OKLab L', 'judgement', 'Neutral below'),
    whiteL:     take('colour.whiteL',     0.95,  'OKLab L', 'judgement', 'Neutral above'),
    edgeL:      take('colour.edgeL',      0.03,  'OKLab L', 'judgement', 'Width of those two borders'),
    vividFrom:  take('colour.vividFrom',  0.12,  'OKLCH C', 'judgement', 'Not vivid up to'),
    vividTo:    take('colour.vividTo',    0.18,  'OKLCH C', 'judgement', 'Vivid from'),
    neutralAny: take('colour.neutralAny', 0.9,   '-',       'judgement', 'A neutral with a colour'),
    neutrals:   take('colour.neutrals',   0.85,  '-',       'judgement', 'Two neutrals'),
    shrill:     take('colour.shrill',     0.3,   '-',       'judgement', 'Loss where two vivid colours lie 50 to 140 degrees apart'),
    clashFrom:  take('colour.clashFrom',  50,    'deg',     'judgement', 'Hues this far apart'),
    clashTo:    take('colour.clashTo',    140,   'deg',     'judgement', 'to this far are shrill where both are vivid'),
    clashEdge:  take('colour.clashEdge',  5,     'deg',     'judgement', 'Softening of those borders'),
    patterns:   take('colour.patterns',   -0.25, '-',       'judgement', 'Two patterns'),
    pattern:    take('colour.pattern',    0.03,  '-',       'judgement', 'One pattern with a plain garment'),
  },
  variety: {
    weight: take('variety.weight', 15, 'points', 'judgement', 'Against an outfit that shares every item with a better one'),
    days:   take('variety.days',   7,  'd',      'judgement', 'Days over which a worn outfit is forgotten'),
  },
  day: {
    midCost: take('day.midCost', 2, 'changes', 'judgement', 'What changing a middle layer counts for: the coat has to come off first'),
    slack: take('day.slack', 0.02, '-', 'judgement', 'What an hour may lose so that less is taken off and put on'),
  },
  search: {
    nodes:       take('search.nodes',       20_000, 'nodes', 'judgement', 'Outfits, whole or in part, that are looked at; of 1,000 items outdoors the best loses 0.17 points on average, 1.2 at worst, against 50,000'),
    thicknesses: take('search.thicknesses', 4,       'garments', 'judgement', 'Different thicknesses of each small thing (hat, scarf, gloves, socks, long underwear) that are tried'),
    pool:        take('search.pool',        5,       'outfits', 'judgement', 'Candidates behind each outfit that /outfits answers'),
  },
  shell: {
    fromClo:  take('shell.fromClo',  0.15, 'clo', 'judgement', 'Missing insulation from which a shell is needed'),
    fromNeed: take('shell.fromNeed', 0.3,  '-',   'judgement', 'Need of water or wind protection from which a shell is needed'),
    enough:   take('shell.enough',   0.5,  '-',   'judgement', 'Fit from which a shell is enough'),
  },
  learn: {
    variance:   take('learn.variance',   6.25, 'K2', 'fitted',    'Spread between persons, SD 2.5 K; wider than Wang 2018 and Schweiker 2018'),
    varianceMin: take('learn.varianceMin', 0.05, 'K2', 'judgement', 'The filter never stops learning'),
    drift:      take('learn.drift',      0.01, 'K2 per vote', 'judgement', 'Persons change slowly'),
    noise:      take('learn.noise',      0.81, 'votes2', 'fitted', 'Spread of one person, SD 0.9 votes (Kim, Schiavon and Brager 2018)'),
    nu:         take('learn.nu',         4,    '-',  'judgement', 'Degrees of freedom of the Student t that holds outliers down'),
    maxK:       take('learn.maxK',       6,    'K',  'judgement', 'Bound of offsetC'),
    regionVariance: take('learn.regionVariance', 1,   'K2',     'judgement', 'Spread of a region against the whole body'),
    regionNoise:    take('learn.regionNoise',    1.2, 'votes2', 'judgement', 'Spread of votes on a region'),
    regionMaxK:     take('learn.regionMaxK',     3,   'K',      'judgement', 'Bound of a region offset'),
    briefMinutes:   take('learn.briefMinutes',   5,   'min',    'judgement', 'Below, the body has not settled'),
    briefNoise:     take('learn.briefNoise',     2,   '-',      'judgement', 'Noise factor of a brief stay'),
    preferenceNoise: take('learn.preferenceNoise', 2, '-',      'judgement', 'Noise factor of a preference without a vote'),
    doubted:        take('learn.doubted',        0.5, '-',      'judgement', 'Weight below which a vote counts as downweighted'),
  },
});

export type Coefficients = ReturnType<typeof coefficients>;
