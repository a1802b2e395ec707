import { z } from 'zod';
import { LOCALES } from '../taxonomy/dictionary/schema.ts';
import { situationOf } from './comfort/targets.ts';
import { round } from './numeric.ts';
import type { Model } from './params.ts';
import { Candidate, Diagnostic } from './responses.ts';
import { Met, targetFields, Weather } from './schema.ts';
import { type Judgement, judgementOf, type Piece } from './scoring/context.ts';
import { feelOf } from './scoring/explain.ts';
import { nameAll } from './scoring/naming.ts';
import { partsOf, protectionTerm } from './scoring/score.ts';
import { candidateOf, garmentsOf, type Offer, offerOf } from './search/candidates.ts';
import { isSet, mostMilli, type Slot, type Worn, wornItems } from './wardrobe/ensemble.ts';
import { openSlots } from './wardrobe/templates.ts';
import { checkMust, RUN_ALWAYS, wardrobeFields } from './wardrobe/wardrobe-request.ts';

const Hour = z.strictObject({
  at: z.string().max(40).optional().meta({ description: 'Given back as it is' }),
  weather: Weather,
  met: Met,
  place: z.enum(['outdoor', 'indoor']).optional().meta({ description: '`outdoor`' }),
  indoorTempC: targetFields.indoorTempC,
});
type Hour = z.infer<typeof Hour>;

const { plan: _, ...wardrobe } = wardrobeFields;
const { weather: _weather, met: _met, indoorTempC: _indoorTempC, ...person } = targetFields;

export const DayRequest = z
  .strictObject({
    hours: z.array(Hour).min(1).max(48),
    ...person,
    ...wardrobe,
    locale: z.enum(LOCALES).optional(),
  })
  .superRefine(checkMust, RUN_ALWAYS)
  .meta({ title: 'DayRequest' });
export type DayRequest = z.infer<typeof DayRequest>;

const ids = z.array(z.string());

const HourAnswer = z.strictObject({
  at: z.string().optional(),
  wearIds: ids,
  putOnIds: ids,
  takeOffIds: ids,
  icl: z.number(),
  deviation: z.number(),
  ppd: z.number(),
  fit: z.number().min(0).max(1),
});

export const DayResponse = z
  .strictObject({
    outfit: Candidate.extend({ name: z.string() }).nullable(),
    hours: z.array(HourAnswer).meta({ description: 'What is worn when, and what changes before' }),
    worst: z.strictObject({ hour: z.number().int(), fit: z.number() }).nullable(),
    diagnostics: z.array(Diagnostic),
    paramsVersion: z.string(),
  })
  .meta({ title: 'DayResponse' });
export type DayResponse = z.infer<typeof DayResponse>;

/** Pieces that come off and go on without changing. */
const LOOSE: readonly Slot[] = ['outer', 'mid', 'over', 'head', 'neck', 'hands'];

/** Outfits looked at: so many bases, each with so many coats and all that belongs to them. */
const MOST_BASES = 12;
const MOST_SHELLS = 6;

const requestAt = (request: DayRequest, hour: Hour) => ({
  ...request,
  weather: hour.weather,
  met: hour.met,
  indoorTempC: hour.indoorTempC,
});

/** How an hour judges what is worn in it: warmth and shelter, 0-1. */
function fitIn(judgement: Judgement, worn: Worn<Piece>): number {
  const { thermal, protection } = judgement.model.tables.weights;
  const parts = partsOf(judgement, worn);
  const warmth = judgement.curveFor(parts.outside).at(parts.milli);
  return (thermal * warmth + protection * protectionTerm(judgement, worn)) / (thermal + protection);
}

/** Every way to wear an outfit: with each of its loose pieces on or off. */
function waysToWear(worn: Worn<Piece>): Worn<Piece>[] {
  const loose = LOOSE.filter((slot) => {
    const piece = worn[slot];
    return piece !== undefined && !isSet(piece.garment);
  });
  let ways = [worn];
  for (const slot of loose) ways = [...ways, ...ways.map((way) => ({ ...way, [slot]: undefined }))];
  return ways;
}

/** An hour's judgement, and the loose pieces that it gives no reason for. */
interface HourJudged {
  judgement: Judgement;
  closed: readonly Slot[];
}

/** How an hour judges each way to wear an outfit; 0 where it gives no reason for a piece that is on. */
function fitsIn({ judgement, closed }: HourJudged, ways: readonly Worn<Piece>[]): number[] {
  return ways.map((way) => (closed.some((slot) => way[slot]) ? 0 : fitIn(judgement, way)));
}

interface Plan {
  worn: Worn<Piece>;
  ways: readonly Worn<Piece>[];
  worst: number;
  mean: number;
}

/** The plan of an outfit through a day, or nothing once an hour is worse than `atLeast`. */
function planFor(
  hours: readonly HourJudged[],
  worn: Worn<Piece>,
  atLeast: number,
): Plan | undefined {
  const ways = waysToWear(worn);
  let worst = 1;
  let sum = 0;
  for (const hour of hours) {
    const best = Math.max(...fitsIn(hour, ways));
    if (best < atLeast) return undefined;
    worst = Math.min(worst, best);
    sum += best;
  }
  return { worn, ways, worst, mean: sum / hours.length };
}

/** The base of one outfit with the coat and small things of another. */
function withShell(base: Worn<Piece>, shell: Worn<Piece>): Worn<Piece> {
  const coat = Object.fromEntries(
    (['outer', 'over', 'head', 'neck', 'hands'] as const).flatMap((slot) =>
      shell[slot] && (slot !== 'over' || base.bottom) ? [[slot, shell[slot]] as const] : [],
    ),
  );
  return { ...base, ...coat };
}

