import { z } from 'zod';
import { findCandidates, toCandidate } from './candidates/candidates.ts';
import { readGarments } from './candidates/problem.ts';
import { situationOf } from './comfort/targets.ts';
import {
  type DayPlan,
  fitIn,
  type HourContext,
  MAX_BASES,
  outfitsFor,
  planFor,
  REMOVABLE,
  schedule,
} from './day-plan.ts';
import { readForecast } from './forecast.ts';
import { Forecast, ForecastDate } from './forecast-schema.ts';
import { round } from './numeric.ts';
import type { Model } from './params.ts';
import { Candidate } from './responses.ts';
import { Diagnostic, Met, targetFields, Weather } from './schema.ts';
import { createScoringContext, type WornItem } from './scoring/context.ts';
import { thermalSensation } from './scoring/explain.ts';
import { nameOutfits } from './scoring/naming.ts';
import { sumEnsemble } from './scoring/score.ts';
import { type Ensemble, itemsOf, maxMilliClo, type Slot } from './wardrobe/ensemble.ts';
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

const requestAt = (request: DayRequest, hour: Hour) => ({
  ...request,
  weather: hour.weather,
  met: hour.met,
  indoorTempC: hour.indoorTempC,
});

/** Slots whose items stay on, because they cover what must be covered. */
function keptSlots(request: DayRequest): Slot[] {
  const coverage = coverageOf(request);
  return [
    ...(coverage.has('arms') ? (['mid'] as const) : []),
    ...(coverage.has('head') ? (['head', 'neck'] as const) : []),
  ];
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
  const waterAt = (at: number) => hours[at]!.context.shelter.torso.water;
  const wettest = [...hours.keys()].reduce((a, b) => (waterAt(b) > waterAt(a) ? b : a));
  const extremes = [byNeed[0]!.at, byNeed.at(-1)!.at, ...(waterAt(wettest) > 0 ? [wettest] : [])];
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
  for (const ensemble of outfitsFor(model, candidateSets)) {
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
