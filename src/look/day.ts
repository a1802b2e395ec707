import { z } from 'zod';
import { type CandidateSet, findCandidates, toCandidate } from './candidates/candidates.ts';
import { readGarments } from './candidates/problem.ts';
import { situationOf } from './comfort/targets.ts';
import { readForecast } from './forecast.ts';
import { Forecast, ForecastDate } from './forecast-schema.ts';
import { round } from './numeric.ts';
import type { Model } from './params.ts';
import { Candidate } from './responses.ts';
import { Diagnostic, Met, targetFields, Weather } from './schema.ts';
import { createScoringContext, type ScoringContext, type WornItem } from './scoring/context.ts';
import { thermalSensation } from './scoring/explain.ts';
import { nameOutfits } from './scoring/naming.ts';
import { protectionTerm, senseCost, sumEnsemble } from './scoring/score.ts';
import {
  type Ensemble,
  isSet,
  itemsOf,
  mapEnsemble,
  maxMilliClo,
  type Slot,
} from './wardrobe/ensemble.ts';
import { relevantSlots } from './wardrobe/templates.ts';
import {
  checkRequired,
  coverageOf,
  RUN_ALWAYS,
  wardrobeFields,
} from './wardrobe/wardrobe-request.ts';

const Hour = z.strictObject({
  at: z.string().max(40).optional().meta({ description: 'Returned unchanged' }),
  weather: Weather,
  met: Met,
  place: z.enum(['outdoor', 'indoor']).optional().meta({ description: 'Default `outdoor`' }),
  indoorTempC: targetFields.indoorTempC,
});
type Hour = z.infer<typeof Hour>;

/** Checks that a request has either hours, or a forecast and what it is read with. */
function checkHours(
  body: { hours?: unknown; forecast?: unknown; met?: unknown } | null,
  context: z.RefinementCtx,
): void {
  const issue = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  if (!(body instanceof Object)) return;
  if (body.hours === undefined && body.forecast === undefined)
    issue('hours', 'Send `hours` or `forecast`');
  if (body.forecast === undefined) return;
  if (body.hours !== undefined) issue('hours', 'Leave it out if you send `forecast`');
  if (body.met === undefined) issue('met', 'is needed with `forecast`');
}

const { plan: _, ...wardrobe } = wardrobeFields;
const { weather: _weather, met: _met, indoorTempC: _indoorTempC, ...person } = targetFields;

export const DayRequest = z
  .strictObject({
    hours: z.array(Hour).min(1).max(48).optional().meta({ description: 'Instead of `forecast`' }),
    forecast: Forecast.optional().meta({
      description: 'Of Open-Meteo or MET Norway, as it comes; read outdoors, with `met`',
    }),
    date: ForecastDate.optional().meta({
      description: 'Default: the first with all hours that count',
    }),
    met: Met.optional(),
    ...person,
    ...wardrobe,
  })
  .superRefine(checkRequired, RUN_ALWAYS)
  .superRefine(checkHours, RUN_ALWAYS)
  .meta({ id: 'DayRequest' });
export type DayRequest = z.infer<typeof DayRequest>;

const ids = z.array(z.string());

const HourResponse = z.strictObject({
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
    hours: z
      .array(HourResponse)
      .meta({ description: 'The layers worn in each hour, and the changes before it' }),
    worst: z.strictObject({ hour: z.number().int(), fit: z.number() }).nullable(),
    diagnostics: z.array(Diagnostic),
    paramsVersion: z.string(),
  })
  .meta({ id: 'DayResponse' });
export type DayResponse = z.infer<typeof DayResponse>;

/** Slots that can be added and removed without changing clothes. */
const REMOVABLE: readonly Slot[] = ['outer', 'mid', 'over', 'head', 'neck', 'hands'];

/** Outfits considered: each base with the outer layers of each shell. */
const MAX_BASES = 12;
const MAX_SHELLS = 6;

const requestAt = (request: DayRequest, hour: Hour) => ({
  ...request,
  weather: hour.weather,
  met: hour.met,
  indoorTempC: hour.indoorTempC,
});

/** Fit of an ensemble in an hour: warmth and shelter, at most 1. */
function fitIn(context: ScoringContext, ensemble: Ensemble<WornItem>): number {
  const { thermal, protection } = context.model.tables.weights;
  const sums = sumEnsemble(context, ensemble);
  const warmth = context.curveFor(sums.outerLayer).at(sums.milliClo);
  return (
    (thermal * warmth + protection * protectionTerm(context, ensemble)) / (thermal + protection)
  );
}

