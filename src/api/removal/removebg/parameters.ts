import { z } from 'zod';
import { validationMessage } from '../../../http/parse.ts';
import { FORMAT_NAMES, FORMATS } from '../../../output/formats.ts';
import { optionFields } from '../../../output/request.ts';
import { type Code, type CodedIssue, removebgProblem } from './errors.ts';

/** Maximum output size in megapixels, by remove.bg's names. */
const SIZES = {
  preview: 0.25,
  small: 0.25,
  regular: 0.25,
  medium: 1.5,
  hd: 4,
  full: 25,
  auto: 25,
  '4k': 25,
  '50MP': 50,
} as const;

/** Returns the maximum output size for any `size`, megapixels; the limit is lower for a PNG. */
export const maxMegapixels = (isPng: boolean): number => (isPng ? 10 : SIZES['50MP']);

/** The fields of parsed parameters: our options, and some that only remove.bg has. */
const FIELDS = {
  ...optionFields,
  format: z.enum(['auto', ...FORMAT_NAMES, 'zip']).default('auto'),
  maxOutputMegapixels: optionFields.maxOutputMegapixels.default(SIZES.preview),
  imageUrl: optionFields.backgroundImageUrl,
  imageBase64: z.string().optional(),
  /** The type of subject that the client declares: echoed, not detected. */
  subject: z.enum(['product', 'other']).default('other'),
  showSubject: z.boolean().default(true),
};
const Parameters = z.object(FIELDS);
export type Parameters = z.infer<typeof Parameters>;

interface Parameter {
  field: keyof typeof FIELDS;
  /** The error code for an invalid value. */
  code: Code | ((text: string) => Code);
  /** The allowed values, and our value for each. Without them, the schema of the field parses the text. */
  values?: Readonly<Record<string, unknown>>;
  /** Rewrites a notation of remove.bg to ours. */
  rewrite?(text: string): string;
}

const FLAG = { true: true, false: false };
const FORMAT_VALUES = Object.fromEntries([
  ['auto', 'auto'],
  ...FORMAT_NAMES.flatMap((name) => [FORMATS[name].extension, name].map((word) => [word, name])),
  ['zip', 'zip'],
]);

/** remove.bg allows 0 without a unit. */
const withUnits = (text: string): string => text.replaceAll(/(?<=^|\s)0(?=\s|$)/g, '0px');

const HEX = /^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const withHash = (text: string): string => (HEX.test(text) ? `#${text}` : text);

const LENGTH = /^\d+(?:\.\d+)?(?:px|%)$/;

/** Returns the code for an invalid region: remove.bg distinguishes why four lengths are not one. */
function regionCode(text: string): Code {
  const lengths = text.split(/\s+/);
  if (lengths.length !== 4 || !lengths.every((length) => LENGTH.test(length))) return 'invalid_roi';
  const isBeyond = lengths.some(
    (length) => length.endsWith('%') && Number.parseFloat(length) > 100,
  );
  return isBeyond ? 'roi_exceeds_bounds' : 'roi_region_empty';
}

/** All text parameters of remove.bg, and how they map to our fields. */
// biome-ignore format: a table reads best aligned
const PARAMETERS: Readonly<Record<string, Parameter>> = {
  image_url:        { field: 'imageUrl',            code: 'invalid_image_url' },
  image_file_b64:   { field: 'imageBase64',         code: 'failed_to_read_image' },
  size:             { field: 'maxOutputMegapixels', code: 'invalid_size',             values: SIZES },
  type:             { field: 'subject',             code: 'invalid_type',             values: { auto: 'other', product: 'product', other: 'other' } },
  type_level:       { field: 'showSubject',         code: 'invalid_type_level',       values: { none: false, 1: true, 2: true, latest: true } },
  format:           { field: 'format',              code: 'invalid_format',           values: FORMAT_VALUES },
  roi:              { field: 'roi',                 code: regionCode },
  crop:             { field: 'crop',                code: 'invalid_crop',             values: FLAG },
  crop_margin:      { field: 'cropMargin',          code: 'invalid_crop_margin',      rewrite: withUnits },
  scale:            { field: 'scale',               code: 'invalid_scale' },
  position:         { field: 'position',            code: 'invalid_position' },
  channels:         { field: 'channels',            code: 'invalid_channels',         values: { rgba: 'rgba', alpha: 'alpha' } },
  add_shadow:       { field: 'shadow',              code: 'invalid_add_shadow',       values: { true: 'drop', false: 'none' } },
  shadow_type:      { field: 'shadow',              code: 'invalid_shadow_type',      values: { none: 'none', drop: 'drop', auto: 'drop' } },
  shadow_opacity:   { field: 'shadowOpacityPct',    code: 'invalid_shadow_opacity' },
  semitransparency: { field: 'semitransparency',    code: 'invalid_semitransparency', values: FLAG },
  bg_color:         { field: 'backgroundColor',     code: 'invalid_bg_color',         rewrite: withHash },
  bg_image_url:     { field: 'backgroundImageUrl',  code: 'invalid_bg_image_url' },
};

export const ParameterForm = z
  .object(
    Object.fromEntries(
      Object.entries(PARAMETERS).map(([name, { values }]) => [
        name,
        values ? z.enum(Object.keys(values)).optional() : z.string().optional(),
      ]),
    ),
  )
  .meta({ id: 'RemoveBgRequest' });

/** Converts booleans and numbers of a JSON body to text; undefined for any other type. */
function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.trim() : undefined;
}

const codeOf = ({ code }: Parameter, text = ''): Code =>
  typeof code === 'string' ? code : code(text);

type ParsedValue = { value: unknown } | { error: string };

function lookUpValue(values: Readonly<Record<string, unknown>>, text: string): ParsedValue {
  const names = Object.keys(values);
  const name = names.find((known) => known.toLowerCase() === text.toLowerCase());
  return name === undefined
    ? { error: `must be one of ${names.join(', ')}` }
    : { value: values[name] };
}

function parseValue({ field, values, rewrite }: Parameter, text: string | undefined): ParsedValue {
  if (text === undefined) return { error: 'must be a string' };
  if (values) return lookUpValue(values, text);
  const parsed = FIELDS[field].safeParse(rewrite?.(text) ?? text, { error: validationMessage });
  return parsed.success
    ? { value: parsed.data }
    : { error: parsed.error.issues[0]?.message ?? 'is invalid' };
}

/** An unknown parameter is an error: a misspelt one must not be ignored. */
const unknownParameter = (name: string): CodedIssue => ({
  pointer: `/${name}`,
  code: 'unknown_parameter',
  detail: `${name.slice(0, 40)} is not a parameter of this form`,
});

/** Empty values count as absent. @throws Problem with all errors */
export function readParameters(fields: Readonly<Record<string, unknown>>): Parameters {
  const sent = Object.entries(fields).filter(([, value]) => toText(value) !== '');
  const issues = sent
    .map(([name]) => name)
    .filter((name) => !Object.hasOwn(PARAMETERS, name))
    .map(unknownParameter);
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(PARAMETERS)) {
    const text = toText(fields[name]);
    if (text === '') continue;
    const parsed = parseValue(parameter, text);
    if ('value' in parsed) {
      values[parameter.field] = parsed.value;
    } else {
      issues.push({
        pointer: `/${name}`,
        code: codeOf(parameter, text),
        detail: `${name} ${parsed.error}`,
      });
    }
  }
  if (issues.length > 0) throw removebgProblem(...issues);
  return Parameters.parse(values);
}
