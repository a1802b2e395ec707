import { createHash } from 'node:crypto';
import { formatHex, formatHex8, parse } from 'culori';
import { z } from 'zod';
import { GEOMETRY_BOUNDS, readMargins, readPosition, readRegion, readScale } from './geometry.ts';
import { DEFAULT_SHADOW_OPACITY_PCT, OutputOptions } from './options.ts';
import { type CutOutOptions, optionsOf, type Quality } from './quality.ts';

export const CHANNELS = ['rgba', 'alpha'] as const;
export const SHADOWS = ['none', 'drop'] as const;

/** Bounds of the size of an output, million pixels. */
const MEGAPIXELS = { least: 0.01, most: 1000 } as const;
const COLOR = /^(#[0-9a-f]+|[a-z]+)$/;

/** A colour as `#rrggbb`, with two more digits where it is not opaque; nothing where it is none. */
export function readColor(text: string): string | undefined {
  const word = text.trim().toLowerCase();
  const color = COLOR.test(word) ? parse(word) : undefined;
  if (!color) return undefined;
  return color.alpha === undefined || color.alpha === 1 ? formatHex(color) : formatHex8(color);
}

/** Text of a form as a number; anything else as it is. */
const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;

const asFlag = (value: unknown): unknown =>
  value === 'true' || value === 'false' ? value === 'true' : value;

const asFormat = (value: unknown): unknown => (value === 'jpg' ? 'jpeg' : value);

const isBytes = (value: unknown): boolean => value instanceof Uint8Array;

const { marginPixels, marginPct, leastScalePct } = GEOMETRY_BOUNDS;

/** The fields of the contract, each a text of a form or a member of a body; none has to be there. */
export const outputFields = {
  format: z
    .preprocess(asFormat, z.enum(['png', 'jpeg', 'webp']).optional())
    .meta({ description: '`png` unless said; `jpeg` has no transparency and lies on white' }),
  channels: z
    .enum(CHANNELS)
    .optional()
    .meta({ description: '`alpha` answers the matte alone, as an 8-bit grey picture' }),
  backgroundColor: z
    .string()
    .max(40)
    .refine(
      (text) => readColor(text) !== undefined,
      'must be #rgb, #rgba, #rrggbb, #rrggbbaa or the name of a CSS colour',
    )
    .optional()
    .meta({ description: '`#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour' }),
  backgroundImageUrl: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional()
    .meta({ description: 'A picture that covers the canvas; public addresses only' }),
  crop: z
    .preprocess(asFlag, z.boolean().optional())
    .meta({ description: 'Cut to the box of the subject' }),
  cropMargin: z
    .string()
    .refine(
      (text) => readMargins(text) !== undefined,
      `must be 1, 2 or 4 lengths as in CSS, each at most ${marginPixels}px or ${marginPct}%`,
    )
    .optional()
    .meta({ description: '`30px` or `10%` of the box; 1, 2 or 4 values as in CSS. With `crop`' }),
  scale: z
    .string()
    .refine(
      (text) => text === 'original' || readScale(text) !== undefined,
      `must be "original", or ${leastScalePct}% to 100%`,
    )
    .optional()
    .meta({
      description: 'The subject fits in so much of the canvas: `10%` to `100%`, `original`',
    }),
  position: z
    .string()
    .refine(
      (text) => text === 'original' || readPosition(text) !== undefined,
      'must be "original", "center", or one or two of 0% to 100%',
    )
    .optional()
    .meta({
      description: '`original`, `center` (usual with `scale`), or `x% y%` of the space left over',
    }),
  roi: z
    .string()
    .refine(
      (text) => readRegion(text) !== undefined,
      'must be four lengths "x1 y1 x2 y2" in px or %, the second corner right of and below the first',
    )
    .optional()
    .meta({ description: '`x1 y1 x2 y2` in px or %: the subject is sought here alone' }),
  maxOutputMegapixels: z
    .preprocess(asNumber, z.number().min(MEGAPIXELS.least).max(MEGAPIXELS.most).optional())
    .meta({ description: 'A larger output is scaled down to so many million pixels' }),
  shadow: z.enum(SHADOWS).optional().meta({ description: '`drop`: a soft shadow on the ground' }),
  shadowOpacityPct: z
    .preprocess(asNumber, z.number().min(0).max(100).optional())
    .meta({ description: `${DEFAULT_SHADOW_OPACITY_PCT} unless said` }),
  semitransparency: z
    .preprocess(asFlag, z.boolean().optional())
    .meta({ description: '`false`: nothing of the subject is see-through but its outline' }),
};

/** A background that came with the request. */
export const BackgroundImage = z
  .custom<Uint8Array>(isBytes, 'must be a file part, or backgroundImageBase64 in JSON')
  .optional();

const Fields = z.object({ ...outputFields, backgroundImage: BackgroundImage });
type Fields = z.infer<typeof Fields>;

const BACKGROUNDS = ['backgroundColor', 'backgroundImage', 'backgroundImageUrl'] as const;

/** What cannot be asked for together: where it is, when, and what to do. */
const CLASHES: readonly {
  field: keyof Fields;
  when: (wish: Fields) => boolean;
  detail: string;
}[] = [
  ...BACKGROUNDS.map((field, i) => ({
    field,
    when: (wish: Fields) => BACKGROUNDS.slice(0, i).some((other) => wish[other] !== undefined),
    detail: `comes with another background; send one of ${BACKGROUNDS.join(', ')}`,
  })),
  ...BACKGROUNDS.map((field) => ({
    field,
    when: (wish: Fields) => wish.channels === 'alpha',
    detail: 'makes no sense with channels "alpha", which has no colours; leave one of them out',
  })),
  {
    field: 'shadow',
    when: (wish) => wish.channels === 'alpha' && wish.shadow === 'drop',
    detail: 'makes no sense with channels "alpha"; leave one of them out',
  },
  {
    field: 'shadowOpacityPct',
    when: (wish) => wish.shadow !== 'drop',
    detail: 'needs shadow "drop"',
  },
  { field: 'cropMargin', when: (wish) => !wish.crop, detail: 'needs crop "true"' },
];

/** Names every pair of fields that exclude each other. @param path where the fields stand */
export function checkConflicts(
  wish: Fields,
  faults: z.RefinementCtx,
  path: readonly string[] = [],
): void {
  for (const { field, when, detail } of CLASHES) {
    if (wish[field] === undefined || !when(wish)) continue;
    faults.addIssue({ code: 'custom', path: [...path, field], message: detail });
  }
}

/** Members that are empty texts count as not sent. */
export const withoutBlanks = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ''))
    : value;

