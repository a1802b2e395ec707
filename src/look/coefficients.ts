/** Basis of a number. */
export const BASES = ['standard', 'literature', 'fitted', 'judgement'] as const;
export type Basis = (typeof BASES)[number];

/** Returns the value of one coefficient in use; the other arguments are published with it. */
type ReadCoefficient = (
  key: string,
  value: number,
  unit: string,
  basis: Basis,
  source: string,
) => number;

const ISO_7730 = 'ISO 7730:2005';
const ISO_11079 = 'ISO 11079:2007';
const ISO_9920 = 'ISO 9920:2007';
const VOTES = 'ASHRAE Global Thermal Comfort Database II, 22,788 votes of 18 studies';
const ABM_WBGT = 'Australian Bureau of Meteorology, WBGT from temperature and humidity';
const WIND_CHILL = 'Environment Canada and US National Weather Service, wind chill index 2001';

/**
 * Every number of the engine that is not in a table. Called once to publish the coefficients
 * (`GET /look/v1/params`) and once to read them back from the published document.
 */
// biome-ignore format: a table reads best aligned
export const coefficients = (read: ReadCoefficient) => ({
  unit: {
    metW:  read('unit.metW',  58.15, 'W/m2 per met', 'standard', ISO_7730),
    cloSi: read('unit.cloSi', 0.155, 'm2K/W per clo', 'standard', ISO_7730),
  },
  skin: {
    restC: read('skin.restC', 35.7,   'degC',      'standard', `${ISO_7730} and ${ISO_11079}, comfort`),
    perW:  read('skin.perW',  0.0285, 'K per W/m2', 'standard', `${ISO_7730} and ${ISO_11079}, comfort`),
  },
  walk: {
    restW: read('walk.restW', 58,     'W/m2',          'standard', `${ISO_11079}, walking speed from activity`),
    perW:  read('walk.perW',  0.0052, 'm/s per W/m2',  'standard', `${ISO_11079}, walking speed from activity`),
    maxMs: read('walk.maxMs', 1.2,    'm/s',           'standard', `${ISO_11079}, walking speed from activity`),
  },
  wind: {
    bodyShare: read('wind.bodyShare', 0.52, '-',   'literature', 'Logarithmic profile, roughness 0.1 m, from 10 m to 1.1 m'),
    minMs:     read('wind.minMs',     0.26, 'm/s', 'judgement',  'Air is never completely still outdoors'),
    maxMs:     read('wind.maxMs',     18,   'm/s', 'standard',   `${ISO_11079}, limit of validity`),
  },
  air: {
    convection: read('air.convection', 12.1,                 'W/m2K per sqrt(m/s)', 'standard', ISO_7730),
    radiation:  read('air.radiation',  4.1,                  'W/m2K',               'fitted',   `Linearised radiation; 0.74 clo in 0.15 m/s against 0.7 of ${ISO_9920}`),
    stillOut:   read('air.stillOut',   0.085 / 0.155,        'clo',                 'standard', `${ISO_11079}, static boundary layer 0.085 m2K/W`),
    stillIn:    read('air.stillIn',    0.7,                  'clo',                 'standard', `${ISO_9920}, static boundary layer`),
  },
  vapour: {
    a:        read('vapour.a',        16.6536,  '-',    'standard', `${ISO_7730}, saturated vapour: exp(a - b/(t + c)) kPa`),
    b:        read('vapour.b',        4030.183, 'degC', 'standard', `${ISO_7730}, saturated vapour`),
    c:        read('vapour.c',        235,      'degC', 'standard', `${ISO_7730}, saturated vapour`),
    refPct:   read('vapour.refPct',   50,       '%',    'literature', 'UTCI reference humidity (Broede 2012)'),
    refMin:   read('vapour.refMin',   0.2,      'kPa',  'judgement',  'Keeps the reference gradient positive in great heat'),
    gradMax:  read('vapour.gradMax',  2,        '-',    'judgement',  'Ceiling of kHumidity'),
  },
  breath: {
    dry:    read('breath.dry',    0.0014, '1/K',  'standard', `${ISO_7730}, respiration`),
    dryC:   read('breath.dryC',   34,     'degC', 'standard', `${ISO_7730}, respiration`),
    wet:    read('breath.wet',    0.0173, '1/kPa', 'standard', `${ISO_7730}, respiration`),
    wetKpa: read('breath.wetKpa', 5.87,   'kPa',  'standard', `${ISO_7730}, respiration`),
  },
  sweat: {
    diffusion:  read('sweat.diffusion',  3.05,  'W/m2kPa',   'standard', `${ISO_7730}, diffusion through skin`),
    perW:       read('sweat.perW',       0.42,  '-',         'standard', `${ISO_7730}, sweat of comfort`),
    wetPerW:    read('sweat.wetPerW',    0.001, 'm2/W',      'standard', `${ISO_11079}, skin wettedness of comfort`),
    resistance: read('sweat.resistance', 0.06,  'kPa/K',     'standard', `${ISO_11079}, vapour resistance = 0.06/im x heat resistance`),
    im:         read('sweat.im',         0.38,  '-',         'standard', `${ISO_9920}, permeability index of ordinary clothing`),
  },
  blend: {
    coldC: read('blend.coldC', 0,  'degC', 'judgement', 'At and below: evaporation of ISO 11079 alone'),
    warmC: read('blend.warmC', 20, 'degC', 'judgement', 'At and above: evaporation of ISO 7730 alone'),
  },
  storage: {
    allowedW: read('storage.allowedW', 12, 'W/m2', 'judgement', `30 % of Qlim 40 Wh/m2 of ${ISO_11079}, spread over one hour outdoors`),
    limitWh:  read('storage.limitWh',  40, 'Wh/m2', 'standard', `${ISO_11079}, Qlim of exposure time`),
    fromW:    read('storage.fromW',    5,  'W/m2',  'judgement', 'Heat debt from which an exposure limit is reported'),
    toC:      read('storage.toC',     10,  'degC',  'standard',  `${ISO_11079}, air temperature up to which it holds`),
    maxH:     read('storage.maxH',     8,  'h',     'judgement', 'No limit is reported beyond a working day'),
    warnH:    read('storage.warnH',    1,  'h',     'judgement', 'Warn below'),
  },
  surface: {
    perClo: read('surface.perClo', 0.1855, '1/clo', 'standard', `${ISO_11079}, clothing area factor (1.197 per m2K/W)`),
  },
  wear: {
    wind:         read('wear.wind',         0.54,  '-',   'standard', `${ISO_11079}, insulation in use over insulation at rest`),
    windDecay:    read('wear.windDecay',    0.15,  's/m', 'standard', `${ISO_11079}, insulation in use`),
    windFromMs:   read('wear.windFromMs',   0.4,   'm/s', 'standard', `${ISO_11079}, insulation in use`),
    walkDecay:    read('wear.walkDecay',    0.22,  's/m', 'standard', `${ISO_11079}, insulation in use`),
    airExponent:  read('wear.airExponent',  0.075, '-',   'standard', `${ISO_11079}, insulation in use`),
    airLog:       read('wear.airLog',       0.06,  '-',   'standard', `${ISO_11079}, insulation in use`),
    rest:         read('wear.rest',         0.5,   '-',   'standard', `${ISO_11079}, insulation in use`),
    airRef:       read('wear.airRef',       8,     'l/m2s', 'standard', `${ISO_11079}, air permeability of an ordinary outer layer`),
    airOpen:      read('wear.airOpen',      100,   'l/m2s', 'judgement', 'Air permeability at windResistance 0'),
    windUnknown:  read('wear.windUnknown',  0.3,   '-',   'judgement', 'windResistance if neither item, category nor material has one'),
    airTightest:  read('wear.airTightest',  0.05,  '-',   'judgement', 'Of that, at windResistance 1'),
  },
  motion: {
    air:      read('motion.air',      0.281, 's/m',   'standard', `${ISO_9920}, total insulation in moving air`),
    air2:     read('motion.air2',     0.044, 's2/m2', 'standard', `${ISO_9920}, total insulation in moving air`),
    airMs:    read('motion.airMs',    0.15,  'm/s',   'standard', `${ISO_9920}, total insulation in moving air`),
    walk:     read('motion.walk',     0.492, 's/m',   'standard', `${ISO_9920}, total insulation on a walking person`),
    walk2:    read('motion.walk2',    0.176, 's2/m2', 'standard', `${ISO_9920}, total insulation on a walking person`),
  },
  icl: {
    solveMax:  read('icl.solveMax',  12,    'clo', 'judgement', 'Upper end of the search for the resultant insulation'),
    max:       read('icl.max',       5,     'clo', 'judgement', 'More cannot be worn; total.capped reports it'),
    hot:       read('icl.hot',       0.36,  'clo', 'standard',  'ASHRAE 55, lightest typical ensemble: at or below it is hot'),
    perIclu:   read('icl.perIclu',   0.835, '-',   'standard',  `${ISO_9920}, Icl = 0.835 sum(Iclu) + 0.161`),
    atNothing: read('icl.atNothing', 0.161, 'clo', 'standard',  `${ISO_9920}, Icl = 0.835 sum(Iclu) + 0.161`),
  },
  indoor: {
    airMs:   read('indoor.airMs',   0.1,  'm/s',  'standard',  `${ISO_7730}, air of rooms`),
    rhPct:   read('indoor.rhPct',   40,   '%',    'judgement', 'Heated and cooled rooms; +-10 % moves the need by at most 0.06 clo'),
    metMax:  read('indoor.metMax',  1.4,  'met',  'judgement', 'Activity of the room up to a walk'),
    walkMet: read('indoor.walkMet', 2,    'met',  'judgement', 'Up to it, activity is that of the way to the room'),
    workMet: read('indoor.workMet', 2.6,  'met',  'judgement', 'From it, the activity is that of the room, such as waiting at tables; linear between'),
    winterC: read('indoor.winterC', 22,   'degC', 'standard',  `${ISO_7730} A.5, category B, heating season`),
    summerC: read('indoor.summerC', 24.5, 'degC', 'standard',  `${ISO_7730} A.5, category B, cooling season`),
    heatC:   read('indoor.heatC',   10,   'degC', 'literature', 'EN 16798-1: the heating season ends at a running mean of 10 to 15 degC'),
    coolC:   read('indoor.coolC',   25,   'degC', 'judgement',  'Cooling season'),
  },
  region: {
    topMax:      read('region.topMax',      0.8,  'clo', 'standard',  'ASHRAE 55: T-shirt .08 + thick long sleeves .36 + thick sweater .36; more is outerwear'),
    underwear:   read('region.underwear',   0.04, 'clo', 'standard',  'ASHRAE 55: underpants; assumed to be worn'),
    socks:       read('region.socks',       0.02, 'clo', 'standard',  'ASHRAE 55: ankle socks; assumed to be worn'),
    bottomMin:   read('region.bottomMin',   0.06, 'clo', 'standard',  'ASHRAE 55: short shorts'),
    shoesMin:    read('region.shoesMin',    0.02, 'clo', 'standard',  'ASHRAE 55: shoes, sandals'),
    dressOfLegs: read('region.dressOfLegs', 0.75, '-',   'judgement', 'Share of the legs that a dress covers; the rest is legwear'),
    perK:        read('region.perK',        0.08, '1/K', 'judgement', 'Increase of a region\'s share per kelvin of its own offset'),
    coldK:       read('region.coldK',       2,    'K',   'judgement', 'coldHands, coldFeet'),
  },
  chill: {
    a:       read('chill.a',       13.12,  'degC', 'literature', WIND_CHILL),
    perC:    read('chill.perC',    0.6215, '-',    'literature', WIND_CHILL),
    wind:    read('chill.wind',    11.37,  'degC', 'literature', WIND_CHILL),
    both:    read('chill.both',    0.3965, '-',    'literature', WIND_CHILL),
    power:   read('chill.power',   0.16,   '-',    'literature', WIND_CHILL),
    fromKmh: read('chill.fromKmh', 5,      'km/h', 'literature', `${WIND_CHILL}; linear to the air temperature below`),
  },
  danger: {
    frostC:     read('danger.frostC',     -27,   'degC', 'literature', `${WIND_CHILL}: frostbite within half an hour; ISO 11079 D.2: very cold from -25 degC`),
    frostA:     read('danger.frostA',     2111,  'min K^power', 'literature', `${WIND_CHILL}, time to frostbite`),
    frostB:     read('danger.frostB',     24.5,  'min K^power per km/h', 'literature', `${WIND_CHILL}, time to frostbite`),
    frostPower: read('danger.frostPower', 1.668, '-',    'literature', `${WIND_CHILL}, time to frostbite`),
    wbgtAir:    read('danger.wbgtAir',    0.567, '-',    'literature', ABM_WBGT),
    wbgtVapour: read('danger.wbgtVapour', 0.393, 'K/hPa', 'literature', ABM_WBGT),
    wbgtRest:   read('danger.wbgtRest',   3.94,  'degC', 'literature', ABM_WBGT),
    cautionC:   read('danger.cautionC',   0,    'K',    'judgement',  'WBGT above the limit from which caution is said'),
    heatC:      read('danger.heatC',      5,     'K',    'judgement',  'WBGT above the limit from which danger is said'),
  },
  gust: {
    fromMs:  read('gust.fromMs',  1.5, 'm/s',  'judgement', 'Wind at the body from which wind protection is needed'),
    spanMs:  read('gust.spanMs',  4,   'm/s',  'judgement', 'Range of wind over which the need grows to 1'),
    warmC:   read('gust.warmC',   22,  'degC', 'judgement', 'No wind protection is needed at and above'),
    spanC:   read('gust.spanC',   10,  'K',    'judgement', 'Cooling over which the need grows to 1'),
  },
  vote: {
    a:     read('vote.a',     0.303, 'm2/W', 'standard', `${ISO_7730}, PMV = (a exp(-decay M) + rest) load`),
    decay: read('vote.decay', 0.036, 'm2/W', 'standard', `${ISO_7730}, PMV`),
    rest:  read('vote.rest',  0.028, 'm2/W', 'standard', `${ISO_7730}, PMV`),
  },
  ppd: {
    four:  read('ppd.four',  0.03353, '-', 'standard', `${ISO_7730}, PPD = 100 - 95 exp(-four d^4 - two d^2)`),
    two:   read('ppd.two',   0.2179,  '-', 'standard', `${ISO_7730}, PPD`),
    fromMet: read('ppd.fromMet', 3,       'met', 'judgement', 'In the heat, dissatisfaction follows PMV up to this activity'),
    toMet: read('ppd.toMet', 4,           'met', 'standard', `${ISO_7730}, range of PMV: from it, dissatisfaction in the heat follows skin wettedness beyond that of the lightest clothing`),
    scale: read('ppd.scale', 95,      '%', 'standard', `${ISO_7730}, PPD`),
  },
  regret: {
    factor: read('regret.factor', 1.2, '-',    'judgement', 'Asymmetric penalty: factor on too cold in the cold and on too warm in the heat'),
    sport:  read('regret.sport',  0.4, '-',    'judgement', 'Factor on too warm beyond the activity for which PMV holds: who does sport sweats anyway'),
    coldC:  read('regret.coldC',  5,   'degC', 'judgement', 'The factor on too cold applies in full at and below'),
    mildC:  read('regret.mildC',  15,  'degC', 'judgement', 'Too cold and too warm weigh the same at and above'),
  },
  hot: {
    skinC:  read('hot.skinC',  35,   'degC', 'standard',  'ISO 7933, skin in the heat'),
    imSpan: read('hot.imSpan', 0.1,  '-',    'judgement', 'Permeability index gained from breathability 0 to 1'),
    width:  read('hot.width',  0.15, '-',    'judgement', 'Skin wettedness beyond the lightest ensemble that loses 40 % of the fit'),
    fromClo: read('hot.fromClo', 0.16, 'clo', 'judgement', 'Need at and below which wettedness alone decides'),
    spanClo: read('hot.spanClo', 0.4,  'clo', 'judgement', 'Need over which PMV takes over'),
    breathUnknown: read('hot.breathUnknown', 0.67, '-', 'judgement', 'Breathability if neither item nor material has one'),
    breathMiddle:  read('hot.breathMiddle',  0.5,  '-', 'judgement', 'Breathability at which the permeability index is sweat.im'),
    unbearableFrom: read('hot.unbearableFrom', 0.5, '-', 'judgement', 'Share of people dissatisfied in the lightest ensemble from which the score falls further'),
    unbearable: read('hot.unbearable', 1.25, '-', 'judgement', 'Loss of the thermal term if everybody is dissatisfied: 50 points'),
    warnWet: read('hot.warnWet', 0.85, '-',   'standard',  'ISO 7933, maximum wettedness of people not acclimatised to heat'),
  },
  thermal: {
    tailShare: read('thermal.tailShare', 0.5, '-',     'judgement', 'Share of 2 - sqrt(1 + (d/tailWidth)2) in the fits of warmth: of two outfits far too cold the warmer wins clearly'),
    tailWidth: read('thermal.tailWidth', 1.2, 'votes', 'judgement', 'Deviation at which the tail has fallen to 0.59; beyond, it is almost straight'),
    lowFrom:   read('thermal.lowFrom',   0.2, '-',     'judgement', 'Share of the score below which the score shown, lowFrom2/(2 lowFrom - score), falls ever more slowly'),
    warn:      read('thermal.warn',      1.5, 'votes', 'judgement', 'Deviation from which a response has a warning'),
  },
  rain: {
    loss:    read('rain.loss',    0.3, '-', 'judgement', 'Insulation an unprotected garment loses in the heaviest rain'),
    frozenC:  read('rain.frozenC', -2, 'degC', 'judgement', 'Air temperature at and below which nothing gets wet in the snow'),
    meltedC:  read('rain.meltedC', 2,  'degC', 'judgement', 'Air temperature at and above which snow wets like rain'),
    overLegs: read('rain.overLegs', 0.6, '-', 'judgement', 'Water need from which overtrousers are considered'),
  },
  layering: {
    underClo: read('layering.underClo', 2.2,  'clo', 'judgement', 'Need from which long underwear is considered'),
    overClo:  read('layering.overClo',  0.6,  'clo', 'judgement', 'Target of the legs from which overtrousers are considered'),
    socksClo: read('layering.socksClo', 0.05, 'clo', 'judgement', 'Target of the feet from which thick socks are considered'),
    extraClo: read('layering.extraClo', 0.05, 'clo', 'judgement', 'Target of the extremities from which hat, scarf and gloves are considered'),
    outerClo: read('layering.outerClo', 0.25, 'clo', 'judgement', 'Target of outerwear from which an outdoor outfit must have some'),
    sleevesC: read('layering.sleevesC', 5, 'degC', 'judgement', 'Wind chill below which arms are covered outdoors by a top, or by what is over it'),
    windNeed: read('layering.windNeed', 0.6, '-', 'judgement', 'Wind need from which a coat that keeps as much wind out is worn outdoors'),
    windMet:  read('layering.windMet', 6.5, 'met', 'judgement', 'Activity from which one is too warm in it, and in one for drizzle'),
    jacketC: read('layering.jacketC', 25, 'degC', 'judgement', 'Air temperature up to which a formal occasion asks for a jacket'),
    jacketFrom: read('layering.jacketFrom', 4.5, '-', 'judgement', 'Formality from which an occasion does: formal business and ceremonies'),
    glovesC: read('layering.glovesC', -3, 'degC', 'judgement', 'Wind chill below which gloves, if there are any, are worn outdoors'),
    swimC: read('layering.swimC', 20, 'degC', 'judgement', 'Air temperature from which one swims at the beach'),
    coatNeed: read('layering.coatNeed', 0.6, '-', 'judgement', 'Water need from which a coat that keeps as much water out is worn outdoors'),
    drizzleC: read('layering.drizzleC', 17, 'degC', 'judgement', 'Wind chill below which drizzle and snow ask for such a coat, too'),
    hatC: read('layering.hatC', -5, 'degC', 'judgement', 'Wind chill below which a hat, if there is any, is worn outdoors'),
    sunHatC: read('layering.sunHatC', 25, 'degC', 'judgement', 'Air temperature from which the sun asks for a hat or cap outdoors'),
    overNeed: read('layering.overNeed', 0.8, '-', 'judgement', 'Water need from which overtrousers, if there are any, are worn in a wind chill below drizzleC'),
    bothWays: read('layering.bothWays', 0.5,  '-',   'judgement', 'Weight of the way outdoors if it needs less insulation than the room'),
  },
  fit: {
    regionMin:   read('fit.regionMin',   0.1,  'clo', 'judgement', 'Minimum tolerance of a region'),
    regionShare: read('fit.regionShare', 0.35, '-',   'judgement', 'Tolerance of a region as a share of its target'),
    hotStrict:   read('fit.hotStrict',   2,    '-',   'judgement', 'Factor on too warm in the hot regime'),
    unknown:     read('fit.unknown',     0.7,  '-',   'judgement', 'Value of a term for which data is missing'),
    formalityTooFar: read('fit.formalityTooFar', 1, '-', 'judgement', 'Formality steps beyond the tolerance from which an item is excluded'),
    excusedC:    read('fit.excusedC',    -10,  'degC', 'judgement', 'Wind chill below which warmth excuses the formality of any coat, hat, scarf and gloves'),
    seasonK:     read('fit.seasonK',     8,    'K',   'judgement', 'Kelvin beyond a season over which its garments lose their season fit'),
  },
  colour: {
    greyFrom:   read('colour.greyFrom',   0.03,  'OKLCH C', 'judgement', 'Neutral up to'),
    greyTo:     read('colour.greyTo',     0.05,  'OKLCH C', 'judgement', 'Chromatic from'),
    blackL:     read('colour.blackL',     0.18,  'OKLab L', 'judgement', 'Neutral below'),
    whiteL:     read('colour.whiteL',     0.95,  'OKLab L', 'judgement', 'Neutral above'),
    edgeL:      read('colour.edgeL',      0.03,  'OKLab L', 'judgement', 'Width of those two borders'),
    vividFrom:  read('colour.vividFrom',  0.12,  'OKLCH C', 'judgement', 'Not vivid up to'),
    vividTo:    read('colour.vividTo',    0.18,  'OKLCH C', 'judgement', 'Vivid from'),
    neutralAny: read('colour.neutralAny', 0.9,   '-',       'judgement', 'A neutral with a colour'),
    neutrals:   read('colour.neutrals',   0.85,  '-',       'judgement', 'Two neutrals'),
    shrill:     read('colour.shrill',     0.3,   '-',       'judgement', 'Loss if two vivid colours are 50 to 140 degrees apart'),
    clashFrom:  read('colour.clashFrom',  50,    'deg',     'judgement', 'Lower end of the hue differences that clash'),
    clashTo:    read('colour.clashTo',    140,   'deg',     'judgement', 'Upper end of the hue differences that clash'),
    clashEdge:  read('colour.clashEdge',  5,     'deg',     'judgement', 'Half the width over which those borders are softened'),
    patterns:   read('colour.patterns',   -0.25, '-',       'judgement', 'Two patterns'),
    pattern:    read('colour.pattern',    0.03,  '-',       'judgement', 'One pattern with a plain garment'),
  },
  variety: {
    weight: read('variety.weight', 15, 'points', 'judgement', 'Loss of an outfit that shares every item with a better one'),
    days:   read('variety.days',   7,  'd',      'judgement', 'Days over which a worn outfit is forgotten'),
  },
  day: {
    midCost: read('day.midCost', 2, 'changes', 'judgement', 'Cost of changing a middle layer: the coat has to come off first'),
    lacking: read('day.lacking', 0.15, '-', 'judgement', 'Fit that an hour loses without what it asks for: a coat that keeps out the rain, gloves, a hat'),
    slack: read('day.slack', 0.02, '-', 'judgement', 'Fit that an hour may lose to avoid a change of layers'),
  },
  search: {
    nodes:       read('search.nodes',       2_500,  'nodes', 'judgement', 'Budget of the search: whole outfits completed, and each four choices bounded; small wardrobes are proved optimal, with 1,000 items the gap says what may be lost'),
    thicknesses: read('search.thicknesses', 4,       'garments', 'judgement', 'Thicknesses tried of each accessory and underlayer (hat, scarf, gloves, socks, long underwear)'),
    pool:        read('search.pool',        5,       'outfits', 'judgement', 'Candidates ranked for each outfit that /outfits returns'),
  },
  shell: {
    fromClo:  read('shell.fromClo',  0.15, 'clo', 'judgement', 'Missing insulation from which a shell is needed'),
    fromNeed: read('shell.fromNeed', 0.3,  '-',   'judgement', 'Need of water or wind protection from which a shell is needed'),
    enough:   read('shell.enough',   0.5,  '-',   'judgement', 'Fit from which a shell is enough'),
  },
  learn: {
    variance:   read('learn.variance',   3, 'K2', 'fitted',    `Variance between persons, SD 1.7 K; ${VOTES}`),
    varianceMin: read('learn.varianceMin', 0.05, 'K2', 'judgement', 'The filter never stops learning'),
    drift:      read('learn.drift',      0.01, 'K2 per vote', 'judgement', 'Process noise: persons change slowly'),
    noise:      read('learn.noise',      1.1, 'votes2', 'fitted', `Vote noise of one person, SD 1.05 votes; ${VOTES}`),
    indoorSlope: read('learn.indoorSlope', 0.5, 'votes per predicted vote', 'fitted', `People in rooms vote half as far from neutral as the heat balance predicts; ${VOTES}`),
    nu:         read('learn.nu',         4,    '-',  'judgement', 'Degrees of freedom of the Student t that limits the weight of outliers'),
    maxK:       read('learn.maxK',       6,    'K',  'judgement', 'Bound of offsetC'),
    regionVariance: read('learn.regionVariance', 1,   'K2',     'judgement', 'Variance of a region against the whole body'),
    regionNoise:    read('learn.regionNoise',    1.2, 'votes2', 'judgement', 'Vote noise of a region'),
    regionMaxK:     read('learn.regionMaxK',     3,   'K',      'judgement', 'Bound of a region offset'),
    briefMinutes:   read('learn.briefMinutes',   5,   'min',    'judgement', 'Stay below which the body is not in steady state'),
    briefNoise:     read('learn.briefNoise',     2,   '-',      'judgement', 'Noise factor of a brief stay'),
    preferenceNoise: read('learn.preferenceNoise', 2, '-',      'judgement', 'Noise factor of a preference without a vote'),
    doubted:        read('learn.doubted',        0.5, '-',      'judgement', 'Weight below which a vote is reported as downweighted'),
  },
});

export type Coefficients = ReturnType<typeof coefficients>;
