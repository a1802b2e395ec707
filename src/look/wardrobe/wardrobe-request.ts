import { z } from 'zod';
import { Problem } from '../../platform/problem.ts';
import { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import { LocaleTag } from '../../taxonomy/dictionary/locales.ts';
import { targetFields } from '../schema.ts';

export const MAX_ITEMS = 1000;
export const MAX_CANDIDATES = 200;
export const MAX_OUTFITS = 20;

/** Rejects a wardrobe that is too large before anything in it is read. */
function rejectTooMany(items: unknown): unknown {
  if (Array.isArray(items) && items.length > MAX_ITEMS)
    throw new Problem('payload-too-large', `A wardrobe has at most ${MAX_ITEMS} items`, {
      errors: [{ pointer: '/items', detail: `has ${items.length} items` }],
    });
  return items;
}

/** Runs a check even if others failed, so that one response lists all errors. */
export const RUN_ALWAYS = { when: () => true };

const idsIn = (items: unknown): unknown[] =>
  Array.isArray(items)
    ? items.map((item) => (item && typeof item === 'object' && 'id' in item ? item.id : undefined))
    : [];

const Items = z.preprocess(
  rejectTooMany,
  z.array(WardrobeItem).superRefine((items, context) => {
    const first = new Map<unknown, number>();
    idsIn(items).forEach((id, at) => {
      const before = first.get(id);
      if (typeof id !== 'string' || before === undefined) first.set(id, at);
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
  .meta({ description: '`indoor` (default) dresses for the room and adds a shell for outside' });

const seed = z
  .number()
  .int()
  .min(0)
  .max(4_294_967_295)
  .optional()
  .meta({ description: 'Another choice among equal items; the same seed gives the same response' });
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
  .meta({ description: 'Outfits worn recently; others are ranked first' });

export const wardrobeFields = {
  items: Items,
  plan: Plan,
  seed,
  must: itemIds
    .max(6)
    .optional()
    .meta({ description: 'Ids of items that every outfit must contain' }),
  exclude: itemIds.max(MAX_ITEMS).optional(),
  locale: LocaleTag.optional(),
};

/** Checks that every id in `must` is the id of an item, if all items have one, and occurs once. */
export function checkMust(
  body: { items?: unknown; must?: unknown },
  context: z.RefinementCtx,
): void {
  if (!Array.isArray(body?.must)) return;
  const known = new Set(idsIn(body.items));
  const isComplete = Array.isArray(body.items) && [...known].every((id) => typeof id === 'string');
  body.must.forEach((id: unknown, at: number, all: unknown[]) => {
    if (typeof id !== 'string') return;
    if (isComplete && !known.has(id))
      context.addIssue({ code: 'custom', path: ['must', at], message: 'No item has this id' });
    else if (all.indexOf(id) < at)
      context.addIssue({ code: 'custom', path: ['must', at], message: 'This id occurs twice' });
  });
}

export const CandidatesRequest = z
  .strictObject({
    ...targetFields,
    ...wardrobeFields,
    limit: z.number().int().min(1).max(MAX_CANDIDATES).optional(),
  })
  .superRefine(checkMust, RUN_ALWAYS)
  .meta({ id: 'CandidatesRequest' });
export type CandidatesRequest = z.infer<typeof CandidatesRequest>;

export const OutfitsRequest = z
  .strictObject({
    ...targetFields,
    ...wardrobeFields,
    limit: z.number().int().min(1).max(MAX_OUTFITS).optional(),
    recent: Recent,
  })
  .superRefine(checkMust, RUN_ALWAYS)
  .meta({ id: 'OutfitsRequest' });
export type OutfitsRequest = z.infer<typeof OutfitsRequest>;

/** A candidate sent back; only `itemIds` decides what is worn. */
const CandidateIn = z.looseObject({
  id: z.string().regex(/^c_[0-9a-f]{16}$/),
  itemIds: itemIds.min(1).max(18),
});

export const ScoreRequest = z
  .strictObject({
    targets: z.looseObject({}).meta({ description: 'Unchanged, as returned' }),
    indoorTargets: z
      .looseObject({})
      .optional()
      .meta({ description: 'Ignored; accepted for convenience' }),
    candidates: z.array(CandidateIn).min(1).max(MAX_CANDIDATES),
    items: Items,
    plan: Plan,
    recent: Recent,
    userProfile: targetFields.userProfile,
    cloOffset: targetFields.cloOffset,
    occasion: targetFields.occasion,
    locale: wardrobeFields.locale,
  })
  .meta({ id: 'ScoreRequest' });
export type ScoreRequest = z.infer<typeof ScoreRequest>;
