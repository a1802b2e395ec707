import { z } from 'zod';
import { Problem } from '../../platform/problem.ts';
import { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import { LOCALES } from '../../taxonomy/dictionary/schema.ts';
import { targetFields } from '../schema.ts';

export const MOST_ITEMS = 1000;
export const MOST_CANDIDATES = 200;
export const MOST_OUTFITS = 20;

/** Refuses a wardrobe that is too large before anything in it is read. */
function refuseTooMany(items: unknown): unknown {
  if (Array.isArray(items) && items.length > MOST_ITEMS)
    throw new Problem('payload-too-large', `A wardrobe has at most ${MOST_ITEMS} items`, {
      errors: [{ pointer: '/items', detail: `has ${items.length} items` }],
    });
  return items;
}

/** Runs even where other faults were found, so that all are told at once. */
export const RUN_ALWAYS = { when: () => true };

const idsIn = (items: unknown): unknown[] =>
  Array.isArray(items)
    ? items.map((item) => (item && typeof item === 'object' && 'id' in item ? item.id : undefined))
    : [];

const Items = z.preprocess(
  refuseTooMany,
  z.array(WardrobeItem).superRefine((items, context) => {
    const first = new Map<unknown, number>();
    idsIn(items).forEach((id, at) => {
      const before = first.get(id);
      if (id === undefined || before === undefined) first.set(id, at);
      else
        context.addIssue({
          code: 'custom',
          path: [at, 'id'],
          message: `Item ${before} has this id already`,
        });
    });
  }, RUN_ALWAYS),
);

const Plan = z
  .enum(['indoor', 'outdoor'])
  .optional()
  .meta({ description: '`indoor` (default) dresses for the room and offers a shell for outside' });

const seed = z
  .number()
  .int()
  .min(0)
  .max(4_294_967_295)
  .optional()
  .meta({ description: 'Another choice among equals; the same seed gives the same answer' });
const itemIds = z.array(z.string().max(128));

const Recent = z
  .array(
    z.strictObject({
      itemIds: itemIds.min(1).max(12),
      daysAgo: z.number().int().min(0).max(3650),
    }),
  )
  .max(100)
  .optional()
  .meta({ description: 'Outfits worn lately; others come first' });

export const wardrobeFields = {
  items: Items,
  plan: Plan,
  seed,
  must: itemIds.max(6).optional().meta({ description: 'Items to wear' }),
  exclude: itemIds.max(MOST_ITEMS).optional(),
};

/** Every id in `must` has to be an item's, and be there once. */
export function checkMust(
  body: { items?: unknown; must?: unknown },
  context: z.RefinementCtx,
): void {
  if (!Array.isArray(body?.must)) return;
  const known = new Set(idsIn(body.items));
  body.must.forEach((id: unknown, at: number, all: unknown[]) => {
    if (!known.has(id))
      context.addIssue({ code: 'custom', path: ['must', at], message: 'No item has this id' });
    else if (all.indexOf(id) < at)
      context.addIssue({ code: 'custom', path: ['must', at], message: 'This id is here twice' });
  });
}

export const CandidatesRequest = z
  .strictObject({
    ...targetFields,
    ...wardrobeFields,
    limit: z.number().int().min(1).max(MOST_CANDIDATES).optional(),
  })
  .superRefine(checkMust, RUN_ALWAYS)
  .meta({ title: 'CandidatesRequest' });
export type CandidatesRequest = z.infer<typeof CandidatesRequest>;

export const OutfitsRequest = z
  .strictObject({
    ...targetFields,
    ...wardrobeFields,
    limit: z.number().int().min(1).max(MOST_OUTFITS).optional(),
    recent: Recent,
    locale: z.enum(LOCALES).optional().meta({ description: 'Language of the names; `en`' }),
  })
  .superRefine(checkMust, RUN_ALWAYS)
  .meta({ title: 'OutfitsRequest' });
export type OutfitsRequest = z.infer<typeof OutfitsRequest>;

/** A candidate as it comes back: what is worn is read from `itemIds` alone. */
const CandidateIn = z.looseObject({
  id: z.string().regex(/^c_[0-9a-f]{16}$/),
  itemIds: itemIds.min(1).max(18),
});

export const ScoreRequest = z
  .strictObject({
    targets: z.looseObject({}).meta({ title: 'Targets', description: 'Unchanged, as they came' }),
    indoorTargets: z.looseObject({}).optional().meta({ description: 'Not read; for convenience' }),
    candidates: z.array(CandidateIn).min(1).max(MOST_CANDIDATES),
    items: Items,
    plan: Plan,
    recent: Recent,
    userProfile: targetFields.userProfile,
    cloOffset: targetFields.cloOffset,
    occasion: targetFields.occasion,
  })
  .meta({ title: 'ScoreRequest' });
export type ScoreRequest = z.infer<typeof ScoreRequest>;
