import { z } from 'zod';
import { AcceptedRow, PreviousImage, RowPosition } from '../../queue/job-data.ts';

const RowProblem = z.object({ type: z.string(), detail: z.string() });

/** A row that cannot be processed, and why. */
export const RejectedRow = z.object({
  ...RowPosition,
  customId: z.string().optional(),
  problem: RowProblem,
});
export type RejectedRow = z.infer<typeof RejectedRow>;

/** One line of a file of rows. */
export const RowLine = z.union([AcceptedRow, RejectedRow]);
export type RowLine = z.infer<typeof RowLine>;

/** The result of a row: one line of a file of results. */
export const ResultLine = z.discriminatedUnion('status', [
  PreviousImage.extend({
    row: z.number(),
    status: z.literal('succeeded'),
    /** The image had not changed: input and results are those of the run before. */
    unchanged: z.boolean(),
  }),
  z.object({ row: z.number(), status: z.literal('failed'), problem: RowProblem }),
]);
export type ResultLine = z.infer<typeof ResultLine>;
