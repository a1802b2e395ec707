import { Problem, type ValidationIssue } from '../platform/problem.ts';
import type { Locale } from '../taxonomy/dictionary/schema.ts';
import {
  type CandidateSet,
  candidateId,
  findCandidates,
  toWornItems,
} from './candidates/candidates.ts';
import { createSearchProblem, readGarments } from './candidates/problem.ts';
import { findVaried } from './candidates/varied.ts';
import { placeOf } from './comfort/indoor.ts';
import { readProfile } from './comfort/profile.ts';
import { targetsResponse, verifyTargets } from './comfort/signed-targets.ts';
import { occasionRow, type Situation } from './comfort/targets.ts';
import { canonicalJson, type SigningKeys } from './digest.ts';
import { round } from './numeric.ts';
import type { Model } from './params.ts';
import type { CandidatesResponse, OutfitsResponse, ScoreResponse } from './responses.ts';
import { createScoringContext, type ScoringContext, type WornItem } from './scoring/context.ts';
import { nameOutfits } from './scoring/naming.ts';
import { type Entry, rank } from './scoring/rank.ts';
import { comparableScore } from './scoring/score.ts';
import { createShellFinder, type ShellFinder } from './scoring/shell.ts';
import { PLACE_REASONS, PLACES } from './texts/explanations.ts';
import { fill, formatNumber } from './texts/texts.ts';
import { assembleEnsemble, type Ensemble, maxMilliClo, slotsOf } from './wardrobe/ensemble.ts';
import type { Garment } from './wardrobe/garment-clo.ts';
import type {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from './wardrobe/wardrobe-request.ts';

const DEFAULT_CANDIDATES = 50;
const DEFAULT_OUTFITS = 5;

/** Where the outfits are worn, at which activity, and why. */
function placeResponse(
  { context, place }: Pick<CandidateSet, 'context' | 'place'>,
  locale: Locale,
) {
  const { plan, situation } = context;
  const met = round(plan === 'indoor' ? situation.indoorMet : situation.met, 2);
  const values = { place: PLACES[plan][locale], met: formatNumber(met, locale, 1) };
  return { met, why: place.why, text: fill(PLACE_REASONS[place.why][locale], values) };
}

/** The fields that every response about a wardrobe begins with. */
function commonFields(
  model: Model,
  keys: SigningKeys,
  candidateSet: Omit<CandidateSet, 'totalValid'>,
  locale: Locale = 'en',
) {
  const { situation, plan } = candidateSet.context;
  return {
    ...targetsResponse(model, keys, situation, plan),
    plan,
    place: placeResponse(candidateSet, locale),
    diagnostics: candidateSet.diagnostics,
    truncated: candidateSet.truncated,
    gap: round(100 * candidateSet.gap, 3),
  };
}

/** The best outfits of a wardrobe, unscored, with the targets that `computeScore` takes. */
export function computeCandidates(
  model: Model,
  keys: SigningKeys,
  request: CandidatesRequest,
): CandidatesResponse {
  const limit = request.limit ?? DEFAULT_CANDIDATES;
  const candidateSet = findCandidates(model, request, limit, readGarments(model, request));
  return {
    ...commonFields(model, keys, candidateSet, request.locale),
    candidates: candidateSet.candidates.map(({ candidate }) => candidate),
    totalValid: candidateSet.totalValid.toString(),
  };
}

/** Finds shells among the available garments; undefined for the plan `outdoor`. */
function shellsFor(
  { model, plan, situation, maxMilliClo: limit }: ScoringContext,
  items: ScoreRequest['items'],
  garments: readonly Garment[],
  excluded: ReadonlySet<string>,
): ShellFinder | undefined {
  if (plan === 'outdoor') return undefined;
  const available = garments.filter((_, at) => {
    const item = items[at];
    return (
      item && item.available !== false && item.lookEligible !== false && !excluded.has(item.id)
    );
  });
  return createShellFinder(model, situation, available, limit);
}

/** Fields of a request that differ from the inputs of its targets. */
function findMismatches(
  model: Model,
  request: ScoreRequest,
  situation: Situation,
  signedPlan: ScoreRequest['plan'],
): ValidationIssue[] {
  const { userProfile, cloOffset, occasion, plan } = request;
  const { person } = situation;
  const isOtherPerson =
    userProfile !== undefined &&
    canonicalJson({ ...readProfile(model, userProfile) }) !== canonicalJson({ ...person });
  const checks: [string, boolean][] = [
    ['/userProfile', isOtherPerson],
    ['/cloOffset', cloOffset !== undefined && cloOffset !== situation.cloOffset],
    ['/occasion', occasion !== undefined && occasion !== situation.occasion],
    ['/plan', plan !== undefined && signedPlan !== undefined && plan !== signedPlan],
  ];
  return checks
    .filter(([, differs]) => differs)
    .map(([pointer]) => ({ pointer, detail: 'differs from the inputs of the targets' }));
}

/** Two overtrousers can be worn over each other either way: the better one, as the search has it. */
function arrangeLegs(context: ScoringContext, worn: Ensemble<WornItem>): Ensemble<WornItem> {
  const { over, bottom } = worn;
  if (!over || !bottom || !slotsOf(context.model, bottom.garment).includes('over')) return worn;
  if (!slotsOf(context.model, over.garment).includes('bottom')) return worn;
  const swapped = { ...worn, over: bottom, bottom: over };
  const gain = comparableScore(context, swapped) - comparableScore(context, worn);
  return gain > 0 || (gain === 0 && bottom.garment.id < over.garment.id) ? swapped : worn;
}

/**
 * Reads the candidates of a request.
 * @returns every candidate that is an outfit of these items, and the errors of all others
 */
function readCandidates(
  context: ScoringContext,
  { candidates }: ScoreRequest,
  all: readonly Garment[],
): { entries: Entry[]; errors: ValidationIssue[] } {
  const garments = new Map(all.map((garment) => [garment.id, garment]));
  const entries: Entry[] = [];
  const errors: ValidationIssue[] = [];
  for (const [at, { id, itemIds }] of candidates.entries()) {
    const chosen: Garment[] = [];
    for (const [i, itemId] of itemIds.entries()) {
      const garment = garments.get(itemId);
      if (garment) chosen.push(garment);
      else
        errors.push({
          pointer: `/candidates/${at}/itemIds/${i}`,
          detail: 'No item has this id',
        });
    }
    if (chosen.length < itemIds.length) continue;
    if (id !== candidateId(itemIds))
      errors.push({ pointer: `/candidates/${at}/id`, detail: 'is not the id of these items' });
    const ensemble = assembleEnsemble(context.model, chosen);
    if (typeof ensemble === 'string')
      errors.push({ pointer: `/candidates/${at}/itemIds`, detail: ensemble });
    else {
      const worn = arrangeLegs(context, toWornItems(context, ensemble));
      entries.push({ id, itemIds, ensemble: worn });
    }
  }
  return { entries, errors };
}

/**
 * Scores and ranks candidates.
 * @throws Problem targets-altered, targets-expired, or invalid-request that lists every candidate that
 * is not an outfit of these items
 */
export function computeScore(
  model: Model,
  keys: SigningKeys,
  request: ScoreRequest,
): ScoreResponse {
  const { situation, plan } = verifyTargets(model, keys, request.targets);
  const all = readGarments(model, { ...request, occasion: situation.occasion });
  const context = createScoringContext(
    model,
    situation,
    placeOf(model, occasionRow(model, situation.occasion), {
      met: situation.met,
      plan: plan ?? request.plan,
      indoorTempC: situation.requestedIndoorTempC,
    }).plan,
    maxMilliClo(model, all),
  );
  const { entries, errors } = readCandidates(context, request, all);
  errors.unshift(...findMismatches(model, request, situation, plan));
  if (errors.length > 0) {
    const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
    throw new Problem('invalid-request', `The body has ${count}`, { errors });
  }
  const shells = shellsFor(context, request.items, all, new Set());
  const ranked = rank(context, entries, shells, request);
  return { ranked, shell: ranked[0]?.shell ?? null, paramsVersion: model.version };
}

/** Finds, scores, ranks and names outfits: `computeCandidates` and `computeScore` in one. */
export function computeOutfits(
  model: Model,
  keys: SigningKeys,
  request: OutfitsRequest,
): OutfitsResponse {
  const { variety } = request;
  const limit = variety ?? request.limit ?? DEFAULT_OUTFITS;
  const garments = readGarments(model, request);
  const candidateSet =
    variety === undefined
      ? findCandidates(model, request, limit * model.k.search.pool, garments)
      : findVaried(createSearchProblem(model, request, garments, false), request, variety);
  const { context, candidates } = candidateSet;
  const shells = shellsFor(context, request.items, garments, new Set(request.exclude));
  const entries = candidates.map(({ candidate, ensemble }) => ({ ...candidate, ensemble }));
  const ranked = rank(context, entries, shells, { ...request, limit });
  const byId = new Map(candidates.map((found) => [found.candidate.id, found]));
  const chosen = ranked.flatMap((outfit) => {
    const found = byId.get(outfit.candidateId);
    return found ? [{ outfit, ...found }] : [];
  });
  const names = nameOutfits(
    context,
    chosen.map(({ ensemble, outfit }) => ({ ensemble, icl: outfit.thermal.icl })),
    request.locale ?? 'en',
  );
  return {
    ...commonFields(model, keys, candidateSet, request.locale),
    outfits: chosen.map(({ outfit: { candidateId: id, ...scored }, candidate }, at) => ({
      ...scored,
      id,
      name: names[at] ?? '',
      itemIds: candidate.itemIds,
      form: candidate.form,
      slots: candidate.slots,
    })),
    paramsVersion: model.version,
  };
}
