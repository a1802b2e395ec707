import { Readable } from 'node:stream';
import { makeZip } from 'client-zip';
import type { Gateway } from '../../../gateway.ts';
import type { ResultLine } from '../../../intake/batches/batch-files.ts';
import { batchFiles, isRejected, rowCount } from '../../../intake/batches/batch-files.ts';
import { BATCH_TERMINAL_STATUSES, type BatchRecord } from '../../../intake/batches/batch-record.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import { cutOutOf } from '../../../intake/review/refined.ts';
import { fileNameOf } from '../../../output/formats.ts';
import { extensionOf } from '../../../output/options.ts';
import { Problem } from '../../../platform/problem.ts';
import type { GarmentFile, StoredCutOut } from '../../../queue/job-data.ts';
import { garmentKey, garmentsPrefix } from '../../../storage/blob-keys.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { replaced, resultsGone } from '../../common-problems.ts';
import { openVerified } from '../../verified-blob.ts';
import { failureProblem, garmentFile, publicProblem, RETRY_SOON } from '../job-response.ts';
import { findChunk, REPORTS } from './reports.ts';

type Services = Pick<Gateway, 'batches' | 'blobs' | 'reviews'>;

const rowNotFound = (): Problem => new Problem('not-found', 'The batch has no such row');

/** For a batch without cut-outs. */
export const noImages = (): Problem =>
  new Problem('not-found', 'This batch produces no images; see its results');

/** Reads the result of a row: from Redis, or from storage once its chunk is written there. */
async function readResult(
  { batches, blobs }: Services,
  batch: BatchRecord,
  chunk: number,
  row: number,
): Promise<ResultLine | undefined> {
  const unwritten = await batches.results(batch.id, chunk);
  const result = unwritten.find((each) => each.row === row);
  if (result) return result;
  const written = await batchFiles(blobs, batch).results(chunk);
  return written.find((each) => each.row === row);
}

/** @throws Problem not-found, conflict: the reason why a row has no result */
async function rejectWithoutResult(
  { blobs }: Services,
  batch: BatchRecord,
  chunk: number,
  row: number,
): Promise<never> {
  const rows = await batchFiles(blobs, batch).rows(chunk);
  const line = rows.find((each) => each.row <= row && row < each.row + rowCount(each));
  if (!line) throw rowNotFound();
  if (isRejected(line))
    throw new Problem('not-found', `The row was rejected: ${line.problem.detail}`);
  if (BATCH_TERMINAL_STATUSES.includes(batch.status))
    throw new Problem('conflict', 'The batch ended before the row was processed');
  throw new Problem('conflict', 'The row is not finished yet', { headers: RETRY_SOON });
}

/** @throws Problem not-found, conflict if the row is not finished, or the row's own problem */
async function requireResult(services: Services, batch: BatchRecord, row: number) {
  if (!Number.isSafeInteger(row) || row < 0) throw rowNotFound();
  const chunk = findChunk(await services.batches.firstRows(batch.id), row);
  if (chunk < 0) throw rowNotFound();
  const result =
    (await readResult(services, batch, chunk, row)) ??
    (await rejectWithoutResult(services, batch, chunk, row));
  if (result.status === 'failed') throw failureProblem(result.problem);
  return result;
}

async function newestCutOut(
  { reviews }: Services,
  { id, review }: BatchRecord,
  row: number,
  made: StoredCutOut,
): Promise<StoredCutOut> {
  if (!review) return made;
  const { refined } = await reviews.read(id, [row]);
  const newest = refined.get(row)?.versions.at(-1);
  return newest ? cutOutOf(made, newest) : made;
}

/** Returns why a blob of a batch may be missing now: blobs are deleted after the record says so. */
export async function missing(
  { batches }: Pick<Services, 'batches'>,
  { id }: BatchRecord,
): Promise<Problem | undefined> {
  const present = await batches.get(id);
  return !present || present.status === 'expired' ? resultsGone('batch') : undefined;
}

