import { z } from 'zod';
import { outputFields } from '../../../output/request.ts';
import { type Code, type CodedIssue, removebgProblem } from './errors.ts';
import { SIZES } from './sizes.ts';

/** What the parameters of a request become: options of our own, and what only this door knows. */
const WISH = {
  ...outputFields,
  format: z.enum(['auto', 'png', 'jpeg', 'webp', 'zip']).default('auto'),
  maxOutputMegapixels: outputFields.maxOutputMegapixels.default(SIZES.preview),
  imageUrl: outputFields.backgroundImageUrl,
  imageBase64: z.string().optional(),
  /** What the client calls the subject: it is echoed, not looked for. */
  subject: z.enum(['product', 'other']).default('other'),
  showSubject: z.boolean().default(true),
};
const Parameters = z.object(WISH);
export type Parameters = z.infer<typeof Parameters>;

interface Parameter {
  /** What of a wish it says. */
  field: keyof typeof WISH;
  /** What a wrong value is answered with. */
  code: Code | ((text: string) => Code);
  /** The words it takes, and what each is to us; without them the text is taken as it is. */
  words?: Readonly<Record<string, unknown>>;
  /** Another way to write it, as ours. */
  rewrite?(text: string): string;
}

const FLAG = { true: true, false: false };

/** Margins may be 0 without a unit. */
const withUnits = (text: string): string => text.replaceAll(/(?<=^|\s)0(?=\s|$)/g, '0px');

const HEX = /^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const withHash = (text: string): string => (HEX.test(text) ? `#${text}` : text);

const LENGTH = /^\d+(?:\.\d+)?(?:px|%)$/;

/** Four lengths may be no region for two reasons that remove.bg tells apart. */
function regionCode(text: string): Code {
  const lengths = text.split(/\s+/);
  if (lengths.length !== 4 || !lengths.every((word) => LENGTH.test(word))) return 'invalid_roi';
  const isBeyond = lengths.some((word) => word.endsWith('%') && Number.parseFloat(word) > 100);
  return isBeyond ? 'roi_exceeds_bounds' : 'roi_region_empty';
}

/** Every parameter of remove.bg that is a text, and what it is to us. */
// biome-ignore format: a table reads best aligned
const PARAMETERS: Readonly<Record<string, Parameter>> = {
  image_url:        { field: 'imageUrl',            code: 'invalid_image_url' },
  image_file_b64:   { field: 'imageBase64',         code: 'failed_to_read_image' },
  size:             { field: 'maxOutputMegapixels', code: 'invalid_size',             words: SIZES },
  type:             { field: 'subject',             code: 'invalid_type',             words: { auto: 'other', product: 'product', other: 'other' } },
  type_level:       { field: 'showSubject',         code: 'invalid_type_level',       words: { none: false, 1: true, 2: true, latest: true } },
  format:           { field: 'format',              code: 'invalid_format',           words: { auto: 'auto', png: 'png', jpg: 'jpeg', jpeg: 'jpeg', webp: 'webp', zip: 'zip' } },
  roi:              { field: 'roi',                 code: regionCode },
  crop:             { field: 'crop',                code: 'invalid_crop',             words: FLAG },
  crop_margin:      { field: 'cropMargin',          code: 'invalid_crop_margin',      rewrite: withUnits },
  scale:            { field: 'scale',               code: 'invalid_scale' },
  position:         { field: 'position',            code: 'invalid_position' },
  channels:         { field: 'channels',            code: 'invalid_channels',         words: { rgba: 'rgba', alpha: 'alpha' } },
  add_shadow:       { field: 'shadow',              code: 'invalid_add_shadow',       words: { true: 'drop', false: 'none' } },
  shadow_type:      { field: 'shadow',              code: 'invalid_shadow_type',      words: { none: 'none', drop: 'drop', auto: 'drop' } },
  shadow_opacity:   { field: 'shadowOpacityPct',    code: 'invalid_shadow_opacity' },
  semitransparency: { field: 'semitransparency',    code: 'invalid_semitransparency', words: FLAG },
  bg_color:         { field: 'backgroundColor',     code: 'invalid_bg_color',         rewrite: withHash },
  bg_image_url:     { field: 'backgroundImageUrl',  code: 'invalid_bg_image_url' },
};

/** For the document: the parameters as a form. */
export const ParameterForm = z.object(
  Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, { words }]) => [
      name,
      words ? z.enum(Object.keys(words)).optional() : z.string().optional(),
    ]),
  ),
);

/** JSON may say `true` and `2` without quotes; what is neither text nor that stays no text. */
function asText(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.trim() : undefined;
}

const codeOf = ({ code }: Parameter, text = ''): Code =>
  typeof code === 'string' ? code : code(text);

type Outcome = { value: unknown } | { wrong: string };

function chosen(words: Readonly<Record<string, unknown>>, text: string): Outcome {
  const word = Object.keys(words).find((known) => known.toLowerCase() === text.toLowerCase());
  return word === undefined
    ? { wrong: `must be one of ${Object.keys(words).join(', ')}` }
    : { value: words[word] };
}

function outcomeOf({ field, words, rewrite }: Parameter, text: string | undefined): Outcome {
  if (text === undefined) return { wrong: 'must be a text' };
  if (words) return chosen(words, text);
  const parsed = WISH[field].safeParse(rewrite?.(text) ?? text);
  return parsed.success
    ? { value: parsed.data }
    : { wrong: parsed.error.issues[0]?.message ?? 'is wrong' };
}

/** A sent name that is no parameter; a misspelt one must not be passed over. */
const unknownOf = (name: string): CodedIssue => ({
  pointer: `/${name}`,
  code: 'unknown_parameter',
  detail: `${name.slice(0, 40)} is not a parameter of this form`,
});

/**
 * What a form asks for. Empty texts count as not sent.
 * @throws Problem with every fault
 */
export function readParameters(fields: Readonly<Record<string, unknown>>): Parameters {
  const sent = Object.entries(fields).filter(([, value]) => asText(value) !== '');
  const faults = sent
    .map(([name]) => name)
    .filter((name) => !Object.hasOwn(PARAMETERS, name))
    .map(unknownOf);
  const wish: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(PARAMETERS)) {
    const text = asText(fields[name]);
    if (text === '') continue;
    const outcome = outcomeOf(parameter, text);
    if ('value' in outcome) wish[parameter.field] = outcome.value;
    else
      faults.push({
        pointer: `/${name}`,
        code: codeOf(parameter, text),
        detail: `${name} ${outcome.wrong}`,
      });
  }
  if (faults.length > 0) throw removebgProblem(...faults);
  return Parameters.parse(wish);
}
