import { z } from 'zod';

/** What a cut-out is delivered as, and how each is called in headers and file names. */
export const FORMATS = {
  png: { mediaType: 'image/png', extension: 'png' },
  jpeg: { mediaType: 'image/jpeg', extension: 'jpg' },
  webp: { mediaType: 'image/webp', extension: 'webp' },
} as const;
export type Format = keyof typeof FORMATS;
const ZIP = { mediaType: 'application/zip', extension: 'zip' } as const;

export const MediaType = z.enum(['image/png', 'image/jpeg', 'image/webp', 'application/zip']);
export type MediaType = z.infer<typeof MediaType>;

/** The box of the subject in an output, pixels. */
export const Foreground = z.object({
  left: z.number(),
  top: z.number(),
  width: z.number(),
  height: z.number(),
});
export type Foreground = z.infer<typeof Foreground>;
/** The usual strength of a shadow, percent. */
export const DEFAULT_SHADOW_OPACITY_PCT = 50;
/**
 * What of a wish changes an output, as it is kept with a job. The usual is left out, so that equal outputs
 * have equal options.
 */
export const OutputOptions = z.object({
  format: z.enum(['jpeg', 'webp']).optional(),
  /** Colours and matte as two files in one; only clients of remove.bg ask for that. */
  asZip: z.literal(true).optional(),
  channels: z.literal('alpha').optional(),
  /** `#rrggbb` or `#rrggbbaa` */
  backgroundColor: z.string().optional(),
  backgroundImageUrl: z.string().optional(),
  /** Hex, of the picture that was sent along. */
  backgroundImageSha256: z.string().optional(),
  crop: z.literal(true).optional(),
  cropMargin: z.string().optional(),
  scale: z.string().optional(),
  position: z.string().optional(),
  roi: z.string().optional(),
  maxOutputMegapixels: z.number().optional(),
  shadow: z.literal('drop').optional(),
  shadowOpacityPct: z.number().optional(),
  semitransparency: z.literal(false).optional(),
});
export type OutputOptions = z.infer<typeof OutputOptions>;
/** How files of a media type are named. */
export const extensionOf = (mediaType: MediaType): string =>
  Object.values(FORMATS).find((format) => format.mediaType === mediaType)?.extension ?? 'png';

/** The format that options ask for: how it is called in headers and file names. */
export const formatOf = ({ format, asZip }: Pick<OutputOptions, 'format' | 'asZip'>) =>
  asZip ? ZIP : FORMATS[format ?? 'png'];
