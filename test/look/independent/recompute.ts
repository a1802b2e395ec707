/**
 * An independent computation of the targets, written from `GET /look/v1/params` alone as a client
 * would write it. It imports nothing and reads the document by its published keys.
 */

interface Document {
  coefficients: { key: string; value: number }[];
  tables: {
    condition: { rows: Record<string, { sunK: number; damp: number }> };
    regionShare: { rows: Record<'top' | 'bottom' | 'shoes' | 'accessory', number[][]> };
    feetRamp: { rows: number[][] };
    windChillRamp: { rows: number[][] };
    thermalProfile: {
      rows: { id: string; fromK: number | null; toK: number | null; offsetC: number }[];
    };
    occasion: { rows: Record<string, { floorClo: number; place: string }> };
  };
}

type Part = 'top' | 'bottom' | 'feet' | 'hands' | 'head';

export interface TargetsRequest {
  weather: {
    tempC: number;
    windMs: number;
    humidityPct: number;
    condition: string;
    isDay?: boolean | undefined;
  };
  met: number;
  userProfile?:
    | {
        thermalProfile?: string | undefined;
        offsetC?: number | undefined;
        sensitivity?: number | undefined;
        regionOffsetC?: { [K in Part]?: number | undefined } | undefined;
        coldHands?: boolean | undefined;
        coldFeet?: boolean | undefined;
      }
    | undefined;
  cloOffset?: number | undefined;
  occasion?: string | undefined;
  indoorTempC?: number | undefined;
}

const hold = (x: number, low: number, high: number) => Math.min(high, Math.max(low, x));

const ramp = (rows: number[][], x: number): number => {
  const after = rows.findIndex((row) => x <= row[0]!);
  if (after === 0) return rows[0]![1]!;
  if (after < 0) return rows[rows.length - 1]![1]!;
  const [x0, y0] = rows[after - 1] as [number, number];
  const [x1, y1] = rows[after] as [number, number];
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
};

/** Root of a rising function by false position with the Illinois modification. */
function root(f: (x: number) => number, low: number, high: number): number {
  let [a, fa, b, fb] = [low, f(low), high, f(high)];
  if (fa >= 0) return a;
  if (fb <= 0) return b;
  for (let i = 0; i < 400 && b - a > 1e-12; i++) {
    const x = i % 3 === 2 ? (a + b) / 2 : (a * fb - b * fa) / (fb - fa);
    const fx = f(x);
    if (fx === 0) return x;
    if (fx < 0) [a, fa, fb] = [x, fx, fb / 2];
    else [b, fb, fa] = [x, fx, fa / 2];
  }
  return (a + b) / 2;
}

