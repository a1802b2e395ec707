import { Problem, type ValidationIssue } from '../platform/problem.ts';
import { personOf } from './comfort/profile.ts';
import { targetsAnswer, trustedSituation } from './comfort/signed-targets.ts';
import type { Situation } from './comfort/targets.ts';
import { canonicalJson, type SigningKeys } from './digest.ts';
import { round } from './numeric.ts';
import type { Model } from './params.ts';
import type { CandidatesResponse, OutfitsResponse, ScoreResponse } from './responses.ts';
import { type Judgement, judgementOf } from './scoring/context.ts';
import { nameAll } from './scoring/naming.ts';
import { type Entry, rank } from './scoring/rank.ts';
import { candidateId, garmentsOf, type Offer, offerOf, piecesOf } from './search/candidates.ts';
import { type ShellFinder, shellFinder } from './search/shell.ts';
import { dress, mostMilli } from './wardrobe/ensemble.ts';
import type { Garment } from './wardrobe/garment-clo.ts';
import type {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from './wardrobe/wardrobe-request.ts';

const USUAL_CANDIDATES = 50;
const USUAL_OUTFITS = 5;

/** What every answer about a wardrobe begins with. */
function frameOf(model: Model, keys: SigningKeys, offer: Offer) {
  const { situation, plan } = offer.judgement;
  return {
    ...targetsAnswer(model, keys, situation, plan),
    plan,
    diagnostics: offer.diagnostics,
    truncated: offer.truncated,
    gap: round(100 * offer.gap, 3),
  };
}

/** The best outfits of a wardrobe, unscored, with the targets that `computeScore` takes. */
export function computeCandidates(
  model: Model,
  keys: SigningKeys,
  request: CandidatesRequest,
): CandidatesResponse {
  const offer = offerOf(model, request, request.limit ?? USUAL_CANDIDATES);
  return {
    ...frameOf(model, keys, offer),
    candidates: offer.candidates.map(({ candidate }) => candidate),
    totalValid: offer.totalValid.toString(),
  };
}

/** What may be put on over a base outfit, of the garments at hand; none for the plan `outdoor`. */
function shellsFor(
  { model, plan, situation, mostMilli: most }: Judgement,
  items: ScoreRequest['items'],
  garments: readonly Garment[],
  excluded: ReadonlySet<string>,
): ShellFinder | undefined {
  if (plan === 'outdoor') return undefined;
  const atHand = garments.filter((_, at) => {
    const item = items[at];
    return (
      item && item.available !== false && item.lookEligible !== false && !excluded.has(item.id)
    );
  });
  return shellFinder(model, situation, atHand, most);
}

/** Where a request speaks of another person or errand than its targets were made for. */
function strayFaults(model: Model, request: ScoreRequest, situation: Situation): ValidationIssue[] {
  const { userProfile, cloOffset, occasion } = request;
  const strays: [string, boolean][] = [
    [
      '/userProfile',
      userProfile !== undefined &&
        canonicalJson({ ...personOf(model, userProfile) }) !==
          canonicalJson({ ...situation.person }),
    ],
    ['/cloOffset', cloOffset !== undefined && cloOffset !== situation.cloOffset],
    ['/occasion', occasion !== undefined && occasion !== situation.occasion],
  ];
  return strays
    .filter(([, isStray]) => isStray)
    .map(([pointer]) => ({ pointer, detail: 'differs from what the targets were made for' }));
}

/**
 * Scores candidates and puts them in order.
 * @throws Problem targets-altered, targets-expired, or invalid-request with every candidate that is
 * no outfit of these items
 */
export function computeScore(
  model: Model,
  keys: SigningKeys,
  request: ScoreRequest,
): ScoreResponse {
  const situation = trustedSituation(model, keys, request.targets);
  const all = garmentsOf(model, request);
  const garments = new Map(all.map((garment) => [garment.id, garment]));
  const most = mostMilli(model, all);
  const judgement = judgementOf(model, situation, request.plan ?? 'indoor', most);
  const faults = strayFaults(model, request, situation);
  const entries = request.candidates.flatMap(({ id, itemIds }, at): Entry[] => {
    const unknown = itemIds.flatMap((itemId, i) => (garments.has(itemId) ? [] : [i]));
    for (const i of unknown)
      faults.push({ pointer: `/candidates/${at}/itemIds/${i}`, detail: 'No item has this id' });
    if (unknown.length > 0) return [];
    if (id !== candidateId(itemIds))
      faults.push({ pointer: `/candidates/${at}/id`, detail: 'is not the id of these items' });
    const chosen = itemIds.map((itemId) => garments.get(itemId)).filter((one) => one !== undefined);
    const worn = dress(model, chosen);
    if (typeof worn === 'string') {
      faults.push({ pointer: `/candidates/${at}/itemIds`, detail: worn });
      return [];
    }
    return [{ id, itemIds, worn: piecesOf(judgement, worn) }];
  });
  if (faults.length > 0)
    throw new Problem(
      'invalid-request',
      `The body has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}`,
      {
        errors: faults,
      },
    );
  const ranked = rank(
    judgement,
    entries,
    request.recent,
    shellsFor(judgement, request.items, all, new Set()),
  );
  return { ranked, shell: ranked[0]?.shell ?? null, paramsVersion: model.version };
}

/** Candidates, scored, put in order and named: the same as the two other calls, in one. */
export function computeOutfits(
  model: Model,
  keys: SigningKeys,
  request: OutfitsRequest,
): OutfitsResponse {
  const most = request.limit ?? USUAL_OUTFITS;
  const garments = garmentsOf(model, request);
  const offer = offerOf(model, request, most * model.k.search.pool, garments);
  const { judgement } = offer;
  const shells = shellsFor(judgement, request.items, garments, new Set(request.exclude));
  const entries = offer.candidates.map(({ candidate, worn }) => ({ ...candidate, worn }));
  const ranked = rank(judgement, entries, request.recent, shells, most);
  const byId = new Map(offer.candidates.map((one) => [one.candidate.id, one]));
  const chosen = ranked.flatMap((outfit) => {
    const one = byId.get(outfit.candidateId);
    return one ? [{ outfit, ...one }] : [];
  });
  const names = nameAll(
    judgement,
    chosen.map(({ worn, outfit }) => ({ worn, icl: outfit.thermal.icl })),
    request.locale ?? 'en',
  );
  return {
    ...frameOf(model, keys, offer),
    outfits: chosen.map(({ outfit: { candidateId: id, rank: _, ...judged }, candidate }, at) => ({
      ...judged,
      id,
      name: names[at] ?? '',
      itemIds: candidate.itemIds,
      form: candidate.form,
      slots: candidate.slots,
    })),
    paramsVersion: model.version,
  };
}
