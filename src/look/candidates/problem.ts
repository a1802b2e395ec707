import { Problem, type ValidationIssue } from '../../platform/problem.ts';
import { type Place, placeOf } from '../comfort/indoor.ts';
import { weatherDiagnostics } from '../comfort/signed-targets.ts';
import { occasionRow, situationOf } from '../comfort/targets.ts';
import type { Model } from '../params.ts';
import type { Diagnostic } from '../schema.ts';
import { createScoringContext, type ScoringContext } from '../scoring/context.ts';
import type { Searchable } from '../search/search.ts';
import { SearchTables } from '../search/tables.ts';
import type { Coverage } from '../tables.ts';
import { COVER_NAMES, COVERAGE_NAMES, DIAGNOSTICS, SLOT_NAMES } from '../texts/explanations.ts';
import { DEFAULT_OCCASION } from '../texts/names.ts';
import { fill } from '../texts/texts.ts';
import { canCombine, maxMilliClo } from '../wardrobe/ensemble.ts';
import { filterGarments } from '../wardrobe/exclusions.ts';
import { type Garment, readGarment } from '../wardrobe/garment-clo.ts';
import { type CoreSlot, createTemplates, type Template } from '../wardrobe/templates.ts';
import { createWardrobe, type Wardrobe } from '../wardrobe/wardrobe.ts';
import { type CandidatesRequest, coverageOf, requiredIds } from '../wardrobe/wardrobe-request.ts';

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
  const { items, locale = 'en' } = request;
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
  return [...missing, noCombination(request)];
}

/** That what is left makes no outfit, because of what must be worn if anything must. */
export function noCombination({
  must = [],
  locale = 'en',
}: Pick<CandidatesRequest, 'must' | 'locale'>): Diagnostic {
  const texts = DIAGNOSTICS[must.length > 0 ? 'must-conflict' : 'no-combination'];
  return { code: 'no-combination', detail: texts[locale] };
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
 * Checks that pinned items can be worn together.
 * @throws Problem invalid-request
 */
function checkPins(model: Model, { pin = [] }: CandidatesRequest, all: readonly Garment[]): void {
  const byId = new Map(all.map((garment) => [garment.id, garment]));
  const conflict = findPinConflict(
    model,
    pin.flatMap((id) => byId.get(id) ?? []),
  );
  if (!conflict) return;
  throw new Problem('invalid-request', 'Items that are required cannot be worn', {
    errors: [conflict],
  });
}

/** The garments of a request, in the order of its items. For sport a thermal top may be the only one. */
export const readGarments = (
  model: Model,
  { items, occasion }: Pick<CandidatesRequest, 'items'> & { occasion?: string | null | undefined },
) => items.map((item) => readGarment(model, item, occasion ?? DEFAULT_OCCASION));

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
  const place = placeOf(model, occasionRow(model, request.occasion), request);
  const { plan } = place;
  const context = createScoringContext(model, situation, plan, maxMilliClo(model, all));
  const { garments, diagnostics } = filterGarments(context, request, all);
  const ids = requiredIds(request);
  checkPins(model, request, all);
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