/** Cost of the rules of common sense that an ensemble breaks in an hour: winter boots at noon. */
const costIn = (context: ScoringContext, ensemble: Ensemble<WornItem>): number =>
  senseCost(
    context,
    mapEnsemble(ensemble, ({ garment }) => context.toWornItem(garment)),
  );

/** Slots whose items stay on, because they cover what must be covered. */
function keptSlots(request: DayRequest): Slot[] {
  const coverage = coverageOf(request);
  return [
    ...(coverage.has('arms') ? (['mid'] as const) : []),
    ...(coverage.has('head') ? (['head', 'neck'] as const) : []),
  ];
}

/** Every way to wear an outfit: with each removable item on or off, unless it covers what must be. */
function variantsOf(ensemble: Ensemble<WornItem>, kept: readonly Slot[]): Ensemble<WornItem>[] {
  const removable = REMOVABLE.filter((slot) => {
    if (kept.includes(slot)) return false;
    const item = ensemble[slot];
    return item !== undefined && !isSet(item.garment);
  });
  let variants = [ensemble];
  for (const slot of removable)
    variants = [...variants, ...variants.map((variant) => ({ ...variant, [slot]: undefined }))];
  return variants;
}

/** The scoring context of an hour, and the removable slots that are not considered in it. */
interface HourContext {
  context: ScoringContext;
  unneeded: readonly Slot[];
}

/** Fit of each variant in an hour, less what broken rules cost; none if it has an item in an unneeded slot. */
function fitsIn(
  { context, unneeded }: HourContext,
  variants: readonly Ensemble<WornItem>[],
): number[] {
  return variants.map((variant) =>
    unneeded.some((slot) => variant[slot])
      ? Number.NEGATIVE_INFINITY
      : fitIn(context, variant) - costIn(context, variant),
  );
}

interface DayPlan {
  ensemble: Ensemble<WornItem>;
  variants: readonly Ensemble<WornItem>[];
  worst: number;
  mean: number;
}

/** The plan of an outfit for the day; undefined if the best variant of any hour is below `minFit`. */
function planFor(
  hours: readonly HourContext[],
  ensemble: Ensemble<WornItem>,
  kept: readonly Slot[],
  minFit: number,
): DayPlan | undefined {
  const variants = variantsOf(ensemble, kept);
  let worst = 1;
  let sum = 0;
  for (const hour of hours) {
    const best = Math.max(...fitsIn(hour, variants));
    if (best < minFit) return undefined;
    worst = Math.min(worst, best);
    sum += best;
  }
  return { ensemble, variants, worst, mean: sum / hours.length };
}

/** The base of one outfit with the coat, overtrousers and accessories of another. */
function withShell(base: Ensemble<WornItem>, shell: Ensemble<WornItem>): Ensemble<WornItem> {
  const combined: { [S in Slot]?: WornItem | undefined } = { ...base };
  for (const slot of ['outer', 'over', 'head', 'neck', 'hands'] as const)
    if (shell[slot] && (slot !== 'over' || base.bottom)) combined[slot] = shell[slot];
  return combined;
}

/** The outfits to consider: the best for the coldest and the warmest hour, and their combinations. */
function outfitsFor(candidateSets: readonly CandidateSet[]): Ensemble<WornItem>[] {
  const bases = candidateSets.flatMap(({ candidates }) => candidates.slice(0, MAX_BASES));
  const shells = candidateSets.flatMap(({ candidates }) => candidates.slice(0, MAX_SHELLS));
  return bases.flatMap(({ ensemble }) => [
    ensemble,
    ...shells.map((shell) => withShell(ensemble, shell.ensemble)),
  ]);
}

/**
 * What to wear in each hour: among the variants within `day.slack` of the best of their hour, the
 * sequence with the fewest changes. A shortest path over hours and variants.
 */
function schedule(hours: readonly HourContext[], { variants }: DayPlan): Ensemble<WornItem>[] {
  const { slack, midCost } = hours[0]!.context.model.k.day;
  const changes = (a: Ensemble<WornItem>, b: Ensemble<WornItem>) =>
    REMOVABLE.reduce(
      (sum, slot) => sum + (a[slot] === b[slot] ? 0 : slot === 'mid' ? midCost : 1),
      0,
    );
  let paths: { path: Ensemble<WornItem>[]; cost: number; fit: number }[] = [
    { path: [], cost: 0, fit: 0 },
  ];
  for (const hour of hours) {
    const fits = fitsIn(hour, variants);
    const floor = Math.max(...fits) - slack;
    paths = variants.flatMap((variant, at) => {
      const fit = fits[at]!;
      if (fit < floor) return [];
      const steps = paths.map(({ path, cost, fit: before }) => {
        const last = path.at(-1);
        return { path, cost: cost + (last ? changes(last, variant) : 0), fit: before + fit };
      });
      const best = steps.reduce((a, b) =>
        b.cost < a.cost || (b.cost === a.cost && b.fit > a.fit) ? b : a,
      );
      return [{ ...best, path: [...best.path, variant] }];
    });
  }
  return paths.reduce((a, b) => (b.cost < a.cost || (b.cost === a.cost && b.fit > a.fit) ? b : a))
    .path;
}