/** How an output is to look, as it is asked for; whatever else is in there is let be. */
export const OutputRequest = z.preprocess(withoutBlanks, Fields.superRefine(checkConflicts));
export type OutputRequest = z.infer<typeof OutputRequest>;
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What of a wish is not as usual. */
export function outputOptionsOf(wish: OutputRequest): OutputOptions {
  const { format, backgroundColor, backgroundImage, scale, position, ...rest } = wish;
  const isScaled = scale !== undefined && scale !== 'original';
  const usualPosition = isScaled ? 'center' : 'original';
  const all = {
    ...rest,
    format: format === 'png' ? undefined : format,
    channels: rest.channels === 'rgba' ? undefined : rest.channels,
    backgroundColor: backgroundColor && readColor(backgroundColor),
    backgroundImageSha256: backgroundImage && sha256Of(backgroundImage),
    crop: rest.crop || undefined,
    scale: isScaled ? scale : undefined,
    position: position === usualPosition ? undefined : position,
    shadow: rest.shadow === 'none' ? undefined : rest.shadow,
    semitransparency: rest.semitransparency === false ? false : undefined,
  };
  const isThere = ([, value]: [string, unknown]) => value !== undefined;
  return OutputOptions.parse(Object.fromEntries(Object.entries(all).filter(isThere)));
}
/** The options of a wish; none where all of it is usual. */
export const cutOutOptionsOf = (wish: OutputRequest & { quality?: Quality }): CutOutOptions => ({
  ...optionsOf(wish.quality),
  ...outputOptionsOf(wish),
});
