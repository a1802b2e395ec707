import { z } from 'zod';
import type { Locale } from '../../taxonomy/dictionary/schema.ts';
import { toCandidate } from '../candidates/candidates.ts';
import { createSearchProblem, readGarments, type SearchProblem } from '../candidates/problem.ts';
import { readForecast, summarise } from '../forecast.ts';
import { Forecast, ForecastDate } from '../forecast-schema.ts';
import { round } from '../numeric.ts';
import type { Model } from '../params.ts';
import { Candidate, Explanation } from '../responses.ts';
import { Diagnostic, Met, PlanId, targetFields, Weather } from '../schema.ts';
import { explain, thermalResponse, warningsOf } from '../scoring/explain.ts';
import { nameOutfits } from '../scoring/naming.ts';
import { scoreTerms, shownScore } from '../scoring/score.ts';
import { DIAGNOSTICS } from '../texts/explanations.ts';
import { fill } from '../texts/texts.ts';
import {
  type CandidatesRequest,
  checkRequired,
  MAX_ITEMS,
  RUN_ALWAYS,
  wardrobeFields,
} from '../wardrobe/wardrobe-request.ts';
import { packCapsule } from './capsule.ts';
import { type DayList, listOutfits, needsWashing, redress } from './trip-outfits.ts';

const MAX_DAYS = 14;

const TripDay = z.strictObject({
  date: ForecastDate,
  weather: Weather.optional().meta({ description: 'Default: that of `forecast` on this date' }),
  met: Met,
  occasion: targetFields.occasion,
  plan: PlanId.optional().meta({ description: 'Default `outdoor`' }),
  indoorTempC: targetFields.indoorTempC,
});
type TripDay = z.infer<typeof TripDay>;

const { plan: _, must: _must, ...wardrobe } = wardrobeFields;
const { userProfile, cloOffset } = targetFields;

/** Checks that dates occur once, and that each day has weather. */
function checkDays(
  body: { days?: unknown; forecast?: unknown } | null,
  context: z.RefinementCtx,
): void {
  const { days, forecast } = body ?? {};
  if (!Array.isArray(days)) return;
  const dates = days.slice(0, MAX_DAYS).map((day: Partial<TripDay> | null) => day?.date);
  dates.forEach((date, at) => {
    const issue = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: ['days', at, field], message });
    if (date !== undefined && dates.indexOf(date) < at) issue('date', 'This date occurs twice');
    if (days[at] instanceof Object && days[at].weather === undefined && forecast === undefined)
      issue('weather', 'is needed without `forecast`');
  });
}

export const TripRequest = z
  .strictObject({
    days: z.array(TripDay).min(1).max(MAX_DAYS),
    forecast: Forecast.optional().meta({
      description: 'Of Open-Meteo or MET Norway, as it comes, for days without `weather`',
    }),
    maxItems: z.number().int().min(1).max(MAX_ITEMS).meta({
      description: 'Items that all outfits have together, at most',
    }),
    wearsBeforeWash: z.number().int().min(1).max(MAX_DAYS).optional().meta({
      description:
        'Days on which a top, dress, bottom, underlayer or pair of socks is worn; any by default',
    }),
    userProfile,
    cloOffset,
    ...wardrobe,
  })
  .superRefine(checkRequired, RUN_ALWAYS)
  .superRefine(checkDays, RUN_ALWAYS)
  .meta({ id: 'TripRequest' });
export type TripRequest = z.infer<typeof TripRequest>;

export const TripResponse = z
  .strictObject({
    itemIds: z.array(z.string()).meta({ description: 'What to take along' }),
    days: z.array(
      z.strictObject({
        date: z.string(),
        outfit: Candidate.extend({
          name: z.string(),
          score: z.number().min(0).max(100),
          warnings: z.array(z.string()),
          explanation: z.array(Explanation),
        })
          .nullable()
          .meta({ description: 'Null if no outfit is left within the limits' }),
      }),
    ),
    gap: z.number().min(0).meta({
      description: 'Points by which the mean score could be better; 0: proved optimal',
    }),
    diagnostics: z.array(Diagnostic),
    paramsVersion: z.string(),
  })
  .meta({ id: 'TripResponse' });
export type TripResponse = z.infer<typeof TripResponse>;

/** The request for one day, as the search takes it. */
const dayRequest = (
  request: TripRequest,
  { plan = 'outdoor', ...day }: TripDay & { weather: Weather },
): CandidatesRequest => ({ ...request, ...day, plan });

