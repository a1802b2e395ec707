import { createHash } from 'node:crypto';
import { formatHex, formatHex8, parse } from 'culori';
import { z } from 'zod';
import {
  GEOMETRY_LIMITS,
  parseMargins,
  parsePosition,
  parseRegion,
  parseScale,
} from './geometry.ts';
import { DEFAULT_SHADOW_OPACITY_PCT, OutputOptions } from './options.ts';
import { type CutOutOptions, type Quality, qualityOptions } from './quality.ts';
import { PACK_NAME } from './rules/pack.ts';
import { SUBJECTS } from './subjects.ts';

export const CHANNELS = ['rgba', 'alpha'] as const;
const SHADOWS = ['none', 'drop', 'keep'] as const;
const ALPHA_MODES = ['replace', 'keep'] as const;

/** Names of presets. */
export const PRESET_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Limits of the size of an output, million pixels. */
const MEGAPIXELS = { min: 0.01, max: 1000 } as const;
const COLOR = /^(#[0-9a-f]+|[a-z]+)$/;

/** Returns a CSS colour as `#rrggbb`, or as `#rrggbbaa` if it is not opaque; nothing if it is malformed. */
export function parseColor(text: string): string | undefined {
  const word = text.trim().toLowerCase();
  const color = COLOR.test(word) ? parse(word) : undefined;
  if (!color) return undefined;
  return color.alpha === undefined || color.alpha === 1 ? formatHex(color) : formatHex8(color);
}

/** Converts a number in a form; any other value stays as it is. */
const toNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;

const toBoolean = (value: unknown): unknown =>
  value === 'true' || value === 'false' ? value === 'true' : value;

const toFormat = (value: unknown): unknown => (value === 'jpg' ? 'jpeg' : value);

const isBytes = (value: unknown): boolean => value instanceof Uint8Array;

const { maxMarginPixels, maxMarginPct, minScalePct } = GEOMETRY_LIMITS;

/** The fields of the API, each a form field or a JSON member; all are optional. */
export const outputFields = {
  format: z.preprocess(toFormat, z.enum(['png', 'jpeg', 'webp']).optional()).meta({
    description: '`png` by default; `jpeg` has no transparency and gets a white background',
  }),
  channels: z
    .enum(CHANNELS)
    .optional()
    .meta({ description: '`alpha` returns the matte alone, as an 8-bit grayscale image' }),
  backgroundColor: z
    .string()
    .max(40)
    .refine(
      (text) => parseColor(text) !== undefined,
      'must be #rgb, #rgba, #rrggbb, #rrggbbaa or the name of a CSS colour',
    )
    .optional()
    .meta({ description: '`#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour' }),
  backgroundImageUrl: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional()
    .meta({ description: 'An image that covers the canvas; public addresses only' }),
  crop: z
    .preprocess(toBoolean, z.boolean().optional())
    .meta({ description: 'Crop to the bounding box of the subject' }),
  cropMargin: z
    .string()
    .refine(
      (text) => parseMargins(text) !== undefined,
      `must be 1, 2 or 4 lengths as in CSS, each at most ${maxMarginPixels}px or ${maxMarginPct}%`,
    )
    .optional()
    .meta({
      description:
        '`30px` or `10%` of the bounding box; 1, 2 or 4 values as in CSS. Requires `crop`',
    }),
  scale: z
    .string()
    .refine(
      (text) => text === 'original' || parseScale(text) !== undefined,
      `must be "original", or ${minScalePct}% to 100%`,
    )
    .optional()
    .meta({
      description: 'Share of the canvas that the subject fits in: `10%` to `100%`, or `original`',
    }),
  position: z
    .string()
    .refine(
      (text) => text === 'original' || parsePosition(text) !== undefined,
      'must be "original", "center", or one or two of 0% to 100%',
    )
    .optional()
    .meta({
      description: '`original`, `center` (the default with `scale`), or `x% y%` of the free space',
    }),
  roi: z
    .string()
    .refine(
      (text) => parseRegion(text) !== undefined,
      'must be four lengths "x1 y1 x2 y2" in px or %, the second corner right of and below the first',
    )
    .optional()
    .meta({ description: '`x1 y1 x2 y2` in px or %: the region to search for the subject' }),
  maxOutputMegapixels: z
    .preprocess(toNumber, z.number().min(MEGAPIXELS.min).max(MEGAPIXELS.max).optional())
    .meta({ description: 'A larger output is scaled down to this many million pixels' }),
  shadow: z.enum(SHADOWS).optional().meta({
    description:
      '`drop`: a soft shadow is drawn; `keep`: the soft shadow of the photo stays, on an even backdrop',
  }),
  shadowOpacityPct: z
    .preprocess(toNumber, z.number().min(0).max(100).optional())
    .meta({ description: `${DEFAULT_SHADOW_OPACITY_PCT} by default` }),
  subject: z
    .enum(SUBJECTS)
    .meta({
      id: 'Subject',
      description:
        '`all` (the default); `person`: the people; `garment`: what is worn, without skin and hair; or one region of it',
    })
    .optional(),
  preset: z
    .string()
    .regex(PRESET_NAME, 'must be the name of a preset: a-z, 0-9 and hyphens')
    .optional()
    .meta({ description: 'The name of a preset of yours: its options apply where you send none' }),
  alpha: z
    .enum(ALPHA_MODES)
    .meta({
      id: 'AlphaMode',
      description:
        '`keep`: an image that is transparent somewhere is not cut out, it keeps its alpha; `replace` is the default',
    })
    .optional(),
  semitransparency: z
    .preprocess(toBoolean, z.boolean().optional())
    .meta({ description: '`false`: the subject is opaque except for its outline' }),
  rules: z
    .string()
    .regex(PACK_NAME, 'must be the name of a rule pack: a-z, 0-9 and hyphens')
    .optional()
    .meta({ description: 'Judges the output by this rule pack, such as `amazon-main`' }),
  fixRules: z.preprocess(toBoolean, z.boolean().optional()).meta({
    description:
      'Makes right what can be made right without inventing pixels, before it is judged. Requires `rules`',
  }),
};

/** A background image uploaded with the request. */
export const BackgroundImage = z
  .custom<Uint8Array>(isBytes, 'must be a file part, or backgroundImageBase64 in JSON')
  .optional();

const Fields = z.object({ ...outputFields, backgroundImage: BackgroundImage });
type Fields = z.infer<typeof Fields>;

const BACKGROUND_FIELDS = ['backgroundColor', 'backgroundImage', 'backgroundImageUrl'] as const;

/** Fields that cannot be combined with others: when, and what to do. */
const CONFLICTS: readonly {
  field: keyof Fields;
  when: (request: Fields) => boolean;
  detail: string;
}[] = [
  ...BACKGROUND_FIELDS.map((field, i) => ({
    field,
    when: (request: Fields) =>
      BACKGROUND_FIELDS.slice(0, i).some((other) => request[other] !== undefined),
    detail: `conflicts with another background; send only one of ${BACKGROUND_FIELDS.join(', ')}`,
  })),
  ...BACKGROUND_FIELDS.map((field) => ({
    field,
    when: (request: Fields) => request.channels === 'alpha',
    detail: 'conflicts with channels "alpha", which has no colours; leave one of them out',
  })),
  {
    field: 'shadow',
    when: (request) => request.channels === 'alpha' && request.shadow !== 'none',
    detail: 'conflicts with channels "alpha"; leave one of them out',
  },
  {
    field: 'shadow',
    when: (request) => request.shadow === 'keep' && (request.subject ?? 'all') !== 'all',
    detail: '"keep" is the shadow of the whole subject; leave subject out',
  },
  {
    field: 'shadowOpacityPct',
    when: (request) => request.shadow !== 'drop',
    detail: 'requires shadow "drop"',
  },
  {
    field: 'rules',
    when: (request) => request.channels === 'alpha',
    detail: 'conflicts with channels "alpha", which has no picture to judge; leave one of them out',
  },
  {
    field: 'fixRules',
    when: (request) => request.rules === undefined,
    detail: 'requires rules',
  },
  ...(['roi', 'subject', 'shadow'] as const).map((field) => ({
    field,
    when: (request: Fields) =>
      request.alpha === 'keep' && !['all', 'none', 'drop'].includes(request[field] ?? 'all'),
    detail: 'conflicts with alpha "keep", by which nothing is looked for; leave one of them out',
  })),
  { field: 'cropMargin', when: (request) => !request.crop, detail: 'requires crop "true"' },
];

/** Adds an issue for every field that conflicts with another. @param path of the object that has the fields */
export function checkConflicts(
  request: Fields,
  context: z.RefinementCtx,
  path: readonly string[] = [],
): void {
  for (const { field, when, detail } of CONFLICTS) {
    if (request[field] === undefined || !when(request)) continue;
    context.addIssue({ code: 'custom', path: [...path, field], message: detail });
  }
}

/**
 * Returns a request with the options of a preset. What the request says wins: also over options of the preset that
 * conflict with it.
 */
export function mergePreset<T extends object>(preset: object, sent: T): T {
  const isSet = ([, value]: [string, unknown]): boolean => value !== undefined;
  const explicit = Object.fromEntries(Object.entries(sent).filter(isSet));
  const merged: Record<string, unknown> = { ...preset, ...explicit };
  const fromPreset = new Set(Object.keys(preset).filter((name) => !(name in explicit)));
  const drop = (name: string) => {
    delete merged[name];
    fromPreset.delete(name);
  };
  for (const { field, when } of [...CONFLICTS, ...CONFLICTS]) {
    if (merged[field] === undefined || !when(merged as Fields)) continue;
    const ends = (name: string) => !when({ ...merged, [name]: undefined } as Fields);
    const other = fromPreset.has(field) ? field : [...fromPreset].find(ends);
    if (other) drop(other);
  }
  return merged as T;
}

/** Drops members that are empty strings: they count as not sent. */
export const withoutBlanks = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ''))
    : value;

