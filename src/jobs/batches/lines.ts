import { z } from 'zod';
import { CutOut, Input, Results } from '../records.ts';

/** A cut-out that is kept, and where. */
export const StoredCutOut = CutOut.extend({ key: z.string() });
export type StoredCutOut = z.infer<typeof StoredCutOut>;

/** What was seen of an image before, so that one that has not changed costs nothing. */
export const Earlier = z.object({
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
export type Earlier = z.infer<typeof Earlier>;

const Place = {
  /** The row's number in the batch, from 0, rejected rows included. */
  row: z.number(),
  /** The line of its upload on which it starts, from 1; of files, their number. */
  line: z.number(),
};

/** One image to work on. */
export const AcceptedRow = z.object({
  ...Place,
  customId: z.string(),
  source: z.union([z.object({ url: z.string() }), z.object({ key: z.string() })]),
  /** Which image of its product, 0 for the main one; in feeds. */
  image: z.number().optional(),
  earlier: Earlier.optional(),
});
export type AcceptedRow = z.infer<typeof AcceptedRow>;

const RowProblem = z.object({ type: z.string(), detail: z.string() });

/** A row that cannot be worked on, and why. */
export const RejectedRow = z.object({
  ...Place,
  customId: z.string().optional(),
  problem: RowProblem,
});
export type RejectedRow = z.infer<typeof RejectedRow>;

/** One line of a file of rows. */
export const RowLine = z.union([AcceptedRow, RejectedRow]);
export type RowLine = z.infer<typeof RowLine>;

/** What a row came to: one line of a file of results. */
export const ResultLine = z.discriminatedUnion('status', [
  Earlier.extend({
    row: z.number(),
    status: z.literal('succeeded'),
    /** Nothing was worked out: image and results are those of before. */
    unchanged: z.boolean(),
  }),
  z.object({ row: z.number(), status: z.literal('failed'), problem: RowProblem }),
]);
export type ResultLine = z.infer<typeof ResultLine>;
