import { z } from 'zod';
import { Foreground, MediaType } from '../output/options.ts';
import { GarmentView } from './garment-view.ts';

/** What can be asked for. */
export const OPERATIONS = ['remove-background', 'classify'] as const;
export type Operation = (typeof OPERATIONS)[number];

export const Input = z.object({
  /** Hex. */
  sha256: z.string(),
  bytes: z.number(),
  /** Pixels, as the header says. */
  width: z.number(),
  height: z.number(),
});

export const CutOut = z.object({
  /** Pixels of the output. */
  width: z.number(),
  height: z.number(),
  bytes: z.number(),
  mediaType: MediaType.default('image/png'),
  /** Absent where no subject was found. */
  foreground: Foreground.optional(),
  /** Hex, of the file. */
  sha256: z.string(),
  /** `id@version` */
  model: z.string(),
  /** 0..1 */
  confidence: z.number(),
});
export type CutOutRecord = z.infer<typeof CutOut>;

export const Results = z.object({
  cutout: CutOut.optional(),
  /** What can be seen of the garment, before words are put to it. */
  view: GarmentView.optional(),
});
export type JobResults = z.infer<typeof Results>;

/** A cut-out that is kept, and where. */
export const StoredCutOut = CutOut.extend({ key: z.string() });
export type StoredCutOut = z.infer<typeof StoredCutOut>;

/** What was seen of an image before, so that one that has not changed costs nothing. */
export const PreviousImage = z.object({
  /** As the image's server said them. */
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  input: Input,
  results: Results.extend({ cutout: StoredCutOut.optional() }),
  /** What marketplaces are given, where it is not the cut-out itself. */
  picture: z
    .object({ key: z.string(), mediaType: z.string(), background: z.string().optional() })
    .optional(),
});
export type PreviousImage = z.infer<typeof PreviousImage>;

export const RowPosition = {
  /** The row's number in the batch, from 0, rejected rows included. */
  row: z.number(),
  /** The line of its upload on which it starts, from 1; of files, their number. */
  line: z.number(),
};

/** One image to work on. */
export const AcceptedRow = z.object({
  ...RowPosition,
  customId: z.string(),
  source: z.union([z.object({ url: z.string() }), z.object({ key: z.string() })]),
  /** Which image of its product, 0 for the main one; in feeds. */
  image: z.number().optional(),
  earlier: PreviousImage.optional(),
});
export type AcceptedRow = z.infer<typeof AcceptedRow>;
