import { z } from 'zod';
import { peek } from '../../../feed-formats/expand.ts';
import { FeedError } from '../../../feed-formats/feed-error.ts';
import { HEAD_BYTES, isFeed } from '../../../feed-formats/feed-images.ts';
import { type IdSet, idSet } from '../../../feed-formats/id-set.ts';
import type { Gateway } from '../../../gateway.ts';
import { asProblem } from '../../../http/problem-response.ts';
import type { Call, Caller } from '../../../http/route.ts';
import { batchKeys, getLines } from '../../../intake/batches/batch-files.ts';
import type { BatchRecord, Upload } from '../../../intake/batches/batch-record.ts';
import type { Batches } from '../../../intake/batches/batches.ts';
import type { StoredResponse } from '../../../intake/idempotency.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { storedJson } from '../idempotent.ts';
import { feedRows, fileRows, type IncomingRow, textRows } from './incoming-rows.ts';
import { ITEM_FORMATS, type ItemsQuery } from './request.ts';
import { RowUpload } from './upload.ts';

/** An upload locks its batch with a lease that it renews while it runs. */
const LEASE_MILLIS = 30_000;

const uploadInProgress = (): Problem =>
  new Problem('conflict', 'Another upload to this batch is in progress', {
    headers: { 'retry-after': String(LEASE_MILLIS / 1000) },
  });

async function withUploadLease<T>(
  batches: Batches,
  id: string,
  upload: (renewLease: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const lease = batches.uploadLease(id);
  const renewLease = () => lease.acquire(LEASE_MILLIS);
  if (!(await renewLease())) throw uploadInProgress();
  // A failure shows when the upload renews the lease for its next chunk.
  return lease.whileHeld(LEASE_MILLIS, () => upload(renewLease));
}

const StoredRow = z.object({ customId: z.string().optional(), problem: z.unknown().optional() });

/** Chunks of earlier rows whose reading costs as much of the rate limit as one request. */
const CHUNKS_PER_REQUEST = 100;

/** Adds the customIds in use to the set. Those of rejected rows may be sent again, corrected. */
async function readUsedIds(
  { blobs, requestLimits }: Gateway,
  batch: BatchRecord,
  caller: Caller,
  ids: IdSet,
): Promise<void> {
  const requests = Math.floor(batch.chunks / CHUNKS_PER_REQUEST);
  if (requests > 0) await requestLimits.charge(caller, requests);
  const keys = batchKeys(batch);
  for (let chunk = 0; chunk < batch.chunks; chunk++) {
    for (const line of await getLines(blobs, keys.rows(chunk))) {
      const { customId, problem } = StoredRow.parse(line);
      if (customId !== undefined && problem === undefined) ids.add(customId);
    }
  }
}

/** Passes everything through, and waits for `prepare` before the first element. */
async function* prepared<T>(source: AsyncIterable<T>, prepare: () => Promise<void>) {
  let isPrepared = false;
  for await (const element of source) {
    if (!isPrepared) await prepare();
    isPrepared = true;
    yield element;
  }
}

const wrongOffset = (detail: string, offset: number): Problem =>
  new Problem('conflict', detail, { members: { offset } });

/** Returns the upload to resume, or undefined for a new one. @throws Problem conflict, with the right offset */
function uploadToResume(
  { upload }: BatchRecord,
  offset: number | undefined,
  format: Upload['format'],
): Upload | undefined {
  if (offset === undefined) return undefined;
  if (!upload) {
    if (offset === 0) return undefined;
    throw wrongOffset('There is no upload to resume; start at 0', 0);
  }
  if (offset !== upload.offset) {
    const detail = `The latest upload is stored up to ${upload.offset}; resume from there`;
    throw wrongOffset(detail, upload.offset);
  }
  if (format === upload.format || (upload.format === 'feed' && format !== 'files')) return upload;
  const detail = `The upload began as ${upload.format}; resume it in the same format`;
  throw wrongOffset(detail, upload.offset);
}

async function* readRows(
  services: Gateway,
  call: Call,
  format: Upload['format'],
  from: Upload | undefined,
  readIds: (ids: IdSet) => Promise<void>,
): AsyncGenerator<IncomingRow> {
  const body = call.bodyStream();
  const ids = idSet();
  const prepare = () => readIds(ids);
  if (body.kind === 'files') {
    yield* fileRows(prepared(body.files, prepare), from, ids, services);
    return;
  }
  const hints = { mediaType: body.contentType };
  const isContinued = from !== undefined && from.format !== 'feed';
  const { head, all } = await peek(
    prepared(body.stream, prepare),
    ({ length }) => isContinued || length >= HEAD_BYTES,
  );
  const isOfFeed = format === 'feed' || from?.format === 'feed' || isFeed(head, hints);
  if (!isContinued && isOfFeed) yield* feedRows(all, hints, from, ids);
  else {
    const rows = format === 'csv' ? 'csv' : 'ndjson';
    yield* textRows({ ...body, stream: all }, rows, from, ids, services);
  }
}

const notOpen = ({ status }: Pick<BatchRecord, 'status'>): Problem =>
  new Problem('conflict', `The batch is ${status} and accepts no more rows`);

/** Adds members to the response of a problem: what was stored before the upload failed. */
function withMembers(error: unknown, members: Record<string, unknown>): Problem {
  const problem =
    error instanceof FeedError ? new Problem('invalid-request', error.detail) : asProblem(error);
  const { type, detail, headers, errors, cause } = problem;
  return new Problem(type, detail, { headers, ...(errors && { errors }), cause, members });
}

/** @throws Problem unsupported-media-type */
function readFormat(call: Call): Upload['format'] {
  const [mediaType = ''] = String(call.headers['content-type'] ?? '').split(';', 1);
  const type = mediaType.trim().toLowerCase();
  // The type is untrusted: it may be `constructor`.
  const format = Object.hasOwn(ITEM_FORMATS, type) ? ITEM_FORMATS[type] : undefined;
  if (format) return format;
  throw new Problem(
    'unsupported-media-type',
    'Send NDJSON, CSV, a feed or a form with files; see /docs',
  );
}

/**
 * Adds the rows of a request to a batch as they arrive.
 * @throws Problem conflict if the batch is not open, has another upload in progress or another
 *   offset; any error during the upload, with the members `accepted`, `rejected` and `offset`
 */
export async function addItems(
  services: Gateway,
  { id, status }: Pick<BatchRecord, 'id' | 'status'>,
  call: Call<ItemsQuery>,
): Promise<StoredResponse> {
  const { batches } = services;
  const caller = call.caller;
  if (status !== 'open') throw notOpen({ status });
  const format = readFormat(call);
  return withUploadLease(batches, id, async (renewLease) => {
    const batch = await batches.get(id);
    if (!batch) throw unavailable('The batch cannot be read right now; try again');
    if (batch.status !== 'open') throw notOpen(batch);
    const from = uploadToResume(batch, call.query.offset, format);
    const readIds = (ids: IdSet) => readUsedIds(services, batch, caller, ids);
    const upload = new RowUpload(services, batch, from, caller, renewLease);
    try {
      await upload.appendAll(readRows(services, call, format, from, readIds));
    } catch (error) {
      const { accepted, rejected, offset } = upload.result();
      throw withMembers(error, { accepted, rejected, offset });
    }
    return storedJson({ ...upload.result() });
  });
}
