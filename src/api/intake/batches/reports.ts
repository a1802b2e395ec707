import { z } from 'zod';
import type { ResultLine, RowLine } from '../../../intake/batches/batch-files.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import { BATCH_TERMINAL_STATUSES, BATCHES_PATH } from '../../../intake/batches/batch-record.ts';
import { type RowOutcome, readRowOutcomes } from '../../../intake/batches/row-reader.ts';
import { Input, type StoredCutOut, type StoredOutfit } from '../../../queue/job-data.ts';
import { OutfitDescription } from '../../../taxonomy/outfit/outfit-schema.ts';
import { ParseGroup } from '../../../taxonomy/outfit/parse-groups.ts';
import { Classification } from '../../../taxonomy/response-schema.ts';
import { listOf, named } from '../../schema.ts';
import { DuplicateOfField } from '../duplicates.ts';
import {
  classifyEvidence,
  outfitResponse,
  PublicCutOut,
  PublicProblem,
  publicProblem,
} from '../job-response.ts';
import { textBlocks } from '../text-blocks.ts';

const refinementsField = z.number().optional().meta({
  description: 'How often people have mended the cut-out; absent if it is as it was made',
});

export const ResultRow = named('BatchResult', {
  row: z.number(),
  customId: z.string(),
  status: z.literal('succeeded'),
  refinements: refinementsField,
  cutout: PublicCutOut.optional(),
  classification: Classification.optional(),
  outfit: OutfitDescription.optional(),
  duplicateOf: DuplicateOfField,
});

export const ErrorRow = named('BatchError', {
  row: z.number(),
  customId: z.string().optional(),
  line: z.number(),
  problem: PublicProblem,
});

const MANIFEST_STATUSES = ['succeeded', 'failed', 'rejected', 'pending', 'canceled'] as const;

export const ManifestRow = named('BatchManifestRow', {
  row: z.number(),
  line: z.number(),
  customId: z.string().optional(),
  status: z.enum(MANIFEST_STATUSES),
  input: Input.optional(),
  refinements: refinementsField,
  cutout: PublicCutOut.pick({
    sha256: true,
    bytes: true,
    url: true,
    review: true,
    rules: true,
  }).optional(),
  garments: listOf({
    index: z.number(),
    group: ParseGroup,
    sha256: z.string(),
    bytes: z.number(),
    url: z.string(),
  }).optional(),
  duplicateOf: DuplicateOfField,
  problem: PublicProblem.optional(),
});

/** Converts a row to its line in a report; undefined omits the row. */
type Report = (batch: BatchRecord, outcome: RowOutcome) => object | undefined;

export const cutOutUrl = (id: string, row: number): string =>
  `${BATCHES_PATH}/${id}/rows/${row}/cutout`;

const garmentUrl = (id: string, row: number, index: number): string =>
  `${BATCHES_PATH}/${id}/rows/${row}/garments/${index}`;

const customIdField = ({ customId }: RowLine) => customId !== undefined && { customId };

type Succeeded = Extract<ResultLine, { status: 'succeeded' }>;

function toResultRow(
  batch: BatchRecord,
  { row, refinements, duplicateOf }: RowOutcome,
  { results }: Succeeded,
) {
  const { key: _, ...cutout } = results.cutout ?? { key: '' };
  const { view, outfit } = results;
  const urlOf = (index: number) => garmentUrl(batch.id, row.row, index);
  return {
    row: row.row,
    ...customIdField(row),
    status: 'succeeded',
    ...(refinements && results.cutout && { refinements }),
    ...(results.cutout && { cutout: { url: cutOutUrl(batch.id, row.row), ...cutout } }),
    ...(view && { classification: classifyEvidence(view, row.customId ?? '') }),
    ...(outfit && { outfit: outfitResponse(outfit, row.customId ?? '', urlOf) }),
    ...(duplicateOf && { duplicateOf }),
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

const toManifestCutOut = ({ id }: BatchRecord, { row }: RowLine, cutout: StoredCutOut) => ({
  sha256: cutout.sha256,
  bytes: cutout.bytes,
  url: cutOutUrl(id, row),
  ...(cutout.review && { review: cutout.review }),
  ...(cutout.rules && { rules: cutout.rules }),
});

const toManifestGarments = (
  { id }: BatchRecord,
  { row }: RowLine,
  { garments, files }: StoredOutfit,
) =>
  garments.flatMap(({ group }, index) => {
    const file = files[index];
    return file ? [{ index, group, ...file, url: garmentUrl(id, row, index) }] : [];
  });

function toManifestRow(batch: BatchRecord, outcome: RowOutcome) {
  const { row, result, duplicateOf } = outcome;
  const problem = problemOf(outcome);
  const succeeded = result?.status === 'succeeded' ? result : undefined;
  const { cutout, outfit } = succeeded?.results ?? {};
  return {
    row: row.row,
    line: row.line,
    ...customIdField(row),
    status: manifestStatus(batch, outcome),
    ...(succeeded && { input: succeeded.input }),
    ...(cutout && outcome.refinements && { refinements: outcome.refinements }),
    ...(cutout && { cutout: toManifestCutOut(batch, row, cutout) }),
    ...(outfit && { garments: toManifestGarments(batch, row, outfit) }),
    ...(duplicateOf && { duplicateOf }),
    ...(problem && { problem: publicProblem(problem) }),
  };
}

export const REPORTS = {
  results: (batch, outcome) =>
    outcome.result?.status === 'succeeded'
      ? toResultRow(batch, outcome, outcome.result)
      : undefined,
  errors(_batch, outcome) {
    const { row } = outcome;
    const problem = problemOf(outcome);
    if (!problem) return undefined;
    return { row: row.row, ...customIdField(row), line: row.line, problem: publicProblem(problem) };
  },
  manifest: toManifestRow,
} as const satisfies Record<string, Report>;

/** Returns the index of the chunk that contains a row, or -1. @param firstRows the first row of each chunk */
export const findChunk = (firstRows: readonly number[], row: number): number =>
  firstRows.findLastIndex((first) => first <= row);

/**
 * Yields the rows of a batch in upload order, as far as outcomes are known now.
 * @param select replaces the rows by those to report
 * @param after rows up to this number are omitted
 */
export async function* readRows(
  services: Parameters<typeof readRowOutcomes>[0],
  batch: BatchRecord,
  select: (outcomes: AsyncIterable<RowOutcome>) => AsyncIterable<RowOutcome>,
  after = -1,
): AsyncGenerator<RowOutcome> {
  const start =
    after < 0 ? 0 : Math.max(0, findChunk(await services.batches.firstRows(batch.id), after));
  for await (const outcome of select(readRowOutcomes(services, batch, start))) {
    if (outcome.row.row > after) yield outcome;
  }
}

export async function* readReport(
  batch: BatchRecord,
  report: Report,
  outcomes: AsyncIterable<RowOutcome>,
): AsyncGenerator<Buffer> {
  async function* lines(): AsyncGenerator<string> {
    for await (const outcome of outcomes) {
      const line = report(batch, outcome);
      if (line) yield `${JSON.stringify(line)}\n`;
    }
  }
  yield* textBlocks(lines());
}
