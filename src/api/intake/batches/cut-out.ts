import type { Readable } from 'node:stream';
import type { Gateway } from '../../../gateway.ts';
import { batchFiles } from '../../../intake/batches/batch-files.ts';
import { BATCH_TERMINAL_STATUSES, type BatchRecord } from '../../../intake/batches/batch-record.ts';
import { isRejected, type ResultLine, rowCount } from '../../../intake/batches/rows.ts';
import { cutOutOf } from '../../../intake/review/refined.ts';
import { Problem } from '../../../platform/problem.ts';
import type { GarmentFile, StoredCutOut } from '../../../queue/job-data.ts';
import { garmentKey, garmentsPrefix } from '../../../storage/blob-keys.ts';
import { replaced, resultsGone, throwUnavailable } from '../../common-problems.ts';
import { openVerified } from '../../verified-blob.ts';
import { failureProblem, RETRY_SOON } from '../job-response.ts';
import { garmentFile } from '../outfit-response.ts';
import { findChunk } from './reports.ts';

type Services = Pick<Gateway, 'batches' | 'blobs' | 'reviews'>;

const rowNotFound = (): Problem => new Problem('not-found', 'The batch has no such row');

/** For a batch without cut-outs. */
export const noImages = (): Problem =>
  new Problem('not-found', 'This batch produces no images; see its results');

const batchUnavailable = throwUnavailable('The batch cannot be read right now; try again');

/** Reads the result of a row: from Redis, or from storage once its chunk is written there. */
async function readResult(
  { batches, blobs }: Services,
  batch: BatchRecord,
  chunk: number,
  row: number,
): Promise<ResultLine | undefined> {
  const unwritten = await batches.results(batch.id, chunk).catch(batchUnavailable);
  const result = unwritten.find((each) => each.row === row);
  if (result) return result;
  const written = await batchFiles(blobs, batch).results(chunk).catch(batchUnavailable);
  return written.find((each) => each.row === row);
}

/** @throws Problem not-found, conflict: the reason why a row has no result */
async function rejectWithoutResult(
  { blobs }: Services,
  batch: BatchRecord,
  chunk: number,
  row: number,
): Promise<never> {
  const rows = await batchFiles(blobs, batch).rows(chunk).catch(batchUnavailable);
  const line = rows.find((each) => each.row <= row && row < each.row + rowCount(each));
  if (!line) throw rowNotFound();
  if (isRejected(line)) {
    throw new Problem('not-found', `The row was rejected: ${line.problem.detail}`);
  }
  if (BATCH_TERMINAL_STATUSES.includes(batch.status)) {
    throw new Problem('conflict', 'The batch ended before the row was processed');
  }
  throw new Problem('conflict', 'The row is not finished yet', { headers: RETRY_SOON });
}

/** @throws Problem not-found, conflict if the row is not finished, or the row's own problem */
async function requireResult(services: Services, batch: BatchRecord, row: number) {
  if (!Number.isSafeInteger(row) || row < 0) throw rowNotFound();
  const chunk = findChunk(await services.batches.firstRows(batch.id).catch(batchUnavailable), row);
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
  const present = await batches.get(id).catch(batchUnavailable);
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
  const cutout = made && (await newestCutOut(services, batch, row, made).catch(batchUnavailable));
  if (!cutout) throw noImages();
  const body = await openVerified(services.blobs, cutout, signal, async () => {
    const present = await newestCutOut(services, batch, row, made).catch(batchUnavailable);
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
