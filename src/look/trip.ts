import { z } from 'zod';
import type { Locale } from '../taxonomy/dictionary/schema.ts';
import { Forecast, ForecastDate, readForecast, summarise } from './forecast.ts';
import { round } from './numeric.ts';
import type { Model } from './params.ts';
import { Candidate, Diagnostic } from './responses.ts';
import { Met, PlanId, targetFields, Weather } from './schema.ts';
import { thermalSensation } from './scoring/explain.ts';
import { nameOutfits } from './scoring/naming.ts';
import { sumEnsemble } from './scoring/score.ts';
import {
  createSearchProblem,
  readGarments,
  type SearchProblem,
  toCandidate,
} from './search/candidates.ts';
import { type DayOutfit, packCapsule, packQuickly } from './search/capsule.ts';
import type { Solution } from './search/leaf.ts';
import { search } from './search/search.ts';
import { DIAGNOSTICS } from './texts/explanations.ts';
import { fill } from './texts/texts.ts';
import { CORE_SLOTS, itemsOf, mapEnsemble, SLOTS, type Slot } from './wardrobe/ensemble.ts';
import type { Garment } from './wardrobe/garment-clo.ts';
import type { CoreSlot, Template } from './wardrobe/templates.ts';
import type { Group } from './wardrobe/wardrobe.ts';
import {
  type CandidatesRequest,
  checkRequired,
  MAX_ITEMS,
  RUN_ALWAYS,
  wardrobeFields,
} from './wardrobe/wardrobe-request.ts';

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
        outfit: Candidate.extend({ name: z.string(), score: z.number().min(0).max(100) })
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

/** Slots whose garments need washing. */
const WASHED_SLOTS: readonly Slot[] = ['main', 'bottom', 'underTop', 'underBottom', 'socks'];

/** Outfits listed for each day, from the whole wardrobe and from what seems worth taking. */
const MAX_LISTED = 200;
/** Of each template, without extras. */
const MAX_PLAIN = 50;
/** Nodes of all searches of one kind together, so that a long trip takes no longer than a short one. */
const MAX_NODES = 10_000;
/** Garments of a slot worth taking, if they need no washing; else so many more than are needed. */
const MAX_PER_SLOT = 3;

/** The request for one day, as the search takes it. */
function dayRequest(
  request: TripRequest,
  { weather, met, occasion, indoorTempC, plan = 'outdoor' }: TripDay & { weather: Weather },
): CandidatesRequest {
  const { userProfile, cloOffset, items, exclude, pin, seed, locale } = request;
  return {
    weather,
    met,
    occasion,
    indoorTempC,
    plan,
    userProfile,
    cloOffset,
    items,
    exclude,
    pin,
    seed,
    locale,
  };
}

/** The days with their weather. @throws Problem invalid-request if the forecast lacks one */
function readDays(model: Model, { days, forecast }: TripRequest) {
  const reader = forecast && readForecast(forecast);
  return days.map((day, at) => ({
    ...day,
    weather: day.weather ?? summarise(model, reader?.hoursOf(day.date, `/days/${at}/date`) ?? []),
  }));
}

/** An outfit that one day can have, as it was found. */
interface ListedOutfit extends DayOutfit {
  readonly slots: { readonly [S in Slot]?: number };
  readonly solution: Solution;
}

/** The outfits of a day that are tried, best first. */
interface DayList {
  readonly outfits: readonly ListedOutfit[];
  /** At least the score of every other outfit; 0 if there is none. */
  readonly unlistedBound: number;
}

/** Outfits of several searches, each once, best first. */
function mergeOutfits(lists: readonly (readonly ListedOutfit[])[]): ListedOutfit[] {
  const distinct = new Map<string, ListedOutfit>();
  for (const outfit of lists.flat().sort((a, b) => b.score - a.score)) {
    const key = [...outfit.items].sort((a, b) => a - b).join(' ');
    if (!distinct.has(key)) distinct.set(key, outfit);
  }
  return [...distinct.values()];
}

/**
 * Lists outfits of a day: the best with each combination of extras, and the best of each template
 * without extras. Those have fewer items and less points, but more of them fit into a suitcase.
 */
function listOutfits(
  problem: SearchProblem,
  indexOf: ReadonlyMap<string, number>,
  days: number,
): DayList {
  const { context, templates } = problem;
  const { thicknesses, nodes } = context.model.k.search;
  const find = (some: readonly Template[], size: number, everyExtras: number) =>
    search(
      { ...problem, templates: some },
      {
        size,
        keySlots: CORE_SLOTS,
        everyExtras,
        nodes: Math.ceil(Math.min(nodes, MAX_NODES / days)),
      },
    );
  const toListed = (solution: Solution): ListedOutfit => {
    const slots = mapEnsemble(solution.ensemble, ({ garment }) => indexOf.get(garment.id) ?? 0);
    return {
      items: itemsOf(slots),
      washed: WASHED_SLOTS.flatMap((slot) => slots[slot] ?? []),
      score: solution.score,
      slots,
      solution,
    };
  };
  const whole = find(templates, MAX_LISTED, thicknesses);
  const outfits = whole.solutions.map(toListed);
  if (outfits.length < MAX_LISTED && !whole.isTruncated) return { outfits, unlistedBound: 0 };
  const plain = templates.map((template) => find([template], MAX_PLAIN, 0).solutions.map(toListed));
  return {
    outfits: mergeOutfits([outfits, ...plain]),
    unlistedBound: (outfits.at(-1)?.score ?? 0) + whole.gap,
  };
}

