import { z } from 'zod';
import { Problem } from '../../platform/problem.ts';
import { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import { LocaleTag } from '../../taxonomy/dictionary/locales.ts';
import { CoverageList, PlanId, targetFields } from '../schema.ts';
import type { Coverage } from '../tables.ts';
import { SLOTS } from './ensemble.ts';

export const MAX_ITEMS = 1000;
export const MAX_CANDIDATES = 200;
export const MAX_OUTFITS = 20;
const MAX_VARIETY = 7;
/** One for each slot. */
const MAX_PINS = SLOTS.length;

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

const Plan = PlanId.optional().meta({
  description: '`indoor` (default) dresses for the room and adds a shell for outside',
});

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
  must: itemIds.max(6).optional().meta({
    description: 'Ids of items that every outfit must contain; if no outfit can, there is none',
  }),
  pin: itemIds.max(MAX_PINS).optional().meta({
    description: 'Like `must`, but items that cannot be worn together are rejected',
  }),
  exclude: itemIds.max(MAX_ITEMS).optional(),
  coverage: CoverageList,
  locale: LocaleTag.optional(),
};

const isUnavailable = (item: unknown): boolean =>
  item !== null && typeof item === 'object' && 'available' in item && item.available === false;

/** Why an item cannot be required; undefined if it can. */
function requirementError(
  body: { items?: unknown; exclude?: unknown },
  id: string,
  isRepeated: boolean,
): string | undefined {
  const ids = idsIn(body.items);
  const at = ids.indexOf(id);
  const isComplete = Array.isArray(body.items) && ids.every((one) => typeof one === 'string');
  if (at < 0 && isComplete) return 'No item has this id';
  if (isRepeated) return 'This id occurs twice';
  if (Array.isArray(body.exclude) && body.exclude.includes(id)) return 'is in `exclude` too';
  if (Array.isArray(body.items) && isUnavailable(body.items[at]))
    return 'This item has `available: false`';
  return undefined;
}

/** Checks that every id in `must` and `pin` is that of an item that may be worn, and occurs once. */
export function checkRequired(
  body: { items?: unknown; exclude?: unknown; must?: unknown; pin?: unknown },
  context: z.RefinementCtx,
): void {
  for (const field of ['must', 'pin'] as const) {
    const all: unknown = body?.[field];
    if (!Array.isArray(all)) continue;
    all.slice(0, MAX_PINS).forEach((id: unknown, at) => {
      if (typeof id !== 'string') return;
      const message = requirementError(body, id, all.indexOf(id) < at);
      if (message) context.addIssue({ code: 'custom', path: [field, at], message });
    });
  }
}

/** The parts of the body that every outfit covers: those of the request, else of the profile. */
export const coverageOf = ({
  coverage,
  userProfile,
}: Pick<z.infer<typeof CandidatesRequest>, 'coverage' | 'userProfile'>): ReadonlySet<Coverage> =>
  new Set(coverage ?? userProfile?.coverage);

/** The ids of all items that every outfit must contain. */
export const requiredIds = ({
  must = [],
  pin = [],
}: Pick<z.infer<typeof CandidatesRequest>, 'must' | 'pin'>): ReadonlySet<string> =>
  new Set([...must, ...pin]);

export const CandidatesRequest = z
  .strictObject({
    ...targetFields,
    ...wardrobeFields,
    limit: z.number().int().min(1).max(MAX_CANDIDATES).optional(),
  })
  .superRefine(checkRequired, RUN_ALWAYS)
  .meta({ id: 'CandidatesRequest' });
export type CandidatesRequest = z.infer<typeof CandidatesRequest>;

/** Checks that a request has either `limit` or `variety`. */
function checkVariety(
  body: { limit?: unknown; variety?: unknown } | null,
  context: z.RefinementCtx,
): void {
  if (body?.limit === undefined || body.variety === undefined) return;
  context.addIssue({
    code: 'custom',
    path: ['limit'],
    message: 'Leave it out if you send `variety`',
  });
}

export const OutfitsRequest = z
  .strictObject({
    ...targetFields,
    ...wardrobeFields,
    limit: z.number().int().min(1).max(MAX_OUTFITS).optional(),
    variety: z.number().int().min(2).max(MAX_VARIETY).optional().meta({
      description:
        'Instead of `limit`: so many outfits, any two of which share at most half of their visible pieces',
    }),
    recent: Recent,
  })
  .superRefine(checkRequired, RUN_ALWAYS)
  .superRefine(checkVariety, RUN_ALWAYS)
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
    plan: PlanId.optional().meta({
      description: 'Of the targets; those of /targets have none and take `indoor` by default',
    }),
    recent: Recent,
    userProfile: targetFields.userProfile,
    cloOffset: targetFields.cloOffset,
    occasion: targetFields.occasion,
    locale: wardrobeFields.locale,
  })
  .meta({ id: 'ScoreRequest' });
export type ScoreRequest = z.infer<typeof ScoreRequest>;
