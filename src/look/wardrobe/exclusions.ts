import type { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import type { Judgement } from '../scoring/context.ts';
import type { Garment } from './garment-clo.ts';
import type { Diagnostic } from './wardrobe.ts';
import type { CandidatesRequest } from './wardrobe-request.ts';

/** Why an item stays at home. */
interface Obstacle {
  code: string;
  stops(item: WardrobeItem, garment: Garment): boolean;
  /** Holds only where the wardrobe has something else for the same part of the body. */
  isSoft?: boolean;
}

function obstacles(judgement: Judgement, request: CandidatesRequest): Obstacle[] {
  const { model, occasion, plan, shelter, situation } = judgement;
  const { fit, layering, rain } = model.k;
  const { bare, soaked } = model.tables;
  const excluded = new Set(request.exclude);
  const soaks = shelter.feet.water >= rain.ruins;
  const bites = situation.windChillC < layering.bareC && situation.occasion !== 'home';
  const tooFar = occasion.tolerance + fit.formalityTooFar;
  return [
    { code: 'excluded', stops: (item) => excluded.has(item.id) },
    { code: 'unavailable', stops: (item) => item.available === false },
    {
      code: 'not-outfit-material',
      stops: (item, { category }) => item.lookEligible === false || !category.lookEligible,
    },
    {
      code: 'not-for-occasion',
      stops: (_, { category, formality, occasions }) =>
        occasion.forbids.includes(category.id) ||
        (!(request.occasion && occasions.includes(request.occasion)) &&
          Math.max(formality[0] - occasion.formality, occasion.formality - formality[1]) > tooFar),
    },
    {
      code: 'not-in-rain',
      isSoft: true,
      stops: (_, { category, materialIds }) =>
        soaks &&
        (soaked.categories.includes(category.id) ||
          materialIds.some((id) => soaked.materials.includes(id))) &&
        (plan === 'outdoor' || category.region === 'shoes'),
    },
    {
      code: 'not-in-cold',
      isSoft: true,
      stops: (_, { category }) => bites && bare.categories.includes(category.id),
    },
  ];
}

/** Items that a diagnostic names; its detail tells how many there are. */
const MOST_NAMED = 20;

/** Sorts out what can be worn today, and tells what cannot. */
export function sortOut(judgement: Judgement, request: CandidatesRequest, all: readonly Garment[]) {
  const checks = obstacles(judgement, request);
  const must = new Set(request.must);
  const judged = all.map((garment, at) => {
    const item = request.items[at]!;
    const isWanted = must.has(item.id);
    return { garment, obstacle: isWanted ? undefined : checks.find((c) => c.stops(item, garment)) };
  });
  const served = new Set<string>();
  for (const { garment, obstacle } of judged) if (!obstacle) served.add(garment.category.region);
  const stays = ({ garment, obstacle }: (typeof judged)[number]) =>
    obstacle !== undefined && (!obstacle.isSoft || served.has(garment.category.region));
  const left = new Map<string, string[]>();
  for (const one of judged.filter(stays)) {
    const code = one.obstacle?.code ?? '';
    const ids = left.get(code);
    if (ids) ids.push(one.garment.id);
    else left.set(code, [one.garment.id]);
  }
  const diagnostics = [...left].map(
    ([code, itemIds]): Diagnostic => ({
      code,
      itemIds: itemIds.sort().slice(0, MOST_NAMED),
      detail: `${itemIds.length} left out`,
    }),
  );
  return {
    garments: judged.filter((one) => !stays(one)).map(({ garment }) => garment),
    diagnostics,
  };
}
