import { createHash } from 'node:crypto';
import { Problem, type ValidationIssue } from '../../platform/problem.ts';
import { type Place, placeOf } from '../comfort/indoor.ts';
import { weatherDiagnostics } from '../comfort/signed-targets.ts';
import { occasionRow, situationOf } from '../comfort/targets.ts';
import type { Model } from '../params.ts';
import type { Diagnostic } from '../schema.ts';
import { createScoringContext, type ScoringContext, type WornItem } from '../scoring/context.ts';
import type { Coverage } from '../tables.ts';
import { COVER_NAMES, COVERAGE_NAMES, DIAGNOSTICS, SLOT_NAMES } from '../texts/explanations.ts';
import { fill } from '../texts/texts.ts';
import {
  CORE_SLOTS,
  canCombine,
  type Ensemble,
  EXTRA_SLOTS,
  type Form,
  formOf,
  itemsOf,
  mapEnsemble,
  maxMilliClo,
  SLOTS,
  type Slot,
  slotsOf,
} from '../wardrobe/ensemble.ts';
import { filterGarments } from '../wardrobe/exclusions.ts';
import { type Garment, readGarment } from '../wardrobe/garment-clo.ts';
import {
  type CoreSlot,
  countOutfits,
  createTemplates,
  type Template,
} from '../wardrobe/templates.ts';
import { createWardrobe, type Wardrobe } from '../wardrobe/wardrobe.ts';
import { type CandidatesRequest, coverageOf, requiredIds } from '../wardrobe/wardrobe-request.ts';
import { extrasKey, keyOf, type Solution } from './complete.ts';
import { type Searchable, type SearchOptions, type SearchResult, search } from './search.ts';
import { SearchTables } from './tables.ts';

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

const REQUIRED_SLOTS: readonly [slot: keyof typeof SLOT_NAMES, core: CoreSlot][] = [
  ['top', 'main'],
  ['bottom', 'bottom'],
  ['shoes', 'shoes'],
];

/** Why a wardrobe has no complete outfit, or only outfits without shoes. */
function missingSlots(
  request: CandidatesRequest,
  { slots }: Wardrobe,
  templates: readonly Template[],
): Diagnostic[] {
  const { items, must = [], locale = 'en' } = request;
  if (items.length === 0)
    return [{ code: 'empty-wardrobe', detail: DIAGNOSTICS['empty-wardrobe'][locale] }];
  const missing = REQUIRED_SLOTS.filter(
    ([slot, core]) => (slot === 'shoes' || templates.length === 0) && slots[core].length === 0,
  ).map(([slot]) => ({
    code: 'missing-slot',
    slot,
    detail: fill(DIAGNOSTICS['missing-slot'][locale], { slot: SLOT_NAMES[slot][locale] }),
  }));
  if (templates.length > 0 || missing.some(({ slot }) => slot !== 'shoes')) return missing;
  const texts = DIAGNOSTICS[must.length > 0 ? 'must-conflict' : 'no-combination'];
  return [...missing, { code: 'no-combination', detail: texts[locale] }];
}

/** The parts of the body that no outfit of a wardrobe can cover, if that is why there is none. */
function missingCover(
  context: ScoringContext,
  wardrobe: Wardrobe,
  required: Wardrobe['groups'],
  request: CandidatesRequest,
): Diagnostic[] {
  const fits = (...parts: Coverage[]) =>
    createTemplates(context, wardrobe, required, new Set(parts)).length > 0;
  const parts = [...coverageOf(request)];
  if (parts.length === 0 || !fits()) return [];
  const alone = parts.filter((part) => !fits(part));
  const { locale = 'en' } = request;
  return (alone.length > 0 ? alone : parts).map((part) => ({
    code: 'missing-coverage',
    slot: part,
    detail: fill(DIAGNOSTICS['missing-coverage'][locale], {
      part: COVERAGE_NAMES[part][locale],
      garment: COVER_NAMES[part][locale],
    }),
  }));
}

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

/** Why pinned garments cannot be worn together: the first two that exclude each other. */
function findPinConflict(model: Model, pins: readonly Garment[]): ValidationIssue | undefined {
  for (const [at, pin] of pins.entries()) {
    for (const other of pins.slice(0, at)) {
      if (!canCombine(model, [other, pin]))
        return { pointer: `/pin/${at}`, detail: `cannot be worn with \`${other.id}\`` };
    }
  }
  if (canCombine(model, pins)) return undefined;
  return { pointer: '/pin', detail: 'These items cannot all be worn together' };
}

/**
 * Checks that each required item has a place in outfits, and that pinned ones can be worn together.
 * @throws Problem invalid-request
 */
function checkWearable(model: Model, request: CandidatesRequest, all: readonly Garment[]): void {
  const byId = new Map(all.map((garment) => [garment.id, garment]));
  const garmentsOf = (ids: readonly string[] = []) => ids.flatMap((id) => byId.get(id) ?? []);
  const errors = (['must', 'pin'] as const).flatMap((field) =>
    garmentsOf(request[field]).flatMap((garment, at) =>
      slotsOf(model, garment).length === 0
        ? [{ pointer: `/${field}/${at}`, detail: `\`${garment.id}\` has no place in an outfit` }]
        : [],
    ),
  );
  const conflict = errors.length > 0 ? undefined : findPinConflict(model, garmentsOf(request.pin));
  if (conflict) errors.push(conflict);
  if (errors.length === 0) return;
  throw new Problem('invalid-request', 'Items that are required cannot be worn', { errors });
}

/** The garments of a request, in the order of its items. */
export const readGarments = (model: Model, { items }: Pick<CandidatesRequest, 'items'>) =>
  items.map((item) => readGarment(model, item));

/** Everything that a search needs. */
export interface SearchProblem extends Searchable {
  readonly wardrobe: Wardrobe;
  readonly place: Place;
  readonly diagnostics: Diagnostic[];
}

/**
 * Prepares a search for a day, an occasion and a plan.
 * @param all the garments of the request, in the order of its items
 * @param isGrouped whether garments that score the same are one choice
 * @throws Problem invalid-request if required items cannot be worn
 */
export function createSearchProblem(
  model: Model,
  request: CandidatesRequest,
  all: readonly Garment[],
  isGrouped: boolean,
): SearchProblem {
  const situation = situationOf(model, request);
  const place = placeOf(occasionRow(model, request.occasion), request);
  const { plan } = place;
  const context = createScoringContext(model, situation, plan, maxMilliClo(model, all));
  const { garments, diagnostics } = filterGarments(context, request, all);
  const ids = requiredIds(request);
  checkWearable(model, request, all);
  const ungrouped = isGrouped ? ids : new Set(garments.map(({ id }) => id));
  const wardrobe = createWardrobe(context, garments, ungrouped, request.seed);
  const required = wardrobe.groups.filter(({ item: { garment } }) => ids.has(garment.id));
  const coverage = coverageOf(request);
  const templates = createTemplates(context, wardrobe, required, coverage);
  return {
    context,
    place,
    wardrobe,
    templates,
    tables: new SearchTables(context, wardrobe),
    diagnostics: [
      ...weatherDiagnostics([request.weather], request.locale),
      ...diagnostics,
      ...missingSlots(request, wardrobe, templates),
      ...(templates.length === 0 ? missingCover(context, wardrobe, required, request) : []),
    ],
  };
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
  return {
    context,
    place: problem.place,
    candidates: expandGroups(context, wardrobe, solutions, limit),
    totalValid: templates.reduce((sum, template) => sum + countOutfits(context, template), 0n),
    truncated: isTruncated,
    gap,
    diagnostics,
  };
}
