import type { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import type { Model } from '../params.ts';
import type { Diagnostic } from '../schema.ts';
import { isExcused, type ScoringContext } from '../scoring/context.ts';
import { reasonOf } from '../scoring/sense.ts';
import { DIAGNOSTICS } from '../texts/explanations.ts';
import { fill } from '../texts/texts.ts';
import { isDress, isSet, type Slot, slotsOf } from './ensemble.ts';
import type { Garment } from './garment-clo.ts';
import { type CandidatesRequest, coverageOf, requiredIds } from './wardrobe-request.ts';

/** A reason to exclude an item. */
interface ExclusionRule {
  code: keyof typeof DIAGNOSTICS;
  matches(item: WardrobeItem, garment: Garment): boolean;
  /** Whether it applies only if the wardrobe has something else to wear: clothes, shoes and what covers the head, or a coat. */
  isSoft?: 'dressed' | 'coat';
}

/** Whether a garment that is no outfit elsewhere is one here: swimwear where one swims, slippers at home, tights. */
const isWorn = ({ model, plan, situation }: ScoringContext, category: string): boolean => {
  if (category === 'tights') return true;
  if (category === 'slippers') return situation.occasion === 'home' && plan === 'indoor';
  const { occasion, weather } = situation;
  return category === 'swimwear' && occasion === 'beach' && weather.tempC >= model.k.layering.swimC;
};

/** The diagnostic of a rule of common sense that leaves a garment out. */
const EXCLUSION_OF = {
  pair: 'not-for-occasion',
  occasion: 'not-for-occasion',
  dry: 'not-for-occasion',
  wet: 'not-in-rain',
  cold: 'not-in-cold',
  warm: 'not-in-heat',
} as const;

const asksForCoat = ({ model, regions }: ScoringContext): boolean =>
  regions.outerwear > model.k.layering.outerClo;

/** Whether these garments make an outfit, and whether they have shoes and a coat. */
function served(model: Model, garments: readonly Garment[]) {
  const has = (slot: Slot, isOnePiece: boolean) =>
    garments.some(
      (one) => slotsOf(model, one).includes(slot) && (isDress(one) || isSet(one)) === isOnePiece,
    );
  return {
    body: has('main', true) || (has('main', false) && (has('bottom', false) || has('mid', true))),
    feet: has('shoes', false),
    coat: has('outer', false),
  };
}

function createRules(
  context: ScoringContext,
  request: CandidatesRequest,
  all: readonly Garment[],
): ExclusionRule[] {
  const { model, occasion, sense, situation } = context;
  const { fit } = model.k;
  // Where the cold asks for a coat, none is too fine, and one that is not fine enough is better than none.
  const isCoat = ({ category }: Garment) => asksForCoat(context) && category.region === 'outerwear';
  const excluded = new Set(request.exclude);
  const maxDistance = occasion.tolerance + fit.formalityTooFar;
  const isBroken = (garment: Garment) => sense.brokenBy(garment).some(({ isHard }) => isHard);
  /** Whether it is too fine or not fine enough. */
  const isOdd = (garment: Garment): boolean =>
    garment.layer !== 'underwear' &&
    !isExcused(model, situation, garment) &&
    !(request.occasion && garment.occasions.includes(request.occasion)) &&
    Math.max(
      isCoat(garment) ? 0 : garment.formality[0] - occasion.formality,
      occasion.formality - garment.formality[1],
    ) > maxDistance;
  // What cannot be worn today is no reason to leave out another.
  const outdoneBy = sense.outdoneIn(
    all.filter(
      (garment, at) =>
        request.items[at]?.available !== false &&
        !excluded.has(garment.id) &&
        !occasion.forbids.includes(garment.category.id) &&
        !isOdd(garment) &&
        !isBroken(garment),
    ),
  );
  const known = new Map<Garment, ExclusionRule['code'][]>();
  const insensible = (garment: Garment) => {
    const codes =
      known.get(garment) ??
      [...sense.brokenBy(garment), ...outdoneBy(garment)]
        .filter(({ isHard }) => isHard)
        .map((rule) => EXCLUSION_OF[reasonOf(model, rule)]);
    known.set(garment, codes);
    return codes;
  };
  return [
    { code: 'excluded', matches: (item) => excluded.has(item.id) },
    { code: 'unavailable', matches: (item) => item.available === false },
    {
      code: 'not-outfit-material',
      matches: (item, { category }) =>
        // Of tights and swimwear the garments API says what the dictionary does: by themselves they are no outfit.
        category.lookEligible ? item.lookEligible === false : !isWorn(context, category.id),
    },
    {
      code: 'not-for-occasion',
      matches: (_, garment) =>
        occasion.forbids.includes(garment.category.id) || (!isCoat(garment) && isOdd(garment)),
    },
    { code: 'not-for-occasion', isSoft: 'coat', matches: (_, garment) => isOdd(garment) },
    ...(['not-in-rain', 'not-in-cold', 'not-in-heat', 'not-for-occasion'] as const).map(
      (code): ExclusionRule => ({
        code,
        isSoft: 'dressed',
        matches: (_, garment) => insensible(garment).includes(code),
      }),
    ),
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
  const rules = createRules(context, request, all);
  const required = requiredIds(request);
  const checked = all.map((garment, at) => {
    const item = request.items[at]!;
    const rule = required.has(item.id)
      ? undefined
      : rules.find((one) => one.matches(item, garment));
    return { garment, rule };
  });
  const left = checked.filter(({ rule }) => !rule).map(({ garment }) => garment);
  const { body, feet, coat } = served(context.model, left);
  const covers = ({ category }: Garment) =>
    context.model.tables.coverage.head.includes(category.id);
  const isHeadBare = coverageOf(request).has('head') && !left.some(covers);
  const isServed: Readonly<Record<string, boolean>> = {
    top: body,
    bottom: body,
    dress: body,
    shoes: feet,
  };
  const isNeeded = ({ isSoft }: ExclusionRule, garment: Garment): boolean =>
    isSoft === 'coat'
      ? asksForCoat(context) && !coat
      : isSoft !== undefined &&
        (isServed[garment.category.region] === false || (isHeadBare && covers(garment)));
  const garments: Garment[] = [];
  const excluded = new Map<ExclusionRule['code'], string[]>();
  for (const { garment, rule } of checked) {
    if (!rule || isNeeded(rule, garment)) {
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
