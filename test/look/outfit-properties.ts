import { createSearchProblem, readGarments } from '../../src/look/candidates/problem.ts';
import { computeDay, DayRequest, DayResponse } from '../../src/look/day.ts';
import { readSigningKeys } from '../../src/look/digest.ts';
import { computeCandidates, computeOutfits, computeScore } from '../../src/look/outfits.ts';
import type { Model } from '../../src/look/params.ts';
import {
  CandidatesResponse,
  type Outfit,
  OutfitsResponse,
  ScoreResponse,
} from '../../src/look/responses.ts';
import { computeTrip, TripRequest, TripResponse } from '../../src/look/trips/trip.ts';
import { assembleEnsemble, canCombine } from '../../src/look/wardrobe/ensemble.ts';
import { readGarment } from '../../src/look/wardrobe/garment-clo.ts';
import {
  CandidatesRequest,
  MAX_CANDIDATES,
  OutfitsRequest,
  ScoreRequest,
} from '../../src/look/wardrobe/wardrobe-request.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { WardrobeItem } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { LOCALES } from '../../src/taxonomy/dictionary/schema.ts';
import { drawDay, drawWardrobe, type Random } from './wardrobes.ts';

const keys = readSigningKeys('test:a-key-that-guards-nothing');

/** The engine, with the number of requests it has computed. */
function createEngine(model: Model) {
  let requests = 0;
  const counted =
    <R, A>(compute: (request: A) => R) =>
    (request: A): R => {
      requests += 1;
      return compute(request);
    };
  return {
    model,
    requests: () => requests,
    candidates: counted((request: CandidatesRequest) => computeCandidates(model, keys, request)),
    score: counted((request: ScoreRequest) => computeScore(model, keys, request)),
    outfits: counted((request: OutfitsRequest) => computeOutfits(model, keys, request)),
    day: counted((request: DayRequest) => computeDay(model, request)),
    trip: counted((request: TripRequest) => computeTrip(model, request)),
    /** Whether a body is rejected, and only because of these fields. */
    rejects: counted(({ body, pointers }: { body: object; pointers: readonly string[] }) => {
      const issues = CandidatesRequest.safeParse(body).error?.issues ?? [];
      const found = issues.map(({ path }) => path.join('/'));
      return same([...new Set(found)].sort(), [...pointers].sort());
    }),
  };
}
type Engine = ReturnType<typeof createEngine>;

/** A random small wardrobe, some of it unavailable, for a random day. */
function drawRequest(random: Random, maxItems: number): CandidatesRequest {
  const items = drawWardrobe(random, random.below(maxItems + 1), 0.6).map((item) => ({
    ...item,
    ...(random.next() < 0.1 && { available: false }),
    ...(random.next() < 0.1 && { favorite: true }),
    ...(random.next() < 0.3 && { lastWornDaysAgo: random.below(20) }),
  }));
  const some = (share: number) => items.flatMap(({ id }) => (random.next() < share ? [id] : []));
  const must = items
    .filter(({ available }) => available !== false && random.next() < 0.03)
    .map(({ id }) => id)
    .slice(0, 6);
  return CandidatesRequest.parse({
    ...drawDay(random),
    plan: random.pick(['indoor', 'outdoor']),
    items,
    must,
    exclude: some(0.05).filter((id) => !must.includes(id)),
    limit: 1 + random.below(30),
    locale: random.pick(LOCALES),
  });
}

type Check = readonly [violation: string, holds: boolean];

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const isDistinct = (all: readonly string[]) => new Set(all).size === all.length;
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const isDescending = (all: readonly number[]) => all.every((one, at) => !(one > all[at - 1]!));

/** Whether every number in a response is finite. */
function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return !(value instanceof Object) || Object.values(value).every(hasFiniteNumbers);
}

/** Whether a name is a text without numbers, but for ids of items of which there are others alike. */
function isName(name: string, items: readonly WardrobeItem[]): boolean {
  const alike = items.filter(({ category }) => items.filter((o) => o.category === category)[1]);
  const rest = alike.reduce((text, { id }) => text.replaceAll(id, ''), name);
  return name.length > 0 && !/\d|\{|\}|undefined/.test(rest);
}

/** Outdoors nobody wears more than the wardrobe; in every plan some underwear is assumed. */
function isWarmthBounded({ thermal: { icl, iclTarget, ppd } }: Pick<Outfit, 'thermal'>): boolean {
  return icl >= 0 && icl <= 12 && iclTarget >= 0 && iclTarget <= 12 && ppd >= 5 && ppd <= 100;
}

