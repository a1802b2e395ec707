import type { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import type { Diagnostic } from '../schema.ts';
import type { ScoringContext } from '../scoring/context.ts';
import { DIAGNOSTICS } from '../texts/explanations.ts';
import { fill } from '../texts/texts.ts';
import type { Garment } from './garment-clo.ts';
import { type CandidatesRequest, requiredIds } from './wardrobe-request.ts';

/** A reason to exclude an item. */
interface ExclusionRule {
  code: keyof typeof DIAGNOSTICS;
  matches(item: WardrobeItem, garment: Garment): boolean;
  /** Applies only if the wardrobe has something else for the same region. */
  isSoft?: boolean;
}

function createRules(context: ScoringContext, request: CandidatesRequest): ExclusionRule[] {
  const { model, occasion, plan, shelter, situation } = context;
  const { fit, layering, rain } = model.k;
  const { bare, soaked } = model.tables;
  const excluded = new Set(request.exclude);
  const isSoaking = shelter.feet.water >= rain.ruins;
  const isFreezing = situation.windChillC < layering.bareC && situation.occasion !== 'home';
  const maxDistance = occasion.tolerance + fit.formalityTooFar;
  return [
    { code: 'excluded', matches: (item) => excluded.has(item.id) },
    { code: 'unavailable', matches: (item) => item.available === false },
    {
      code: 'not-outfit-material',
      matches: (item, { category }) => item.lookEligible === false || !category.lookEligible,
    },
    {
      code: 'not-for-occasion',
      matches: (_, { category, formality, occasions }) =>
        occasion.forbids.includes(category.id) ||
        (!(request.occasion && occasions.includes(request.occasion)) &&
          Math.max(formality[0] - occasion.formality, occasion.formality - formality[1]) >
            maxDistance),
    },
    {
      code: 'not-in-rain',
      isSoft: true,
      matches: (_, { category, materialIds }) =>
        isSoaking &&
        (soaked.categories.includes(category.id) ||
          materialIds.some((id) => soaked.materials.includes(id))) &&
        (plan === 'outdoor' || category.region === 'shoes'),
    },
    {
      code: 'not-in-cold',
      isSoft: true,
      matches: (_, { category }) => isFreezing && bare.categories.includes(category.id),
    },
  ];
}

/** Item ids in one diagnostic; its detail has their number. */
const MAX_LISTED_IDS = 20;

/** Removes the garments that cannot be worn today; diagnostics list them by reason. */
export function filterGarments(
  context: ScoringContext,
  request: CandidatesRequest,
  all: readonly Garment[],
): { garments: Garment[]; diagnostics: Diagnostic[] } {
  const rules = createRules(context, request);
  const required = requiredIds(request);
  const checked = all.map((garment, at) => {
    const item = request.items[at]!;
    const rule = required.has(item.id)
      ? undefined
      : rules.find((one) => one.matches(item, garment));
    return { garment, rule };
  });
  const servedRegions = new Set<string>();
  for (const { garment, rule } of checked) if (!rule) servedRegions.add(garment.category.region);
  const garments: Garment[] = [];
  const excluded = new Map<ExclusionRule['code'], string[]>();
  for (const { garment, rule } of checked) {
    if (!rule || (rule.isSoft && !servedRegions.has(garment.category.region))) {
      garments.push(garment);
      continue;
    }
    const ids = excluded.get(rule.code);
    if (ids) ids.push(garment.id);
    else excluded.set(rule.code, [garment.id]);
  }
  const diagnostics = [...excluded].map(
    ([code, itemIds]): Diagnostic => ({
      code,
      itemIds: itemIds.sort().slice(0, MAX_LISTED_IDS),
      detail: fill(DIAGNOSTICS[code][request.locale ?? 'en'], { count: String(itemIds.length) }),
    }),
  );
  return { garments, diagnostics };
}
