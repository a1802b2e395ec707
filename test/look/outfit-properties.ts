import { computeDay, DayRequest, DayResponse } from '../../src/look/day.ts';
import { readSigningKeys } from '../../src/look/digest.ts';
import { computeCandidates, computeOutfits, computeScore } from '../../src/look/outfits.ts';
import type { Model } from '../../src/look/params.ts';
import { CandidatesResponse, OutfitsResponse, ScoreResponse } from '../../src/look/responses.ts';
import { assembleEnsemble } from '../../src/look/wardrobe/ensemble.ts';
import { readGarment } from '../../src/look/wardrobe/garment-clo.ts';
import {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from '../../src/look/wardrobe/wardrobe-request.ts';
import { drawDay, drawWardrobe, type Random } from './wardrobes.ts';

const keys = readSigningKeys('test:a-key-that-guards-nothing');

/** A random small wardrobe, some of it unavailable, for a random day. */
function drawRequest(random: Random): CandidatesRequest {
  const items = drawWardrobe(random, random.below(30), 0.6).map((item) => ({
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
  });
}

type Check = readonly [violation: string, holds: boolean];

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const isDistinct = (all: readonly string[]) => new Set(all).size === all.length;
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function candidateChecks(model: Model, request: CandidatesRequest): Check[] {
  const response = computeCandidates(model, keys, request);
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
    ['candidates: outfit', candidates.every(({ itemIds }) => isOutfit(itemIds))],
    [
      'candidates: order of items',
      same(computeCandidates(model, keys, reversed).candidates, candidates),
    ],
    ...scoreChecks(model, request, response),
  ];
}

function scoreChecks(
  model: Model,
  request: CandidatesRequest,
  { targets, candidates }: CandidatesResponse,
): Check[] {
  if (candidates.length === 0) return [];
  const { items, plan } = request;
  const derived = ScoreRequest.parse({ targets, candidates, items, plan });
  const response = computeScore(model, keys, derived);
  const reversed = { ...derived, candidates: [...derived.candidates].reverse() };
  const { ranked } = response;
  return [
    ['score: schema', ScoreResponse.safeParse(response).success],
    ['score: all', ranked.length === candidates.length],
    ['score: ranks', ranked.every(({ rank }, at) => rank === at + 1)],
    ['score: range', ranked.every(({ score }) => score >= 0 && score <= 100)],
    ['score: order of candidates', same(computeScore(model, keys, reversed), response)],
  ];
}

function outfitChecks(model: Model, request: CandidatesRequest): Check[] {
  const { limit = 1, ...rest } = request;
  const derived = OutfitsRequest.parse({ ...rest, limit: Math.min(limit, 5) });
  const response = computeOutfits(model, keys, derived);
  const { outfits } = response;
  return [
    ['outfits: ranks', outfits.every(({ rank }, at) => rank === at + 1)],
    ['outfits: schema', OutfitsResponse.safeParse(response).success],
    ['outfits: names', isDistinct(outfits.map(({ name }) => name))],
    ['outfits: duplicates', isDistinct(outfits.map(({ id }) => id))],
    ['outfits: range', outfits.every(({ score }) => score >= 0 && score <= 100)],
    ['outfits: again', same(computeOutfits(model, keys, derived), response)],
  ];
}

function dayChecks(model: Model, random: Random, request: CandidatesRequest): Check[] {
  const { weather, met } = request;
  const hours = Array.from({ length: 1 + random.below(6) }, () => ({
    weather: { ...weather, tempC: Math.round(random.between(-20, 35)) },
    met,
    place: random.pick(['indoor', 'outdoor']),
  }));
  const { items, must, exclude, occasion } = request;
  const response = computeDay(model, DayRequest.parse({ hours, items, must, exclude, occasion }));
  const outfit = new Set(response.outfit?.itemIds);
  const fits = response.hours.map(({ fit }) => fit);
  return [
    ['day: schema', DayResponse.safeParse(response).success],
    ['day: an hour for an hour', response.hours.length === (response.outfit ? hours.length : 0)],
    [
      'day: one outfit',
      response.hours.every(({ wearIds }) => wearIds.every((id) => outfit.has(id))),
    ],
    ['day: worst', response.outfit === null || response.worst?.fit === Math.min(...fits)],
  ];
}

/** Violations in the responses to one random request about a wardrobe. */
export function outfitViolations(model: Model, random: Random) {
  const request = drawRequest(random);
  const checks = [
    ...candidateChecks(model, request),
    ...outfitChecks(model, request),
    ...dayChecks(model, random, request),
  ];
  const violations = checks.filter(([, holds]) => !holds).map(([violation]) => violation);
  return { request, violations };
}