/** All numbers of a response to `POST /look/v1/targets`, unrounded. */
export function recompute(paramsText: string, request: TargetsRequest) {
  const { coefficients, tables } = JSON.parse(paramsText) as Document;
  const all = new Map(coefficients.map((c) => [c.key, c.value]));
  const c = (key: string): number => {
    const value = all.get(key);
    if (value === undefined) throw new Error(`no ${key}`);
    return value;
  };
  const p = (t: number) => Math.exp(c('vapour.a') - c('vapour.b') / (t + c('vapour.c')));

  const person = request.userProfile ?? {};
  const labels = tables.thermalProfile.rows;
  const offset =
    person.offsetC ?? labels.find((row) => row.id === person.thermalProfile)?.offsetC ?? 0;
  const label = labels.find(
    (row) => (row.fromK === null || row.fromK <= offset) && (row.toK === null || offset <= row.toK),
  )?.id;
  const offsetC = offset * (person.sensitivity ?? 1);
  const partK = (part: Part): number =>
    (person.regionOffsetC?.[part] ?? 0) +
    (part === 'hands' && person.coldHands ? c('region.coldK') : 0) +
    (part === 'feet' && person.coldFeet ? c('region.coldK') : 0);
  const floorClo = tables.occasion.rows[request.occasion ?? 'casual']!.floorClo;
  const { sunK, damp } = tables.condition.rows[request.weather.condition]!;

  function place(at: {
    indoors: boolean;
    tempC: number;
    rh: number;
    met: number;
    wind: number;
    chill: number;
  }) {
    const M = c('unit.metW') * at.met;
    const walk = hold(c('walk.perW') * (M - c('walk.restW')), 0, c('walk.maxMs'));
    const hc = c('air.convection') * Math.sqrt(at.wind + walk);
    const iA = 1 / (c('unit.cloSi') * (c('air.radiation') + hc));
    const sun = at.indoors || request.weather.isDay === false ? 0 : sunK;
    const tOp = at.tempC + (sun * c('air.radiation')) / (c('air.radiation') + hc) - offsetC;
    const tSk = c('skin.restC') - c('skin.perW') * M;
    const pa = (p(at.tempC) * at.rh) / 100;
    const g = Math.max(c('vapour.refMin'), p(tSk) - (p(at.tempC) * c('vapour.refPct')) / 100);
    const kHumidity = hold((p(tSk) - pa) / g, 0, c('vapour.gradMax'));
    const y = hold((at.tempC - c('blend.coldC')) / (c('blend.warmC') - c('blend.coldC')), 0, 1);
    const b = at.indoors ? 0 : 1 - y * y * (3 - 2 * y);
    const R =
      c('breath.dry') * M * (c('breath.dryC') - at.tempC) +
      c('breath.wet') * M * (c('breath.wetKpa') - pa);
    const E = (x: number) =>
      (1 - b) *
        (kHumidity * c('sweat.diffusion') * g +
          Math.max(0, c('sweat.perW') * (M - c('unit.metW')))) +
      (b * kHumidity * c('sweat.wetPerW') * M * g) /
        ((c('sweat.resistance') / c('sweat.im')) * c('unit.cloSi') * (x + iA));
    const hEff = (x: number) => M - R - E(x) + (at.indoors ? 0 : c('storage.allowedW'));
    const fcl = (x: number) => 1 + c('surface.perClo') * x;
    // Multiplied by the denominators, so that the sign is right if hEff is negative.
    const x = root(
      (at) => hEff(at) * c('unit.cloSi') * (at + iA / fcl(at)) - (tSk - tOp),
      0,
      c('icl.solveMax'),
    );
    const iT = x + iA / fcl(x);

    const d = at.wind + walk - c('motion.airMs');
    const k = at.indoors
      ? Math.min(
          1,
          Math.exp(
            -c('motion.air') * d +
              c('motion.air2') * d ** 2 -
              c('motion.walk') * walk +
              c('motion.walk2') * walk ** 2,
          ),
        )
      : c('wear.wind') *
          Math.exp(
            -c('wear.windDecay') * Math.max(c('wear.windFromMs'), at.wind) -
              c('wear.walkDecay') * walk,
          ) *
          c('wear.airRef') ** c('wear.airExponent') -
        c('wear.airLog') * Math.log(c('wear.airRef')) +
        c('wear.rest');
    const still = c(at.indoors ? 'air.stillIn' : 'air.stillOut');
    const atRest = x === 0 ? 0 : Math.max(0, iT / k - still / fcl(x));
    const iclRaw = atRest * (at.indoors ? 1 : damp) + (request.cloOffset ?? 0);
    const iclRequired = hold(iclRaw, floorClo, c('icl.max'));

    const S = Math.max(0, (iclRequired - c('icl.atNothing')) / c('icl.perIclu'));
    const part = (r: 'top' | 'bottom' | 'shoes' | 'accessory', o: number) =>
      ramp(tables.regionShare.rows[r], iclRequired) * S * (1 + c('region.perK') * o);
    const U = part('top', partK('top'));
    const top = Math.min(U, c('region.topMax'));
    const bottom = Math.max(
      c('region.bottomMin'),
      part('bottom', partK('bottom')) - c('region.underwear'),
    );
    const h = partK('hands') + partK('head');
    return {
      iA,
      kHumidity,
      hEff: hEff(x),
      iclResultant: x,
      iclRaw,
      iclRequired,
      sumIclu: S,
      regions: {
        top,
        outerwear: at.indoors ? 0 : U - top,
        dress: top + c('region.dressOfLegs') * bottom,
        bottom,
        shoes: Math.max(
          c('region.shoesMin'),
          part('shoes', partK('feet')) - c('region.socks'),
          ramp(tables.feetRamp.rows, at.tempC - partK('feet')),
        ),
        accessory: Math.max(part('accessory', h), ramp(tables.windChillRamp.rows, at.chill - h)),
      },
    };
  }

  const { tempC, windMs, humidityPct } = request.weather;
  const w = (V: number) =>
    c('chill.a') +
    c('chill.perC') * tempC -
    c('chill.wind') * V ** c('chill.power') +
    c('chill.both') * tempC * V ** c('chill.power');
  const V = windMs * 3.6;
  const from = c('chill.fromKmh');
  const chill = Math.min(tempC, V >= from ? w(V) : tempC + (V / from) * (w(from) - tempC));
  const roomC =
    c('indoor.winterC') +
    (c('indoor.summerC') - c('indoor.winterC')) *
      hold((tempC - c('indoor.heatC')) / (c('indoor.coolC') - c('indoor.heatC')), 0, 1);
  const usualC = request.occasion === 'home' ? Math.max(roomC, tempC) : roomC;
  const indoorTempC = request.indoorTempC ?? usualC;

  const outdoor = place({
    indoors: false,
    tempC,
    rh: humidityPct,
    met: request.met,
    wind: hold(c('wind.bodyShare') * windMs, c('wind.minMs'), c('wind.maxMs')),
    chill,
  });
  const row = tables.occasion.rows[request.occasion ?? 'casual']!;
  const share = hold(
    (request.met - c('indoor.walkMet')) / (c('indoor.workMet') - c('indoor.walkMet')),
    0,
    1,
  );
  const cap = c('indoor.metMax') + share * (request.met - c('indoor.metMax'));
  const isRoom = row.place === 'room' || row.place === 'walk';
  const metIn = isRoom ? Math.min(request.met, cap) : request.met;
  const indoor = place({
    indoors: true,
    tempC: indoorTempC,
    rh: c('indoor.rhPct'),
    met: metIn,
    wind: c('indoor.airMs'),
    chill: indoorTempC,
  });
  return { label, outdoor, indoor, indoorTempC, isHot: outdoor.iclRaw <= c('icl.hot') };
}