function candidateChecks(engine: Engine, request: CandidatesRequest): Check[] {
  const { model } = engine;
  const response = engine.candidates(request);
  const { candidates, gap, totalValid, truncated } = response;
  const byId = new Map(request.items.map((item) => [item.id, item]));
  const must = request.must ?? [];
  const isAllowed = (id: string) =>
    must.includes(id) ||
    (byId.get(id)?.available !== false && byId.has(id) && !request.exclude?.includes(id));
  const isOutfit = (ids: readonly string[]) =>
    typeof assembleEnsemble(
      model,
      ids.flatMap((id) => {
        const item = byId.get(id);
        return item ? [readGarment(model, item)] : [];
      }),
    ) !== 'string';
  const reversed = { ...request, items: [...request.items].reverse() };
  return [
    ['candidates: schema', CandidatesResponse.safeParse(response).success],
    ['candidates: finite', hasFiniteNumbers(response)],
    ['candidates: duplicates', isDistinct(candidates.map(({ id }) => id))],
    ['candidates: limit', candidates.length <= (request.limit ?? 0)],
    ['candidates: count', BigInt(totalValid) >= BigInt(candidates.length)],
    [
      'candidates: filled',
      truncated ||
        BigInt(candidates.length) === min(BigInt(request.limit ?? 0), BigInt(totalValid)),
    ],
    ['candidates: gap', gap >= 0 && (gap === 0 || truncated)],
    ['candidates: wearable', candidates.every(({ itemIds }) => itemIds.every(isAllowed))],
    [
      'candidates: must',
      candidates.every(({ itemIds }) => must.every((id) => itemIds.includes(id))),
    ],
    ['candidates: outfit', candidates.every(({ itemIds }) => isOutfit(itemIds))],
    ['candidates: order of items', same(engine.candidates(reversed).candidates, candidates)],
    ...scoreChecks(engine, request, response),
  ];
}

function scoreChecks(
  engine: Engine,
  request: CandidatesRequest,
  { targets, candidates }: CandidatesResponse,
): Check[] {
  if (candidates.length === 0) return [];
  const { items, plan, locale } = request;
  const derived = ScoreRequest.parse({ targets, candidates, items, locale });
  const response = engine.score(derived);
  const reversed = { ...derived, candidates: [...derived.candidates].reverse() };
  const { ranked } = response;
  const scoreOf = new Map(ranked.map(({ candidateId, score }) => [candidateId, score]));
  return [
    ['score: schema', ScoreResponse.safeParse(response).success],
    ['score: finite', hasFiniteNumbers(response)],
    ['score: all', ranked.length === candidates.length],
    ['score: ranks', ranked.every(({ rank }, at) => rank === at + 1)],
    ['score: range', ranked.every(({ score }) => score >= 0 && score <= 100)],
    ['score: warmth', ranked.every(isWarmthBounded)],
    ['score: plan', ranked.every(({ thermal }) => thermal.plan === plan)],
    ['score: as candidates', isDescending(candidates.map(({ id }) => scoreOf.get(id)!))],
    ['score: order of candidates', same(engine.score(reversed), response)],
  ];
}

/** What holds for every list of outfits. */
function listChecks(response: OutfitsResponse, { items }: Pick<OutfitsRequest, 'items'>): Check[] {
  const { outfits, gap, truncated } = response;
  return [
    ['outfits: schema', OutfitsResponse.safeParse(response).success],
    ['outfits: finite', hasFiniteNumbers(response)],
    ['outfits: ranks', outfits.every(({ rank }, at) => rank === at + 1)],
    ['outfits: names', isDistinct(outfits.map(({ name }) => name))],
    ['outfits: names without numbers', outfits.every(({ name }) => isName(name, items))],
    ['outfits: duplicates', isDistinct(outfits.map(({ id }) => id))],
    ['outfits: range', outfits.every(({ score }) => score >= 0 && score <= 100)],
    ['outfits: warmth', outfits.every(isWarmthBounded)],
    ['outfits: gap', gap >= 0 && (gap === 0 || truncated)],
    [
      'outfits: texts',
      outfits.every(({ explanation }) =>
        explanation.every(({ text }) => !/\{|\}|undefined|NaN/.test(text)),
      ),
    ],
  ];
}

function outfitChecks(engine: Engine, request: CandidatesRequest): Check[] {
  const { limit: most = 1, ...rest } = request;
  const limit = Math.min(most, 5);
  const derived = OutfitsRequest.parse({ ...rest, limit });
  const response = engine.outfits(derived);
  const pool = Math.min(MAX_CANDIDATES, limit * engine.model.k.search.pool);
  const { candidates, targets } = engine.candidates({ ...request, limit: pool });
  const { items, locale } = request;
  const ranked =
    candidates.length > 0
      ? engine.score(ScoreRequest.parse({ targets, candidates, items, locale })).ranked
      : [];
  const idAndScore = ranked.slice(0, limit).map(({ candidateId, score }) => [candidateId, score]);
  return [
    ...listChecks(response, derived),
    [
      'outfits: as candidates and score',
      same(
        response.outfits.map(({ id, score }) => [id, score]),
        idAndScore,
      ),
    ],
    ['outfits: again', same(engine.outfits(derived), response)],
  ];
}

