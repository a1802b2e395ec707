import { z } from 'zod';
import {
  BATCH_TERMINAL_STATUSES,
  type Batches,
  type BatchRecord,
} from '../../../intake/batches/batches.ts';
import { BATCHES_PATH } from '../../../intake/batches/links.ts';
import { type BatchFiles, batchRows, type RowOutcome } from '../../../intake/batches/row-reader.ts';
import type { ResultLine, RowLine } from '../../../intake/batches/rows.ts';
import { Input } from '../../../queue/job-data.ts';
import { Classification } from '../../../taxonomy/response-schema.ts';
import { classificationOf, PublicCutOut, PublicProblem, publicProblem } from '../job-response.ts';

/** For the document: one line of the results. */
export const ResultRow = z.object({
  row: z.number(),
  customId: z.string(),
  status: z.literal('succeeded'),
  cutout: PublicCutOut.optional(),
  classification: Classification.optional(),
});

/** For the document: one line of the errors. */
export const ErrorRow = z.object({
  row: z.number(),
  customId: z.string().optional(),
  line: z.number(),
  problem: PublicProblem,
});

const MANIFEST_STATUSES = ['succeeded', 'failed', 'rejected', 'pending', 'canceled'] as const;

/** For the document: one line of the manifest. */
export const ManifestRow = z.object({
  row: z.number(),
  line: z.number(),
  customId: z.string().optional(),
  status: z.enum(MANIFEST_STATUSES),
  input: Input.optional(),
  cutout: z.object({ sha256: z.string(), bytes: z.number(), url: z.string() }).optional(),
  problem: PublicProblem.optional(),
});

/** What a batch can be asked to tell of its rows; nothing leaves a row out. */
export type Report = (batch: BatchRecord, outcome: RowOutcome) => object | undefined;

const cutOutUrl = (id: string, row: number): string => `${BATCHES_PATH}/${id}/rows/${row}/cutout`;

const idOf = ({ customId }: RowLine) => customId !== undefined && { customId };

type Succeeded = Extract<ResultLine, { status: 'succeeded' }>;

function resultRow(batch: BatchRecord, row: RowLine, { results }: Succeeded) {
  const { key: _, ...cutout } = results.cutout ?? { key: '' };
  const view = results.view;
  return {
    ...{ row: row.row, ...idOf(row), status: 'succeeded' },
    ...(results.cutout && { cutout: { url: cutOutUrl(batch.id, row.row), ...cutout } }),
    ...(view && { classification: classificationOf(view, row.customId ?? '') }),
  };
}

const problemOf = ({ row, result }: RowOutcome) => {
  if ('problem' in row) return row.problem;
  return result?.status === 'failed' ? result.problem : undefined;
};

function manifestStatus(
  { status }: BatchRecord,
  { row, result }: RowOutcome,
): (typeof MANIFEST_STATUSES)[number] {
  if ('problem' in row) return 'rejected';
  if (result) return result.status;
  return BATCH_TERMINAL_STATUSES.includes(status) ? 'canceled' : 'pending';
}

function manifestRow(batch: BatchRecord, outcome: RowOutcome) {
  const { row, result } = outcome;
  const problem = problemOf(outcome);
  const succeeded = result?.status === 'succeeded' ? result : undefined;
  const cutout = succeeded?.results.cutout;
  return {
    ...{ row: row.row, line: row.line, ...idOf(row), status: manifestStatus(batch, outcome) },
    ...(succeeded && { input: succeeded.input }),
    ...(cutout && {
      cutout: { sha256: cutout.sha256, bytes: cutout.bytes, url: cutOutUrl(batch.id, row.row) },
    }),
    ...(problem && { problem: publicProblem(problem) }),
  };
}

export const REPORTS = {
  results: (batch, { row, result }) =>
    result?.status === 'succeeded' ? resultRow(batch, row, result) : undefined,
  errors(_batch, outcome) {
    const { row } = outcome;
    const problem = problemOf(outcome);
    if (!problem) return undefined;
    return { row: row.row, ...idOf(row), line: row.line, problem: publicProblem(problem) };
  },
  manifest: manifestRow,
} as const satisfies Record<string, Report>;

/** Chunks that come before a row; their lines need not be read. */
export const chunkOf = (firstRows: readonly number[], row: number): number =>
  firstRows.findLastIndex((first) => first <= row);

const BLOCK_CHARS = 64 * 1024;

/** Objects as lines of JSON, many to a block. */
async function* linesOf(objects: AsyncIterable<object>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const object of objects) {
    text += `${JSON.stringify(object)}\n`;
    if (text.length < BLOCK_CHARS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text) yield Buffer.from(text);
}

/**
 * Lines about the rows of a batch, in the order the rows came, as far as they are known now.
 * @param after rows up to this number are left out
 */
export async function* reportOf(
  batches: Batches,
  files: BatchFiles,
  batch: BatchRecord,
  report: Report,
  after = -1,
): AsyncGenerator<Buffer> {
  const start = after < 0 ? 0 : Math.max(0, chunkOf(await batches.firstRows(batch.id), after));
  async function* told(): AsyncGenerator<object> {
    for await (const outcome of batchRows(batches, files, batch, start)) {
      const line = outcome.row.row > after ? report(batch, outcome) : undefined;
      if (line) yield line;
    }
  }
  yield* linesOf(told());
}