/** The days with their weather. @throws Problem invalid-request if the forecast lacks one */
function readDays(model: Model, { days, forecast }: TripRequest) {
  const reader = forecast && readForecast(forecast);
  return days.map((day, at) => ({
    ...day,
    weather: day.weather ?? summarise(model, reader?.hoursOf(day.date, `/days/${at}/date`) ?? []),
  }));
}

/** A trip is of few items, so none of its outfits is said to repeat another. */
const WITHOUT_REPEAT = 1;

/** Socks wear out on a trip: one goes without rather than nowhere, unless they are required. */
function withoutSocks(problem: SearchProblem, pins: readonly string[] = []): SearchProblem {
  const isRequired = problem.wardrobe.slots.socks.some(({ item }) =>
    pins.includes(item.garment.id),
  );
  if (isRequired) return problem;
  const templates = problem.templates.map((template) => ({
    ...template,
    fixed: new Set([...template.fixed].filter((slot) => slot !== 'socks')),
  }));
  return { ...problem, templates };
}

/** Chooses what to take on a trip, and an outfit for each day. @throws Problem invalid-request */
export function computeTrip(model: Model, request: TripRequest): TripResponse {
  const days = readDays(model, request);
  const garments = readGarments(model, request);
  const indexOf = new Map(garments.map(({ id }, index) => [id, index]));
  const problems = days.map((day) => {
    const own = dayRequest(request, day);
    const problem = createSearchProblem(model, own, readGarments(model, own), false);
    return { problem: withoutSocks(problem, request.pin), indexOf };
  });
  const { maxItems, wearsBeforeWash: maxWears = MAX_DAYS, locale = 'en' } = request;
  const lists = problems.map((problem) => listOutfits(problem, days.length));
  const limits = { itemCount: garments.length, maxItems, maxWears };
  const isWorn = request.pin?.some((id) => needsWashing(model, garments[indexOf.get(id)!]!));
  const maxDays = isWorn ? maxWears : days.length;
  const packed = packCapsule({ days: lists, ...limits, maxDays });
  const outfits = redress(problems, garments, packed.outfits, limits);
  const score = outfits.reduce((sum, outfit) => sum + (outfit?.score ?? 0), 0);

  const worn = new Set<string>();
  const responses = days.map(({ date }, day) => {
    const chosen = outfits[day];
    if (!chosen) return { date, outfit: null };
    const { ensemble, score: own } = chosen.solution;
    const { context } = problems[day]!.problem;
    const candidate = toCandidate(ensemble);
    for (const id of candidate.itemIds) worn.add(id);
    const thermal = thermalResponse(context, ensemble);
    const [name = ''] = nameOutfits(context, [{ ensemble, icl: thermal.icl }], locale);
    const outfit = {
      ...candidate,
      name,
      score: round(100 * shownScore(model, own), 1),
      warnings: warningsOf(context, thermal),
      explanation: explain(
        context,
        ensemble,
        scoreTerms(context, ensemble),
        thermal,
        WITHOUT_REPEAT,
        locale,
      ),
    };
    return { date, outfit };
  });
  return {
    itemIds: request.items.map(({ id }) => id).filter((id) => worn.has(id)),
    days: responses,
    gap: round((100 * Math.max(0, packed.upperBound - score)) / days.length, 3),
    diagnostics: tripDiagnostics(
      problems.map(({ problem }) => problem),
      lists,
      responses,
      locale,
    ),
    paramsVersion: model.version,
  };
}

/** Why items were excluded on any day, and how many days are without an outfit within the limits. */
function tripDiagnostics(
  problems: readonly SearchProblem[],
  lists: readonly DayList[],
  days: TripResponse['days'],
  locale: Locale,
): TripResponse['diagnostics'] {
  const distinct = new Map<string, TripResponse['diagnostics'][number]>();
  for (const diagnostic of problems.flatMap(({ diagnostics }) => diagnostics)) {
    const key = `${diagnostic.code} ${diagnostic.slot}`;
    if (!distinct.has(key)) distinct.set(key, diagnostic);
  }
  const count = days.filter(
    ({ outfit }, day) => outfit === null && lists[day]!.outfits.length > 0,
  ).length;
  const code = 'limits-too-tight';
  const detail = fill(DIAGNOSTICS[code][locale], { count: String(count) });
  return [...distinct.values(), ...(count > 0 ? [{ code, detail }] : [])];
}