/** Pins are in every outfit, or rejected because they exclude each other. */
function pinChecks(engine: Engine, random: Random, request: CandidatesRequest): Check[] {
  const { limit: _, must: _must, ...rest } = request;
  const free = request.items.filter(
    ({ id, available }) => available !== false && !request.exclude?.includes(id),
  );
  const pinned = free.filter(() => random.next() < 1.5 / Math.max(1, free.length)).slice(0, 4);
  const pin = pinned.map(({ id }) => id);
  const derived = OutfitsRequest.parse({ ...rest, pin, limit: 3 });
  try {
    const response = engine.outfits(derived);
    const isKept = response.outfits.every(({ itemIds }) => pin.every((id) => itemIds.includes(id)));
    return [...listChecks(response, derived), ['pin: kept', isKept]];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const garments = pinned.map((item) => readGarment(engine.model, item));
    return [
      ['pin: rejected', error.type === 'invalid-request'],
      ['pin: named', (error.errors ?? []).every(({ pointer }) => pointer.startsWith('/pin'))],
      ['pin: rejected in vain', !canCombine(engine.model, garments)],
    ];
  }
}

const VISIBLE = ['outer', 'mid', 'main', 'bottom', 'shoes', 'belt', 'tie', 'eyes', 'bag'] as const;

/** Any two outfits share at most half of the visible pieces of the smaller. */
function varietyChecks(engine: Engine, random: Random, request: CandidatesRequest): Check[] {
  const { limit: _, ...rest } = request;
  const variety = 2 + random.below(3);
  const derived = OutfitsRequest.parse({ ...rest, variety });
  const response = engine.outfits(derived);
  const pieces = response.outfits.map(({ slots }) => VISIBLE.flatMap((slot) => slots[slot] ?? []));
  const isVaried = pieces.every((a, at) =>
    pieces.slice(at + 1).every((b) => {
      const shared = a.filter((id) => b.includes(id)).length;
      return shared <= Math.min(a.length, b.length) / 2;
    }),
  );
  const isShort = response.diagnostics.some(({ code }) => code === 'too-similar');
  return [
    ['variety: schema', OutfitsResponse.safeParse(response).success],
    ['variety: finite', hasFiniteNumbers(response)],
    ['variety: differ', isVaried],
    ['variety: counted', isShort === response.outfits.length < variety],
    ['variety: ranks', response.outfits.every(({ rank }, at) => rank === at + 1)],
    ['variety: gap', response.gap >= 0],
  ];
}

const WASHED = ['main', 'bottom', 'underTop', 'underBottom', 'socks'] as const;

/**
 * The items that a day allows. Some are left out only because others serve their region, so fewer
 * items would allow more.
 */
function allowedItems({ model }: Engine, day: object, { items, exclude }: TripRequest) {
  const request = CandidatesRequest.parse({ ...day, items, exclude });
  const { wardrobe } = createSearchProblem(model, request, readGarments(model, request), false);
  const ids = new Set([...wardrobe.groupOf.keys()].map(({ id }) => id));
  return items.filter(({ id }) => ids.has(id));
}

/** Sum of scores if each day in turn wears the best of what is not worn out, as far as it fits. */
function dressInTurn(engine: Engine, request: TripRequest): number {
  const { days, exclude, locale, wearsBeforeWash = 14 } = request;
  const taken = new Set<string>();
  const worn: string[] = [];
  let sum = 0;
  for (const { date: _, ...rest } of days) {
    const day = { plan: 'outdoor', ...rest };
    const left = allowedItems(engine, day, request).filter(
      ({ id }) => worn.filter((one) => one === id).length < wearsBeforeWash,
    );
    const body = { ...day, items: left, exclude, locale, limit: 1 };
    const [best] = engine.outfits(OutfitsRequest.parse(body)).outfits;
    if (!best || new Set([...taken, ...best.itemIds]).size > request.maxItems) continue;
    for (const id of best.itemIds) taken.add(id);
    worn.push(...WASHED.flatMap((slot) => best.slots[slot] ?? []));
    sum += best.score;
  }
  return sum;
}

/** Scores have one decimal, and are means of the days. */
const ROUNDING = 0.11;

