import { computeDay, DayRequest, DayResponse } from '../../src/look/day.ts';
import { readSigningKeys } from '../../src/look/digest.ts';
import { computeCandidates, computeOutfits, computeScore } from '../../src/look/outfits.ts';
import type { Model } from '../../src/look/params.ts';
import { CandidatesResponse, OutfitsResponse, ScoreResponse } from '../../src/look/responses.ts';
import { dress } from '../../src/look/wardrobe/ensemble.ts';
import { garmentOf } from '../../src/look/wardrobe/garment-clo.ts';
import {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from '../../src/look/wardrobe/wardrobe-request.ts';
import { type Chance, drawDay, drawWardrobe } from './wardrobes.ts';

const keys = readSigningKeys('laws:a-key-that-guards-nothing');

/** A small wardrobe, some of it away, for a day somewhere. */
function drawRequest(chance: Chance): CandidatesRequest {
  const items = drawWardrobe(chance, chance.below(30), 0.6).map((item) => ({
    ...item,
    ...(chance.next() < 0.1 && { available: false }),
    ...(chance.next() < 0.1 && { favorite: true }),
    ...(chance.next() < 0.3 && { lastWornDaysAgo: chance.below(20) }),
  }));
  const some = (share: number) => items.flatMap(({ id }) => (chance.next() < share ? [id] : []));
  const must = some(0.03).slice(0, 6);
  return CandidatesRequest.parse({
    ...drawDay(chance),
    plan: chance.pick(['indoor', 'outdoor']),
    items,
    must,
    exclude: some(0.05).filter((id) => !must.includes(id)),
    limit: 1 + chance.below(30),
  });
}

type Check = readonly [fault: string, holds: boolean];

const isDistinct = (all: readonly string[]) => new Set(all).size === all.length;
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function candidateChecks(model: Model, request: CandidatesRequest): Check[] {
  const answer = computeCandidates(model, keys, request);
  const { candidates, gap, totalValid, truncated } = answer;
  const byId = new Map(request.items.map((item) => [item.id, item]));
  const must = request.must ?? [];
  const mayWear = (id: string) =>
    must.includes(id) ||
    (byId.get(id)?.available !== false && byId.has(id) && !request.exclude?.includes(id));
  const isOutfit = (ids: readonly string[]) =>
    typeof dress(
      model,
      ids.flatMap((id) => {
        const item = byId.get(id);
        return item ? [garmentOf(model, item)] : [];
      }),
    ) !== 'string';
  const turned = { ...request, items: [...request.items].reverse() };
  return [
    ['candidates: form', CandidatesResponse.safeParse(answer).success],
    ['candidates: twice', isDistinct(candidates.map(({ id }) => id))],
    ['candidates: limit', candidates.length <= (request.limit ?? 0)],
    ['candidates: count', BigInt(totalValid) >= BigInt(candidates.length)],
    ['candidates: none of some', candidates.length > 0 || BigInt(totalValid) === 0n],
    ['candidates: gap', gap >= 0 && (gap === 0 || truncated)],
    ['candidates: wearable', candidates.every(({ itemIds }) => itemIds.every(mayWear))],
    ['candidates: outfit', candidates.every(({ itemIds }) => isOutfit(itemIds))],
    [
      'candidates: order of items',
      same(computeCandidates(model, keys, turned).candidates, candidates),
    ],
    ...scoreChecks(model, request, answer),
  ];
}

function scoreChecks(
  model: Model,
  request: CandidatesRequest,
  { targets, candidates }: CandidatesResponse,
): Check[] {
  if (candidates.length === 0) return [];
  const { items, plan } = request;
  const asked = ScoreRequest.parse({ targets, candidates, items, plan });
  const answer = computeScore(model, keys, asked);
  const backwards = { ...asked, candidates: [...asked.candidates].reverse() };
  const { ranked } = answer;
  return [
    ['score: form', ScoreResponse.safeParse(answer).success],
    ['score: all', ranked.length === candidates.length],
    ['score: ranks', ranked.every(({ rank }, at) => rank === at + 1)],
    ['score: range', ranked.every(({ score }) => score >= 0 && score <= 100)],
    ['score: order of candidates', same(computeScore(model, keys, backwards), answer)],
  ];
}

function outfitChecks(model: Model, request: CandidatesRequest): Check[] {
  const { limit = 1, ...rest } = request;
  const asked = OutfitsRequest.parse({ ...rest, limit: Math.min(limit, 5) });
  const answer = computeOutfits(model, keys, asked);
  const { outfits } = answer;
  return [
    ['outfits: form', OutfitsResponse.safeParse(answer).success],
    ['outfits: names', isDistinct(outfits.map(({ name }) => name))],
    ['outfits: twice', isDistinct(outfits.map(({ id }) => id))],
    ['outfits: range', outfits.every(({ score }) => score >= 0 && score <= 100)],
    ['outfits: again', same(computeOutfits(model, keys, asked), answer)],
  ];
}

function dayChecks(model: Model, chance: Chance, request: CandidatesRequest): Check[] {
  const { weather, met } = request;
  const hours = Array.from({ length: 1 + chance.below(6) }, () => ({
    weather: { ...weather, tempC: Math.round(chance.between(-20, 35)) },
    met,
    place: chance.pick(['indoor', 'outdoor']),
  }));
  const { items, must, exclude, occasion } = request;
  const answer = computeDay(model, DayRequest.parse({ hours, items, must, exclude, occasion }));
  const outfit = new Set(answer.outfit?.itemIds);
  const fits = answer.hours.map(({ fit }) => fit);
  return [
    ['day: form', DayResponse.safeParse(answer).success],
    ['day: an hour for an hour', answer.hours.length === (answer.outfit ? hours.length : 0)],
    ['day: one outfit', answer.hours.every(({ wearIds }) => wearIds.every((id) => outfit.has(id)))],
    ['day: worst', answer.outfit === null || answer.worst?.fit === Math.min(...fits)],
  ];
}

/** What is wrong with the answers to one random request about a wardrobe, in words. */
export function outfitFaults(model: Model, chance: Chance) {
  const request = drawRequest(chance);
  const checks = [
    ...candidateChecks(model, request),
    ...outfitChecks(model, request),
    ...dayChecks(model, chance, request),
  ];
  return { request, faults: checks.filter(([, holds]) => !holds).map(([fault]) => fault) };
}
