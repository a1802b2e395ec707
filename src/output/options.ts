import { z } from 'zod';
import { FORMATS, IMAGE_TYPES } from './formats.ts';
import {
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  QUALITIES,
  type StoredValueOf,
} from './option-table.ts';
import { RulePack } from './rules/pack.ts';

const ZIP = { mediaType: 'application/zip', extension: 'zip' } as const;

export const MediaType = z.enum([...IMAGE_TYPES, ZIP.mediaType]);
export type MediaType = z.infer<typeof MediaType>;

/** The bounding box of the subject in an output, pixels. */
export const Foreground = z
  .object({
    left: z.number(),
    top: z.number(),
    width: z.number(),
    height: z.number(),
  })
  .meta({ id: 'BoundingBox' });
export type Foreground = z.infer<typeof Foreground>;

export const QualityChoice = z.enum(QUALITIES);

/** What is stored with a job besides the options of requests, each after the option that it belongs to. */
const BESIDE = {
  /** Colours and matte as two files in one archive; only the API compatible with remove.bg offers it. */
  format: { asZip: z.literal(true).optional() },
  /** Of the uploaded background image, hex. */
  backgroundImageUrl: { backgroundImageSha256: z.string().optional() },
  /** The pack itself, as it was when the work was accepted. */
  fixRules: { rulePack: RulePack.optional() },
};
type Beside = (typeof BESIDE)['format'] &
  (typeof BESIDE)['backgroundImageUrl'] &
  (typeof BESIDE)['fixRules'];

/** The schema of a stored value: words and flags without their default. */
function storedValue({ values, default: value }: (typeof OPTIONS)[OptionName]): z.ZodType {
  if ('text' in values) return z.string();
  if ('flag' in values) return z.literal(!value);
  if ('min' in values) return z.number();
  const words = values.words.filter((word) => word !== value);
  return words.length === 1 ? z.literal(words) : z.enum(words);
}

/** A preset is applied before options are stored. */
const STORED = OPTION_NAMES.filter((name) => name !== 'quality' && name !== 'preset');

/**
 * Everything in a request that changes the pixels, as it is stored with a job. Defaults are left out, so that equal
 * outputs have equal options.
 */
export const CutOutOptions = z
  .object({
    quality: QualityChoice.optional(),
    ...(Object.fromEntries(
      STORED.flatMap((name) => [
        [name, storedValue(OPTIONS[name]).optional()],
        ...Object.entries(name in BESIDE ? BESIDE[name as keyof typeof BESIDE] : {}),
      ]),
    ) as unknown as {
      [Name in Exclude<OptionName, 'quality' | 'preset'>]: z.ZodOptional<
        z.ZodType<StoredValueOf<Name>, StoredValueOf<Name>>
      >;
    } & Beside),
  })
  .meta({ id: 'CutoutOptions' });
export type CutOutOptions = z.infer<typeof CutOutOptions>;

/** How a cut-out came by its alpha, if it is the image's own. */
export const KeptAlpha = z.literal('kept').optional().meta({
  description: 'The image kept its own alpha, by `alpha=keep`; absent if it was cut out',
});

export const extensionOf = (mediaType: MediaType): string =>
  Object.values(FORMATS).find((format) => format.mediaType === mediaType)?.extension ?? 'png';

/** Returns the format that options select, with its names in headers and file names. */
export const formatOf = ({ format, asZip }: Pick<CutOutOptions, 'format' | 'asZip'>) =>
  asZip ? ZIP : FORMATS[format ?? 'png'];