function tripChecks(engine: Engine, random: Random, request: CandidatesRequest): Check[] {
  const { items, exclude, locale } = request;
  const days = Array.from({ length: 1 + random.below(4) }, (_, at) => ({
    date: `2026-11-0${at + 1}`,
    ...drawDay(random),
  }));
  const maxItems = 1 + random.below(8);
  const wearsBeforeWash = 1 + random.below(3);
  const body = { days, items, exclude, locale, maxItems, wearsBeforeWash };
  const derived = TripRequest.parse(body);
  const response = engine.trip(derived);
  const outfits = response.days.flatMap(({ outfit }) => outfit ?? []);
  const worn = new Set(outfits.flatMap((outfit) => outfit.itemIds));
  const isWashed = (id: string) =>
    !items.some((item) => item.id === id && /^(ski|rain)_trousers$/.test(item.category));
  const wears = outfits.flatMap(({ slots }) =>
    WASHED.flatMap((slot) => slots[slot] ?? []).filter(isWashed),
  );
  const score = outfits.reduce((sum, outfit) => sum + outfit.score, 0) / days.length;
  const inTurn = dressInTurn(engine, derived) / days.length;
  return [
    ['trip: schema', TripResponse.safeParse(response).success],
    ['trip: finite', hasFiniteNumbers(response)],
    ['trip: max items', response.itemIds.length <= maxItems],
    ['trip: items', same([...worn].sort(), [...response.itemIds].sort())],
    ['trip: excluded', response.itemIds.every((id) => !exclude?.includes(id))],
    [
      'trip: wears',
      wears.every((id) => wears.filter((one) => one === id).length <= wearsBeforeWash),
    ],
    [
      'trip: days',
      same(
        response.days.map(({ date }) => date),
        days.map(({ date }) => date),
      ),
    ],
    [
      'trip: texts',
      outfits.every(({ explanation }) =>
        explanation.every(({ text }) => !/\{|\}|undefined|NaN/.test(text)),
      ),
    ],
    ['trip: names', outfits.every(({ name }) => isName(name, items))],
    ['trip: gap', response.gap >= 0],
    ['trip: gap holds', score + response.gap >= inTurn - ROUNDING],
  ];
}

/** Bodies that contradict themselves are rejected where they do. */
function contradictionChecks(engine: Engine, random: Random, request: CandidatesRequest): Check[] {
  const [item] = request.items;
  if (!item) return [];
  const field = random.pick(['must', 'pin'] as const);
  const { id } = item;
  const items = request.items.map((one, at) => (at === 0 ? { ...one, available: true } : one));
  const body = { ...request, items, must: [], exclude: [], [field]: [id] };
  const unavailable = items.map((one, at) => (at === 0 ? { ...one, available: false } : one));
  const at0 = [`${field}/0`];
  return [
    ['contradiction: none', engine.rejects({ body, pointers: [] })],
    ['contradiction: exclude', engine.rejects({ body: { ...body, exclude: [id] }, pointers: at0 })],
    [
      'contradiction: available',
      engine.rejects({ body: { ...body, items: unavailable }, pointers: at0 }),
    ],
    [
      'contradiction: twice',
      engine.rejects({ body: { ...body, [field]: [id, id] }, pointers: [`${field}/1`] }),
    ],
    [
      'contradiction: unknown',
      engine.rejects({ body: { ...body, [field]: ['none'] }, pointers: at0 }),
    ],
  ];
}

function dayChecks(engine: Engine, random: Random, request: CandidatesRequest): Check[] {
  const { weather, met } = request;
  const hours = Array.from({ length: 1 + random.below(6) }, () => ({
    weather: { ...weather, tempC: Math.round(random.between(-20, 35)) },
    met,
    place: random.pick(['indoor', 'outdoor']),
  }));
  const { items, must, exclude, occasion } = request;
  const response = engine.day(DayRequest.parse({ hours, items, must, exclude, occasion }));
  const outfit = new Set(response.outfit?.itemIds);
  const fits = response.hours.map(({ fit }) => fit);
  return [
    ['day: schema', DayResponse.safeParse(response).success],
    ['day: finite', hasFiniteNumbers(response)],
    ['day: an hour for an hour', response.hours.length === (response.outfit ? hours.length : 0)],
    [
      'day: one outfit',
      response.hours.every(({ wearIds }) => wearIds.every((id) => outfit.has(id))),
    ],
    ['day: worst', response.outfit === null || response.worst?.fit === Math.min(...fits)],
  ];
}

/** Violations in the responses to random requests about one wardrobe, and how many requests that were. */
export function outfitViolations(model: Model, random: Random, maxItems = 29) {
  const engine = createEngine(model);
  const request = drawRequest(random, maxItems);
  const checks = [
    ...candidateChecks(engine, request),
    ...outfitChecks(engine, request),
    ...pinChecks(engine, random, request),
    ...varietyChecks(engine, random, request),
    ...tripChecks(engine, random, request),
    ...contradictionChecks(engine, random, request),
    ...dayChecks(engine, random, request),
  ];
  const violations = checks.filter(([, holds]) => !holds).map(([violation]) => violation);
  return { request, violations, requests: engine.requests() };
}