/** @throws Problem as `requireResult` throws; gone, damaged */
export async function openCutOut(
  services: Services,
  batch: BatchRecord,
  row: number,
  signal: AbortSignal,
): Promise<{ body: Readable; cutout: StoredCutOut }> {
  const made = (await requireResult(services, batch, row)).results.cutout;
  const cutout = made && (await newestCutOut(services, batch, row, made));
  if (!cutout) throw noImages();
  const body = await openVerified(services.blobs, cutout, signal, async () => {
    const present = await newestCutOut(services, batch, row, made);
    return present.key === cutout.key ? missing(services, batch) : replaced();
  });
  return { body, cutout };
}

/** @throws Problem as `requireResult` throws; gone, damaged */
export async function openGarment(
  services: Services,
  batch: BatchRecord,
  row: number,
  index: string | undefined,
  signal: AbortSignal,
): Promise<{ body: Readable; file: GarmentFile }> {
  const { results, input } = await requireResult(services, batch, row);
  const file = garmentFile(results.outfit, index);
  if (!file) throw new Problem('not-found', 'The row has no such garment; see its results');
  const prefix = garmentsPrefix(batch.client, input.sha256, batch.id);
  const key = garmentKey(prefix, file.sha256);
  const body = await openVerified(services.blobs, { key, ...file }, signal, () =>
    missing(services, batch),
  );
  return { body, file };
}

/** Lists the rows of an archive that have no file in it, and why. */
const ERRORS_FILE = 'errors.ndjson';

/** Names files, each differently, also where file systems take capital letters for small ones. */
class FileNames {
  readonly #used = new Set([ERRORS_FILE]);

  nameOf({ customId, row }: { customId?: string | undefined; row: number }, extension: string) {
    const base = fileNameOf(customId ?? '') || `${row}`;
    const names = [base, `${base}-${row}`].map((name) => `${name}.${extension}`);
    const name = names.find((each) => !this.#used.has(each.toLowerCase())) ?? `${row}.${extension}`;
    this.#used.add(name.toLowerCase());
    return name;
  }
}

interface ArchiveSource {
  blobs: Blobs;
  batch: BatchRecord;
  outcomes: AsyncIterable<RowOutcome>;
  /** Returns why a cut-out may be missing now. */
  missing(): Promise<Problem | undefined>;
  signal: AbortSignal;
}

const isOfOneFile = (error: unknown): error is Problem =>
  error instanceof Problem && (error.type === 'damaged' || error.type === 'gone');

/** Opens the cut-out of a row, or returns its line for the file of errors. */
async function openOrTell(
  { blobs, missing, signal }: ArchiveSource,
  { row }: RowOutcome,
  cutout: StoredCutOut,
): Promise<Readable | object> {
  return openVerified(blobs, cutout, signal, missing).catch((error) => {
    if (!isOfOneFile(error)) throw error;
    const { customId, line } = row;
    return { row: row.row, customId, line, problem: publicProblem(error) };
  });
}

async function* filesOf(source: ArchiveSource) {
  const { batch, outcomes } = source;
  const names = new FileNames();
  const lastModified = new Date(batch.createdAt);
  const errors: object[] = [];
  for await (const outcome of outcomes) {
    const { row, result } = outcome;
    const cutout = result?.status === 'succeeded' ? result.results.cutout : undefined;
    const found = cutout
      ? await openOrTell(source, outcome, cutout)
      : REPORTS.errors(batch, outcome);
    if (found instanceof Readable && cutout) {
      const name = names.nameOf(row, extensionOf(cutout.mediaType));
      yield { name, lastModified, input: found };
    } else if (found) errors.push(found);
  }
  if (errors.length === 0) return;
  const input = errors.map((line) => `${JSON.stringify(line)}\n`).join('');
  yield { name: ERRORS_FILE, lastModified, input };
}

/**
 * Streams a ZIP archive of the cut-outs of a batch, uncompressed, one after the other; `errors.ndjson` lists the rows
 * without one. It breaks off, and so is no valid archive, if storage fails meanwhile or a large file is damaged.
 */
export const archiveOf = (source: ArchiveSource): Readable =>
  Readable.fromWeb(makeZip(filesOf(source)) as Parameters<typeof Readable.fromWeb>[0]);