const idsOf = (ensemble: Ensemble<WornItem>): string[] =>
  itemsOf(ensemble).map(({ garment }) => garment.id);

/** The hours of the response. */
function hourResponses(
  forecast: readonly Hour[],
  hours: readonly HourContext[],
  path: readonly Ensemble<WornItem>[],
) {
  return path.map((ensemble, at) => {
    const { context } = hours[at]!;
    const feel = thermalSensation(context, sumEnsemble(context, ensemble));
    const wearIds = idsOf(ensemble);
    const before = at > 0 ? idsOf(path[at - 1]!) : wearIds;
    const label = forecast[at]?.at;
    return {
      ...(label !== undefined && { at: label }),
      wearIds,
      putOnIds: wearIds.filter((id) => !before.includes(id)),
      takeOffIds: before.filter((id) => !wearIds.includes(id)),
      icl: round(feel.icl, 3),
      deviation: round(feel.deviation, 2),
      ppd: round(feel.ppd, 1),
      fit: round(Math.max(0, fitIn(context, ensemble)), 3),
    };
  });
}

/** The hours of a request, or of its forecast. @throws Problem invalid-request */
function hoursOf({ hours, forecast, date, met = 1 }: DayRequest): Hour[] {
  if (!forecast) return hours ?? [];
  const reader = readForecast(forecast);
  return reader
    .hoursOf(date ?? reader.firstDate, '/date')
    .map(({ at, weather }) => ({ at, weather, met }));
}

/** The outfit whose worst hour is best, and when to add and remove its layers. */
export function computeDay(model: Model, request: DayRequest): DayResponse {
  const garments = readGarments(model, request);
  const limit = maxMilliClo(model, garments);
  const kept = keptSlots(request);
  const forecast = hoursOf(request);
  const hours = forecast.map((hour) => {
    const situation = situationOf(model, requestAt(request, hour));
    const context = createScoringContext(model, situation, hour.place ?? 'outdoor', limit);
    const relevant = relevantSlots(context);
    return {
      context,
      unneeded: REMOVABLE.filter((slot) => !relevant.has(slot) && !kept.includes(slot)),
    };
  });
  const byNeed = hours
    .map(({ context }, at) => ({ at, need: context.situation[context.plan].iclRequired }))
    .sort((a, b) => b.need - a.need);
  const extremes = [byNeed[0]!.at, byNeed.at(-1)!.at];
  const candidateSets = [...new Set(extremes)].map((at) => {
    const { plan } = hours[at]!.context;
    return findCandidates(
      model,
      { ...requestAt(request, forecast[at]!), plan },
      MAX_BASES,
      garments,
    );
  });
  // The extremes first: they reject most outfits.
  const extremesFirst = [...new Set([...extremes, ...hours.keys()])].map((at) => hours[at]!);
  let best: DayPlan | undefined;
  for (const ensemble of outfitsFor(candidateSets)) {
    const plan = planFor(extremesFirst, ensemble, kept, best?.worst ?? Number.NEGATIVE_INFINITY);
    if (!plan) continue;
    const isBetter =
      !best || plan.worst > best.worst || (plan.worst === best.worst && plan.mean > best.mean);
    if (isBetter) best = plan;
  }
  const diagnostics = candidateSets[0]?.diagnostics ?? [];
  const paramsVersion = model.version;
  if (!best) return { outfit: null, hours: [], worst: null, diagnostics, paramsVersion };
  const path = schedule(hours, best);
  const responses = hourResponses(forecast, hours, path);
  const worstAt = responses.reduce(
    (worst, { fit }, at) => (fit < responses[worst]!.fit ? at : worst),
    0,
  );
  const { context } = hours[extremes[0]!]!;
  const icl = thermalSensation(context, sumEnsemble(context, best.ensemble)).icl;
  const [name = ''] = nameOutfits(
    context,
    [{ ensemble: best.ensemble, icl }],
    request.locale ?? 'en',
  );
  return {
    outfit: { ...toCandidate(best.ensemble), name },
    hours: responses,
    worst: { hour: worstAt, fit: responses[worstAt]!.fit },
    diagnostics,
    paramsVersion,
  };
}
