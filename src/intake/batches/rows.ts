import { z } from 'zod';
import { AcceptedRow, PreviousImage, RowPosition, SourceObject } from '../../queue/job-data.ts';

/** `code` is one word for the same reason in all rows, such as `http-503`; older rows lack it. */
const RowProblem = z.object({
  type: z.string(),
  detail: z.string(),
  code: z.string().optional(),
});
export type RowProblem = z.infer<typeof RowProblem>;

/** A row that cannot be processed, and why. */
export const RejectedRow = z.object({
  ...RowPosition,
  customId: z.string().optional(),
  problem: RowProblem,
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
    /** Why it is stale, in one word. */
    code: z.string().optional(),
    /** It has used a unit: a feed is charged for new pictures only. */
    charged: z.boolean().optional(),
  }),
  z.object({ row: z.number(), status: z.literal('failed'), problem: RowProblem }),
]);
export type ResultLine = z.infer<typeof ResultLine>;

/** Why a row is not as good as it should be, in one word; undefined if it is. */
export const reasonCode = (line: RowLine | ResultLine): string | undefined => {
  if ('problem' in line) return line.problem.code ?? line.problem.type;
  return 'code' in line ? line.code : undefined;
};

/** Adds to a histogram. */
export function countReason(
  reasons: Record<string, number>,
  code: string | undefined,
  count = 1,
): void {
  if (code !== undefined) reasons[code] = (reasons[code] ?? 0) + count;
}