/** The fields of a request that concern the output; others are ignored. */
export const OutputRequest = z.preprocess(withoutBlanks, Fields.superRefine(checkConflicts));
export type OutputRequest = z.infer<typeof OutputRequest>;

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Converts a request to options, without those that have their default. */
export function toOutputOptions(request: OutputRequest): OutputOptions {
  const { format, backgroundColor, backgroundImage, scale, position, ...rest } = request;
  const isScaled = scale !== undefined && scale !== 'original';
  const defaultPosition = isScaled ? 'center' : 'original';
  const all = {
    ...rest,
    format: format === 'png' ? undefined : format,
    channels: rest.channels === 'rgba' ? undefined : rest.channels,
    backgroundColor: backgroundColor && parseColor(backgroundColor),
    backgroundImageSha256: backgroundImage && sha256Of(backgroundImage),
    alpha: rest.alpha === 'keep' ? 'keep' : undefined,
    crop: rest.crop || undefined,
    scale: isScaled ? scale : undefined,
    position: position === defaultPosition ? undefined : position,
    shadow: rest.shadow === 'none' ? undefined : rest.shadow,
    semitransparency: rest.semitransparency === false ? false : undefined,
    subject: rest.subject === 'all' ? undefined : rest.subject,
    fixRules: rest.fixRules || undefined,
  };
  const isSet = ([, value]: [string, unknown]) => value !== undefined;
  return OutputOptions.parse(Object.fromEntries(Object.entries(all).filter(isSet)));
}

/** The same with the quality; returns no options if all are defaults. */
export const toCutOutOptions = (
  request: OutputRequest & { quality?: Quality | undefined },
): CutOutOptions => ({
  ...qualityOptions(request.quality),
  ...toOutputOptions(request),
});
