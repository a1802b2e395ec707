import { z } from 'zod';
import { RulePack } from './rules/pack.ts';
import { PARTIAL_SUBJECTS } from './subjects.ts';

/** Formats of a cut-out, with their names in headers and file names. */
export const FORMATS = {
  png: { mediaType: 'image/png', extension: 'png' },
  jpeg: { mediaType: 'image/jpeg', extension: 'jpg' },
  webp: { mediaType: 'image/webp', extension: 'webp' },
} as const;
export type Format = keyof typeof FORMATS;
const ZIP = { mediaType: 'application/zip', extension: 'zip' } as const;

export const MediaType = z.enum(['image/png', 'image/jpeg', 'image/webp', 'application/zip']);
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

export const DEFAULT_SHADOW_OPACITY_PCT = 50;

/**
 * The part of a request that changes the output, as it is stored with a job. Defaults are left out, so that equal
 * outputs have equal options.
 */
export const OutputOptions = z.object({
  format: z.enum(['jpeg', 'webp']).optional(),
  /** Colours and matte as two files in one archive; only the API compatible with remove.bg offers it. */
  asZip: z.literal(true).optional(),
  channels: z.literal('alpha').optional(),
  /** `#rrggbb` or `#rrggbbaa` */
  backgroundColor: z.string().optional(),
  backgroundImageUrl: z.string().optional(),
  /** Of the uploaded background image, hex. */
  backgroundImageSha256: z.string().optional(),
  crop: z.literal(true).optional(),
  cropMargin: z.string().optional(),
  scale: z.string().optional(),
  position: z.string().optional(),
  roi: z.string().optional(),
  maxOutputMegapixels: z.number().optional(),
  shadow: z.enum(['drop', 'keep']).optional(),
  shadowOpacityPct: z.number().optional(),
  semitransparency: z.literal(false).optional(),
  subject: z.enum(PARTIAL_SUBJECTS).optional(),
  /** Name of the pack that the output is judged by. */
  rules: z.string().optional(),
  fixRules: z.literal(true).optional(),
  /** The pack itself, as it was when the work was accepted. */
  rulePack: RulePack.optional(),
  /** An image that is transparent somewhere keeps its alpha. */
  alpha: z.literal('keep').optional(),
});
/** How a cut-out came by its alpha, if it is the image's own. */
export const KeptAlpha = z.literal('kept').optional().meta({
  description: 'The image kept its own alpha, by `alpha=keep`; absent if it was cut out',
});
export type OutputOptions = z.infer<typeof OutputOptions>;

/** Returns the file name extension of a media type. */
export const extensionOf = (mediaType: MediaType): string =>
  Object.values(FORMATS).find((format) => format.mediaType === mediaType)?.extension ?? 'png';

/** Returns the format that options select, with its names in headers and file names. */
export const formatOf = ({ format, asZip }: Pick<OutputOptions, 'format' | 'asZip'>) =>
  asZip ? ZIP : FORMATS[format ?? 'png'];
