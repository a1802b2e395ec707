import { createHash } from 'node:crypto';
import { situationOf } from '../comfort/targets.ts';
import type { Model } from '../params.ts';
import {
  createScoringContext,
  type Plan,
  type ScoringContext,
  type WornItem,
} from '../scoring/context.ts';
import { DIAGNOSTICS } from '../texts/explanations.ts';
import { fill } from '../texts/texts.ts';
import {
  type Ensemble,
  type Form,
  formOf,
  itemsOf,
  mapEnsemble,
  maxMilliClo,
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
import { createWardrobe, type Diagnostic, type Wardrobe } from '../wardrobe/wardrobe.ts';
import type { CandidatesRequest } from '../wardrobe/wardrobe-request.ts';
import { type Core, type Solution, search } from './search.ts';

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

const REQUIRED_SLOTS: readonly [slot: string, core: CoreSlot][] = [
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
  const { items, locale = 'en' } = request;
  if (items.length === 0)
    return [{ code: 'empty-wardrobe', detail: DIAGNOSTICS['empty-wardrobe'][locale] }];
  const missing = REQUIRED_SLOTS.filter(
    ([slot, core]) => (slot === 'shoes' || templates.length === 0) && slots[core].length === 0,
  ).map(([slot]) => ({
    code: 'missing-slot',
    slot,
    detail: fill(DIAGNOSTICS['missing-slot'][locale], { slot }),
  }));
  if (templates.length > 0 || missing.some(({ slot }) => slot !== 'shoes')) return missing;
  return [...missing, { code: 'no-combination', detail: DIAGNOSTICS['no-combination'][locale] }];
}

/** Outfits that look alike: the same on torso and legs, with any coat and shoes. */
const visibleKey = ({ mid, main, bottom }: Core): string =>
  `${mid?.index}/${main?.index}/${bottom?.index}`;

const coreKey = (core: Core): string =>
  `${visibleKey(core)}/${core.outer?.index}/${core.over?.index}/${core.shoes?.index}`;

/**
 * The best outfit for each combination of torso and legs. If these are fewer than `limit`, the best
 * of the others fill the list.
 */
function searchDistinct(
  context: ScoringContext,
  wardrobe: Wardrobe,
  templates: readonly Template[],
  limit: number,
) {
  const distinct = search(context, wardrobe, templates, limit, visibleKey);
  if (distinct.solutions.length >= limit) return distinct;
  const all = search(context, wardrobe, templates, limit, coreKey);
  const known = new Set(distinct.solutions.map(({ core }) => coreKey(core)));
  const others = all.solutions.filter(({ core }) => !known.has(coreKey(core)));
  return {
    solutions: [...distinct.solutions, ...others].slice(0, limit).sort((a, b) => b.score - a.score),
    gap: Math.max(distinct.gap, all.gap),
    isTruncated: distinct.isTruncated || all.isTruncated,
  };
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

/** Expands groups into garments: first the first of each group, then the second, up to `limit`. */
function expandGroups(
  context: ScoringContext,
  wardrobe: Wardrobe,
  solutions: readonly Solution[],
  limit: number,
): CandidateSet['candidates'] {
  const expanded = new Map<string, CandidateSet['candidates'][number]>();
  const maxMembers = Math.max(1, ...wardrobe.groups.map(({ members }) => members.length));
  for (let n = 0; n < maxMembers && expanded.size < limit; n++) {
    for (const solution of solutions) {
      if (expanded.size >= limit) break;
      const ensemble = toWornItems(context, nthOfGroups(wardrobe, solution.ensemble, n));
      const candidate = toCandidate(ensemble);
      if (!expanded.has(candidate.id)) expanded.set(candidate.id, { candidate, ensemble });
    }
  }
  return [...expanded.values()];
}

/** The garments of a request, in the order of its items. */
export const readGarments = (model: Model, { items }: Pick<CandidatesRequest, 'items'>) =>
  items.map((item) => readGarment(model, item));

/**
 * Finds the best outfits of a wardrobe for a day, an occasion and a plan.
 * @param all the garments of the request, in the order of its items
 */
export function findCandidates(
  model: Model,
  request: CandidatesRequest,
  limit: number,
  all: readonly Garment[],
): CandidateSet {
  const situation = situationOf(model, request);
  const plan: Plan = request.plan ?? 'indoor';
  const context = createScoringContext(model, situation, plan, maxMilliClo(model, all));
  const { garments, diagnostics } = filterGarments(context, request, all);
  const must = new Set(request.must);
  const wardrobe = createWardrobe(context, garments, must, request.seed);
  const required = wardrobe.groups.filter(
    ({ item: { garment } }) => must.has(garment.id) && slotsOf(model, garment).length > 0,
  );
  const templates = createTemplates(context, wardrobe, required);
  const { solutions, gap, isTruncated } = searchDistinct(context, wardrobe, templates, limit);
  return {
    context,
    candidates: expandGroups(context, wardrobe, solutions, limit),
    totalValid: templates.reduce((sum, template) => sum + countOutfits(context, template), 0n),
    truncated: isTruncated,
    gap,
    diagnostics: [...diagnostics, ...missingSlots(request, wardrobe, templates)],
  };
}
