import { createHash } from 'node:crypto';
import type { Place } from '../comfort/indoor.ts';
import type { Model } from '../params.ts';
import type { Diagnostic } from '../schema.ts';
import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { extrasKey, keyOf, type Solution } from '../search/complete.ts';
import { type SearchOptions, type SearchResult, search } from '../search/search.ts';
import {
  CORE_SLOTS,
  type Ensemble,
  EXTRA_SLOTS,
  type Form,
  formOf,
  itemsOf,
  mapEnsemble,
  SLOTS,
  type Slot,
} from '../wardrobe/ensemble.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';
import { type CoreSlot, countOutfits } from '../wardrobe/templates.ts';
import type { Wardrobe } from '../wardrobe/wardrobe.ts';
import type { CandidatesRequest } from '../wardrobe/wardrobe-request.ts';
import { createSearchProblem, noCombination, type SearchProblem } from './problem.ts';

/** An outfit as responses carry it. */
export interface Candidate {
  id: string;
  itemIds: string[];
  form: Form;
  slots: { [S in Slot]?: string };
}

/** The best outfits of a wardrobe. */
export interface CandidateSet {
  context: ScoringContext;
  place: Place;
  candidates: { candidate: Candidate; ensemble: Ensemble<WornItem> }[];
  totalValid: bigint;
  truncated: boolean;
  /** By how much an unexplored outfit could beat the last candidate, 0-1; 0: proved optimal. */
  gap: number;
  diagnostics: Diagnostic[];
}

/** Id of an outfit: the same for the same items in every call. */
export const candidateId = (itemIds: readonly string[]): string =>
  `c_${createHash('sha256')
    .update(JSON.stringify([...itemIds].sort()))
    .digest('hex')
    .slice(0, 16)}`;

/** Outfits that look alike: the same on torso and legs, with any coat and shoes. */
const LOOK_SLOTS: readonly CoreSlot[] = ['mid', 'main', 'bottom'];

const wholeKey = ({ core, ensemble }: Solution): string =>
  `${keyOf(core, CORE_SLOTS)}|${extrasKey(ensemble)}`;

const NOTHING: SearchResult = { solutions: [], gap: 0, isTruncated: false };

/** Adds the solutions of another search that are not among the first, up to `limit`. */
function addSolutions(first: SearchResult, second: SearchResult, limit: number): SearchResult {
  const distinct = new Map<string, Solution>();
  for (const solution of [...first.solutions, ...second.solutions]) {
    const key = wholeKey(solution);
    if (!distinct.has(key)) distinct.set(key, solution);
  }
  return {
    solutions: [...distinct.values()].slice(0, limit).sort((a, b) => b.score - a.score),
    gap: Math.max(first.gap, second.gap),
    isTruncated: first.isTruncated || second.isTruncated,
  };
}

/**
 * The best outfit for each combination of torso and legs. If these are fewer than `limit`, the best
 * with other coats and shoes fill the list, then the best with other extras.
 */
function searchDistinct(problem: SearchProblem, limit: number): SearchResult {
  const { context, wardrobe } = problem;
  const find = (options: Omit<SearchOptions, 'size'>) =>
    search(problem, { ...options, size: limit });
  let found = addSolutions(find({ keySlots: LOOK_SLOTS }), NOTHING, limit);
  if (found.solutions.length >= limit) return found;
  found = addSolutions(found, find({ keySlots: CORE_SLOTS }), limit);
  const maxThicknesses = Math.max(...EXTRA_SLOTS.map((slot) => wardrobe.slots[slot].length));
  // Twice the thicknesses give at most 64 times the outfits, so a list that is not full stays cheap.
  for (let everyExtras = context.model.k.search.thicknesses; ; everyExtras *= 2) {
    const { length } = found.solutions;
    if (length === 0 || length >= limit || found.isTruncated) return found;
    found = addSolutions(found, find({ keySlots: CORE_SLOTS, everyExtras }), limit);
    if (everyExtras >= maxThicknesses || everyExtras === 0) return found;
  }
}

