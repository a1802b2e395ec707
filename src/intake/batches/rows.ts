import { z } from 'zod';
import { AcceptedRow, PreviousImage, RowPosition, SourceObject } from '../../queue/job-data.ts';

const RowProblem = z.object({ type: z.string(), detail: z.string() });

/** A row that cannot be processed, and why. */
export const RejectedRow = z.object({
  ...RowPosition,
  customId: z.string().optional(),
  problem: RowProblem,
  /** If it comes from a source. */
  object: SourceObject.optional(),
  /** Rows without an id that follow and are rejected for the same reason: a million of them take one line. */
  more: z
    .object({
      rows: z.number(),
      /** Lines of the upload from each to the next. */
      lineStep: z.number(),
    })
    .optional(),
});
export type RejectedRow = z.infer<typeof RejectedRow>;

/** One line of a file of rows. */
export const RowLine = z.union([AcceptedRow, RejectedRow]);
export type RowLine = z.infer<typeof RowLine>;

export const isRejected = (line: RowLine): line is RejectedRow => 'problem' in line;

/** Returns how many rows a line holds. */
export const rowCount = (line: RowLine): number =>
  isRejected(line) ? 1 + (line.more?.rows ?? 0) : 1;

/** Yields the rejected rows of a line one by one. */
export function* expandRejected({ more, ...first }: RejectedRow): Generator<RejectedRow> {
  const { rows, lineStep } = more ?? { rows: 0, lineStep: 0 };
  for (let i = 0; i <= rows; i++) {
    yield { ...first, row: first.row + i, line: first.line + i * lineStep };
  }
}

/** Returns a line that holds the next row as well, or undefined if one line cannot. */
export function mergeRejected(line: RowLine, next: RowLine): RejectedRow | undefined {
  if (!isRejected(line) || !isRejected(next)) return undefined;
  if (line.customId !== undefined || next.customId !== undefined) return undefined;
  if (line.problem.type !== next.problem.type || line.problem.detail !== next.problem.detail) {
    return undefined;
  }
  const { rows, lineStep } = line.more ?? { rows: 0, lineStep: next.line - line.line };
  if (next.line !== line.line + (rows + 1) * lineStep) return undefined;
  return { ...line, more: { rows: rows + 1, lineStep } };
}

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
