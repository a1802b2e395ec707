import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { IMAGE_TYPES } from '../formats.ts';
import amazonMain from './packs/amazon-main.json' with { type: 'json' };
import googleMerchant from './packs/google-merchant.json' with { type: 'json' };
import zalandoPackshot from './packs/zalando-packshot.json' with { type: 'json' };

/** Names of packs, of ours and of clients. */
export const PACK_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Bytes of a pack as JSON; also what one adds to each job that has it. */
export const MAX_PACK_BYTES = 4096;

const share = z.number().min(0).max(1);
/** Pixels; every format has room for so many. */
const pixels = z.number().int().min(1).max(16_000);

/** A range of which at least one end is given. */
const range = <T extends z.ZodType<number>>(bound: T) =>
  z
    .strictObject({ min: bound.optional(), max: bound.optional() })
    .superRefine(({ min, max }, context) => {
      if (min === undefined && max === undefined)
        context.addIssue({ code: 'custom', message: 'must have a min, a max, or both' });
      if (min !== undefined && max !== undefined && min > max)
        context.addIssue({ code: 'custom', path: ['min'], message: `is above max, ${max}` });
    });

/** Of the formats that cut-outs have. */
const FileType = z.enum(IMAGE_TYPES);

const Rules = z.strictObject({
  background: z
    .strictObject({
      color: z.string().regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #ffffff'),
      /** By so much a channel may differ, 0..255. */
      tolerance: z.number().int().min(0).max(32).optional(),
    })
    .optional(),
  border: z.literal(false).optional(),
  overlay: z.literal(false).optional(),
  fringe: z.literal(false).optional(),
  'cut-by-frame': z.literal(false).optional(),
  'fill-ratio': range(share).optional(),
  margin: z.strictObject({ min: z.number().min(0).max(0.45) }).optional(),
  aspect: range(z.number().min(0.1).max(10)).optional(),
  'longest-side': range(pixels).optional(),
  'shortest-side': range(pixels).optional(),
  megapixels: z.strictObject({ max: z.number().min(0.01).max(1000) }).optional(),
  'file-type': z.array(FileType).min(1).max(IMAGE_TYPES.length).optional(),
  'file-bytes': z.strictObject({ max: z.number().int().min(1000).max(1e9) }).optional(),
});
type Rules = z.infer<typeof Rules>;

/** Returns the smallest area, pixels, that the sides allow. */
const minArea = (rules: Rules): number =>
  (rules['longest-side']?.min ?? 1) * (rules['shortest-side']?.min ?? 1);

/** Bounds that no picture can meet together: where to point, when, and what is wrong. */
const CONTRADICTIONS: readonly {
  path: readonly [string, string];
  when: (rules: Rules) => boolean;
  detail: string;
}[] = [
  {
    path: ['shortest-side', 'min'],
    when: (rules) =>
      (rules['shortest-side']?.min ?? 0) > (rules['longest-side']?.max ?? Number.POSITIVE_INFINITY),
    detail: 'is above the max of longest-side',
  },
  {
    path: ['margin', 'min'],
    when: (rules) => (rules['fill-ratio']?.min ?? 0) > 1 - 2 * (rules.margin?.min ?? 0),
    detail: 'leaves less room than the min of fill-ratio needs',
  },
  {
    path: ['megapixels', 'max'],
    when: (rules) => minArea(rules) > (rules.megapixels?.max ?? Number.POSITIVE_INFINITY) * 1e6,
    detail: 'is below the area of the shortest allowed sides',
  },
];

/** Rules a picture is judged by. An absent one is not judged. */
export const RulePack = z
  .strictObject({
    title: z.string().trim().min(1).max(100),
    /** Where the rules were read, and when. */
    sources: z
      .array(
        z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(300), checkedOn: z.iso.date() }),
      )
      .max(6)
      .optional(),
    rules: Rules.refine(
      (rules) => Object.values(rules).some((rule) => rule !== undefined),
      'must have at least one rule',
    ).superRefine((rules, context) => {
      for (const { path, when, detail } of CONTRADICTIONS)
        if (when(rules)) context.addIssue({ code: 'custom', path: [...path], message: detail });
    }),
  })
  .meta({ id: 'RulePack' });
export type RulePack = z.infer<typeof RulePack>;

export type RuleId = keyof RulePack['rules'];
export const RULE_IDS = Object.keys(Rules.shape) as RuleId[];

/** Returns the version of a pack: equal packs have equal ones. */
export function versionOf(pack: RulePack): string {
  const text = canonicalize(pack) ?? '';
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export const BUILT_IN_PACKS: ReadonlyMap<string, RulePack> = new Map(
  Object.entries({
    'amazon-main': amazonMain,
    'google-merchant': googleMerchant,
    'zalando-packshot': zalandoPackshot,
  }).map(([name, pack]) => [name, RulePack.parse(pack)]),
);