/** The problem of a wardrobe that has only these garments left, by index. */
function restrict(problem: SearchProblem, isLeft: (garment: Garment) => boolean): SearchProblem {
  const keep = (groups: readonly Group[]) => groups.filter(({ item }) => isLeft(item.garment));
  const templates = problem.templates.flatMap((template): Template[] => {
    const core: { [S in CoreSlot]?: readonly Group[] } = {};
    for (const slot of CORE_SLOTS) {
      const groups = template.core[slot];
      if (!groups) continue;
      const left = keep(groups);
      if (left.length > 0) core[slot] = left;
      else if (slot !== 'over' || template.fixed.has(slot)) return [];
    }
    const { underTop, underBottom, socks, head, neck, hands } = template.extras;
    const extras = {
      underTop: keep(underTop),
      underBottom: keep(underBottom),
      socks: keep(socks),
      head: keep(head),
      neck: keep(neck),
      hands: keep(hands),
    };
    return [{ ...template, core, extras }];
  });
  return { ...problem, templates };
}

/**
 * What seems worth taking: what a first choice took, and in each slot the items with the best outfits
 * over all days.
 * @param perSlot items of slots whose garments need washing
 */
function shortlist(
  lists: readonly DayList[],
  taken: Iterable<number>,
  perSlot: number,
): ReadonlySet<number> {
  const left = new Set(taken);
  for (const slot of SLOTS) {
    const worth = new Map<number, number>();
    for (const { outfits } of lists) {
      const seen = new Set<number>();
      for (const { slots, score } of outfits) {
        const item = slots[slot];
        if (item === undefined || seen.has(item)) continue;
        seen.add(item);
        worth.set(item, (worth.get(item) ?? 0) + score);
      }
    }
    const ranked = [...worth].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b);
    const count = WASHED_SLOTS.includes(slot) ? perSlot : MAX_PER_SLOT;
    for (const [item] of ranked.slice(0, count)) left.add(item);
  }
  return left;
}

/** Chooses what to take on a trip, and an outfit for each day. @throws Problem invalid-request */
export function computeTrip(model: Model, request: TripRequest): TripResponse {
  const days = readDays(model, request);
  const garments = readGarments(model, request);
  const indexOf = new Map(garments.map(({ id }, index) => [id, index]));
  const problems = days.map((day) =>
    createSearchProblem(model, dayRequest(request, day), garments, false),
  );
  const { maxItems, wearsBeforeWash: maxWears = MAX_DAYS, locale = 'en' } = request;
  const capsuleOf = (lists: readonly DayList[]) => ({
    days: lists,
    itemCount: garments.length,
    maxItems,
    maxWears,
  });
  const first = problems.map((problem) => listOutfits(problem, indexOf, days.length));
  const taken = packQuickly(capsuleOf(first)).flatMap((outfit) => outfit?.items ?? []);
  const left = shortlist(first, taken, Math.ceil(days.length / maxWears) + MAX_PER_SLOT);
  const isLeft = ({ id }: Garment) => left.has(indexOf.get(id) ?? -1);
  const lists = problems.map((problem, day): DayList => {
    const { outfits, unlistedBound } = first[day]!;
    if (unlistedBound === 0) return first[day]!;
    const others = listOutfits(restrict(problem, isLeft), indexOf, days.length);
    return { outfits: mergeOutfits([outfits, others.outfits]), unlistedBound };
  });
  const { outfits, score, upperBound } = packCapsule(capsuleOf(lists));

  const worn = new Set<string>();
  const responses = days.map(({ date }, day) => {
    const chosen = lists[day]!.outfits.find((outfit) => outfit === outfits[day]);
    if (!chosen) return { date, outfit: null };
    const { ensemble, score: own } = chosen.solution;
    const { context } = problems[day]!;
    const candidate = toCandidate(ensemble);
    for (const id of candidate.itemIds) worn.add(id);
    const { icl } = thermalSensation(context, sumEnsemble(context, ensemble));
    const [name = ''] = nameOutfits(context, [{ ensemble, icl }], locale);
    return { date, outfit: { ...candidate, name, score: round(100 * own, 1) } };
  });
  return {
    itemIds: request.items.map(({ id }) => id).filter((id) => worn.has(id)),
    days: responses,
    gap: round((100 * (upperBound - score)) / days.length, 3),
    diagnostics: tripDiagnostics(problems, lists, responses, locale),
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