/** Every ensemble with garments of the same groups, in order of preference. */
function* everyMember(
  { groupOf }: Wardrobe,
  ensemble: Ensemble<WornItem>,
): Generator<Ensemble<Garment>> {
  const slots = SLOTS.filter((slot) => ensemble[slot]);
  function* fill(at: number, chosen: Ensemble<Garment>): Generator<Ensemble<Garment>> {
    const slot = slots[at];
    const garment = slot && ensemble[slot]?.garment;
    if (!garment) yield chosen;
    else
      for (const member of groupOf.get(garment)?.members ?? [garment])
        yield* fill(at + 1, { ...chosen, [slot]: member });
  }
  yield* fill(0, {});
}

/** The ensemble with the nth garment of each group, counted cyclically. */
const nthOfGroups = (
  { groupOf }: Wardrobe,
  ensemble: Ensemble<WornItem>,
  n: number,
): Ensemble<Garment> =>
  mapEnsemble(ensemble, ({ garment }) => {
    const { members } = groupOf.get(garment) ?? { members: [garment] };
    return members[n % members.length] ?? garment;
  });

export const toWornItems = (
  context: ScoringContext,
  ensemble: Ensemble<Garment>,
): Ensemble<WornItem> => mapEnsemble(ensemble, context.toWornItem);

export function toCandidate(ensemble: Ensemble<WornItem>): Candidate {
  const slots = mapEnsemble(ensemble, ({ garment }) => garment.id);
  const itemIds = itemsOf(slots);
  return { id: candidateId(itemIds), itemIds, form: formOf(ensemble), slots };
}

/**
 * Expands groups into garments, up to `limit`: first the first of each group, then the second; then in
 * all other combinations. In order of score, those of equal scores as they were added.
 */
function expandGroups(
  context: ScoringContext,
  wardrobe: Wardrobe,
  solutions: readonly Solution[],
  limit: number,
): CandidateSet['candidates'] {
  const expanded = new Map<string, CandidateSet['candidates'][number] & { score: number }>();
  function add(garments: Ensemble<Garment>, score: number): void {
    const ensemble = toWornItems(context, garments);
    const candidate = toCandidate(ensemble);
    if (!expanded.has(candidate.id)) expanded.set(candidate.id, { candidate, ensemble, score });
  }
  function addAll(): void {
    const maxMembers = Math.max(1, ...wardrobe.groups.map(({ members }) => members.length));
    for (let n = 0; n < maxMembers; n++) {
      for (const { ensemble, score } of solutions) {
        if (expanded.size >= limit) return;
        add(nthOfGroups(wardrobe, ensemble, n), score);
      }
    }
    for (const { ensemble, score } of solutions) {
      for (const garments of everyMember(wardrobe, ensemble)) {
        if (expanded.size >= limit) return;
        add(garments, score);
      }
    }
  }
  addAll();
  return [...expanded.values()].sort((a, b) => b.score - a.score);
}

/** Finds the best outfits of a wardrobe. */
export function findCandidates(
  model: Model,
  request: CandidatesRequest,
  limit: number,
  all: readonly Garment[],
): CandidateSet {
  const problem = createSearchProblem(model, request, all, true);
  const { context, wardrobe, templates, diagnostics } = problem;
  const { solutions, gap, isTruncated } = searchDistinct(problem, limit);
  // Each piece has a place, but no two of them together.
  const isEmpty = templates.length > 0 && solutions.length === 0 && !isTruncated;
  return {
    context,
    place: problem.place,
    candidates: expandGroups(context, wardrobe, solutions, limit),
    totalValid: templates.reduce((sum, template) => sum + countOutfits(context, template), 0n),
    truncated: isTruncated,
    gap,
    diagnostics: isEmpty ? [...diagnostics, noCombination(request)] : diagnostics,
  };
}