/** Outfits worth a look: the best for the coldest and the warmest hour, and one over the other. */
function outfitsFor(offers: readonly Offer[]): Worn<Piece>[] {
  const bases = offers.flatMap(({ candidates }) => candidates.slice(0, MOST_BASES));
  const shells = offers.flatMap(({ candidates }) => candidates.slice(0, MOST_SHELLS));
  return bases.flatMap(({ worn }) => [worn, ...shells.map((shell) => withShell(worn, shell.worn))]);
}

/**
 * What to wear in each hour. Of ways that are as good as the best within `day.slack`, the path with
 * the fewest changes: the cheapest path through hours and ways.
 */
function schedule(hours: readonly HourJudged[], { ways }: Plan): Worn<Piece>[] {
  const { slack, midCost } = hours[0]!.judgement.model.k.day;
  const changes = (a: Worn<Piece>, b: Worn<Piece>) =>
    LOOSE.reduce((sum, slot) => sum + (a[slot] === b[slot] ? 0 : slot === 'mid' ? midCost : 1), 0);
  let paths: { path: Worn<Piece>[]; cost: number; fit: number }[] = [{ path: [], cost: 0, fit: 0 }];
  for (const hour of hours) {
    const fits = fitsIn(hour, ways);
    const floor = Math.max(...fits) - slack;
    paths = ways.flatMap((way, at) => {
      const fit = fits[at]!;
      if (fit < floor) return [];
      const steps = paths.map(({ path, cost, fit: before }) => {
        const last = path.at(-1);
        return { path, cost: cost + (last ? changes(last, way) : 0), fit: before + fit };
      });
      const best = steps.reduce((a, b) =>
        b.cost < a.cost || (b.cost === a.cost && b.fit > a.fit) ? b : a,
      );
      return [{ ...best, path: [...best.path, way] }];
    });
  }
  return paths.reduce((a, b) => (b.cost < a.cost || (b.cost === a.cost && b.fit > a.fit) ? b : a))
    .path;
}

const idsOf = (worn: Worn<Piece>): string[] => wornItems(worn).map(({ garment }) => garment.id);

/** The hours in words of the answer. */
function hoursAnswer(
  request: DayRequest,
  hours: readonly HourJudged[],
  path: readonly Worn<Piece>[],
) {
  return path.map((worn, at) => {
    const { judgement } = hours[at]!;
    const feel = feelOf(judgement, partsOf(judgement, worn));
    const wearIds = idsOf(worn);
    const before = at > 0 ? idsOf(path[at - 1]!) : wearIds;
    const said = request.hours[at]?.at;
    return {
      ...(said !== undefined && { at: said }),
      wearIds,
      putOnIds: wearIds.filter((id) => !before.includes(id)),
      takeOffIds: before.filter((id) => !wearIds.includes(id)),
      icl: round(feel.icl, 3),
      deviation: round(feel.deviation, 2),
      ppd: round(feel.ppd, 1),
      fit: round(fitIn(judgement, worn), 3),
    };
  });
}

/** One outfit for a whole day: that whose worst hour is best, and what to take off and put on when. */
export function computeDay(model: Model, request: DayRequest): DayResponse {
  const garments = garmentsOf(model, request);
  const most = mostMilli(model, garments);
  const hours = request.hours.map((hour) => {
    const situation = situationOf(model, requestAt(request, hour));
    const judgement = judgementOf(model, situation, hour.place ?? 'outdoor', most);
    const open = openSlots(judgement);
    return { judgement, closed: LOOSE.filter((slot) => !open.has(slot)) };
  });
  const byNeed = hours
    .map(({ judgement }, at) => ({ at, need: judgement.situation[judgement.plan].iclRequired }))
    .sort((a, b) => b.need - a.need);
  const extremes = [byNeed[0]!.at, byNeed.at(-1)!.at];
  const offers = [...new Set(extremes)].map((at) => {
    const { plan } = hours[at]!.judgement;
    return offerOf(
      model,
      { ...requestAt(request, request.hours[at]!), plan },
      MOST_BASES,
      garments,
    );
  });
  // The extremes first: they rule most outfits out.
  const inTurn = [...new Set([...extremes, ...hours.keys()])].map((at) => hours[at]!);
  let best: Plan | undefined;
  for (const worn of outfitsFor(offers)) {
    const plan = planFor(inTurn, worn, best?.worst ?? 0);
    if (!plan) continue;
    const isBetter =
      !best || plan.worst > best.worst || (plan.worst === best.worst && plan.mean > best.mean);
    if (isBetter) best = plan;
  }
  const diagnostics = offers[0]?.diagnostics ?? [];
  const paramsVersion = model.version;
  if (!best) return { outfit: null, hours: [], worst: null, diagnostics, paramsVersion };
  const path = schedule(hours, best);
  const answered = hoursAnswer(request, hours, path);
  const worstAt = answered.reduce(
    (least, { fit }, at) => (fit < answered[least]!.fit ? at : least),
    0,
  );
  const { judgement } = hours[extremes[0]!]!;
  const icl = feelOf(judgement, partsOf(judgement, best.worn)).icl;
  const [name = ''] = nameAll(judgement, [{ worn: best.worn, icl }], request.locale ?? 'en');
  return {
    outfit: { ...candidateOf(best.worn), name },
    hours: answered,
    worst: { hour: worstAt, fit: answered[worstAt]!.fit },
    diagnostics,
    paramsVersion,
  };
}
