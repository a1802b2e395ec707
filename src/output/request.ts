import { createHash } from 'node:crypto';
import { formatHex, formatHex8, parse } from 'culori';
import { z } from 'zod';
import { FORMAT_NAMES, FORMATS } from './formats.ts';
import {
  GEOMETRY_LIMITS,
  parseMargins,
  parsePosition,
  parseRegion,
  parseScale,
} from './geometry.ts';
import {
  type Door,
  type Notation,
  OPTION_NAMES,
  OPTIONS,
  type OptionAt,
  type OptionName,
  optionsAt,
  type ValueOf,
} from './option-table.ts';
import { CutOutOptions, formatOf } from './options.ts';
import { PACK_NAME, type RulePack } from './rules/pack.ts';

export const PRESET_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

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

const { maxMarginPixels, maxMarginPct, minScalePct } = GEOMETRY_LIMITS;

/** A text that a parser understands. */
const parsed = (read: (text: string) => unknown, detail: string) =>
  z.string().refine((text) => read(text) !== undefined, detail);

/** The check of each notation. */
const NOTATIONS: Readonly<Record<Notation, z.ZodType<string, string>>> = {
  color: z
    .string()
    .max(40)
    .refine(
      (text) => parseColor(text) !== undefined,
      'must be #rgb, #rgba, #rrggbb, #rrggbbaa or the name of a CSS colour',
    ),
  url: z.url({ protocol: /^https?$/ }).max(2048),
  lengths: parsed(
    parseMargins,
    `must be 1, 2 or 4 lengths as in CSS, each at most ${maxMarginPixels}px or ${maxMarginPct}%`,
  ),
  scale: parsed(
    (text) => (text === 'original' ? text : parseScale(text)),
    `must be "original", or ${minScalePct}% to 100%`,
  ),
  position: parsed(
    (text) => (text === 'original' ? text : parsePosition(text)),
    'must be "original", "center", or one or two of 0% to 100%',
  ),
  region: parsed(
    parseRegion,
    'must be four lengths "x1 y1 x2 y2" in px or %, the second corner right of and below the first',
  ),
  preset: z.string().regex(PRESET_NAME, 'must be the name of a preset: a-z, 0-9 and hyphens'),
  rules: z.string().regex(PACK_NAME, 'must be the name of a rule pack: a-z, 0-9 and hyphens'),
};

/** The field of an option: a form field, a parameter of a query or a member of JSON. */
function fieldOf({ values, default: value, description, schema }: (typeof OPTIONS)[OptionName]) {
  const meta = {
    description: value === undefined ? description : `${description}. Default \`${value}\``,
  };
  if ('text' in values) return NOTATIONS[values.text].optional().meta(meta);
  if ('flag' in values) return z.preprocess(toBoolean, z.boolean().optional()).meta(meta);
  if ('min' in values) {
    const number = z.number().min(values.min).max(values.max);
    return z.preprocess(toNumber, number.optional()).meta(meta);
  }
  const { words, aliases = {} } = values;
  const word = z.enum(words);
  if (schema) return word.meta({ id: schema, ...meta }).optional();
  const toWord = (sent: unknown) => (typeof sent === 'string' && aliases[sent]) || sent;
  return z.preprocess(toWord, word.optional()).meta(meta);
}

type OptionFields = {
  [Name in OptionName]: z.ZodOptional<z.ZodType<ValueOf<Name>, ValueOf<Name>>>;
};

export const optionFields = Object.fromEntries(
  OPTION_NAMES.map((name) => [name, fieldOf(OPTIONS[name])]),
) as unknown as OptionFields;

export const fieldsAt = <D extends Door>(door: D) =>
  Object.fromEntries(optionsAt(door).map((name) => [name, optionFields[name]])) as Pick<
    OptionFields,
    OptionAt<D>
  >;

const isBytes = (value: unknown): boolean => value instanceof Uint8Array;

export const BackgroundImage = z
  .custom<Uint8Array>(isBytes, 'must be a file part, or backgroundImageBase64 in JSON')
  .optional();

const Fields = z.object({ ...optionFields, backgroundImage: BackgroundImage });
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

/** Whether a value says something: a word, a flag or a text that is not the default. */
function isTold([name, value]: [string, unknown]): boolean {
  const row = name in OPTIONS ? OPTIONS[name as OptionName] : undefined;
  return value !== undefined && (typeof value === 'number' || value !== row?.default);
}

/** Converts a request to options, without those that have their default. */
export function toCutOutOptions(request: OutputRequest): CutOutOptions {
  const { backgroundColor, backgroundImage, position, preset: _, ...rest } = request;
  const isScaled = rest.scale !== undefined && rest.scale !== OPTIONS.scale.default;
  const all = {
    ...rest,
    backgroundColor: backgroundColor && parseColor(backgroundColor),
    backgroundImageSha256: backgroundImage && sha256Of(backgroundImage),
    position: position === (isScaled ? 'center' : 'original') ? undefined : position,
  };
  return CutOutOptions.parse(Object.fromEntries(Object.entries(all).filter(isTold)));
}

/** Returns options as a member of an object; no member if all are defaults. */
export const unlessDefault = (options: CutOutOptions): { options?: CutOutOptions } =>
  Object.keys(options).length > 0 ? { options } : {};

/** Tried in this order: files without alpha are small. */
const FORMAT_ORDER = FORMAT_NAMES.toSorted(
  (a, b) => Number(FORMATS[a].hasAlpha) - Number(FORMATS[b].hasAlpha),
);

/** Returns the options with a format that a pack allows. */
function withAllowedFormat(options: CutOutOptions, { rules }: RulePack): CutOutOptions {
  const allowed: readonly string[] | undefined = rules['file-type'];
  if (!allowed || allowed.includes(formatOf(options).mediaType)) return options;
  const format = FORMAT_ORDER.find((name) => allowed.includes(FORMATS[name].mediaType));
  const { format: _, ...rest } = options;
  return format === 'png' || format === undefined ? rest : { ...rest, format };
}

/** Returns options with the pack that they name. If they fix the output, its format is settled here: keys depend on it. */
export function withRulePack(options: CutOutOptions, rulePack: RulePack): CutOutOptions {
  const judged = { ...options, rulePack };
  return options.fixRules ? withAllowedFormat(judged, rulePack) : judged;
}
