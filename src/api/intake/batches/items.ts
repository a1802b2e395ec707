import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { FeedError } from '../../../feed-formats/feed-error.ts';
import { type IdSet, idSet } from '../../../feed-formats/id-set.ts';
import type { Call } from '../../../http/route.ts';
import { batchFiles } from '../../../intake/batches/batch-files.ts';
import type { Batches, BatchRecord, Upload } from '../../../intake/batches/batches.ts';
import type { Answer } from '../../../intake/idempotency.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { fileRows, type IncomingRow, textRows } from './incoming-rows.ts';
import { ITEM_FORMATS, type ItemsQuery } from './request.ts';
import { createUpload, redisDown, storeDown, type UploadDeps } from './upload.ts';

export interface ItemsDeps extends UploadDeps {
  maxImageBytes: number;
}

/** An upload holds its batch so long, and says again and again that it lives. */
const HOLD_MILLIS = 30_000;
const RENEW_MILLIS = 10_000;

const busy = (): Problem =>
  new Problem('conflict', 'Another upload to this batch is under way', {
    headers: { 'retry-after': String(HOLD_MILLIS / 1000) },
  });

/** Does work that no other upload to the batch may do meanwhile. */
async function holding<T>(
  batches: Batches,
  id: string,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  const isHeld = () => batches.holdUpload(id, holder, HOLD_MILLIS).catch(redisDown);
  if (!(await isHeld())) throw busy();
  // One that fails shows when the next rows are to be taken in.
  const renewing = setInterval(() => void isHeld().catch(() => {}), RENEW_MILLIS);
  try {
    return await work(isHeld);
  } finally {
    clearInterval(renewing);
    await batches.dropUpload(id, holder).catch(() => {}); // it runs out by itself
  }
}

const StoredRow = z.object({ customId: z.string().optional(), problem: z.unknown().optional() });

/** The customIds that are taken already; those of rejected rows may come again, mended. */
async function takenIds({ blobs }: ItemsDeps, batch: BatchRecord): Promise<IdSet> {
  const ids = idSet();
  const files = batchFiles(blobs, batch.client, batch.id);
  for (let chunk = 0; chunk < batch.chunks; chunk++) {
    for (const line of await files.rows(chunk).catch(storeDown)) {
      const { customId, problem } = StoredRow.parse(line);
      if (customId !== undefined && problem === undefined) ids.add(customId);
    }
  }
  return ids;
}

const from0 = (text: string): Problem => new Problem('conflict', text, { members: { offset: 0 } });

/**
 * Where an upload goes on, or nothing where it begins.
 * @throws Problem conflict, with the right offset
 */
function startOf(
  { upload }: BatchRecord,
  offset: number | undefined,
  format: Upload['format'],
): Upload | undefined {
  if (offset === undefined) return undefined;
  if (!upload) {
    if (offset === 0) return undefined;
    throw from0('Nothing of an upload is in yet; begin at 0');
  }
  const { offset: right, format: before } = upload;
  if (offset !== right) {
    throw new Problem('conflict', `The latest upload is in up to ${right}; go on from there`, {
      members: { offset: right },
    });
  }
  if (format === before) return upload;
  throw new Problem('conflict', `The upload began as ${before}; it goes on as the same`, {
    members: { offset: right },
  });
}

function incomingOf(
  deps: ItemsDeps,
  call: Call,
  format: Upload['format'],
  from: Upload | undefined,
  ids: IdSet,
): AsyncIterable<IncomingRow> {
  const body = call.bodyStream();
  if (body.kind === 'files') return fileRows(body.files, from, ids, deps);
  return textRows(body.stream, format === 'csv' ? 'csv' : 'ndjson', from, ids, deps);
}

const closed = ({ status }: BatchRecord): Problem =>
  new Problem('conflict', `The batch is ${status} and takes no more rows`);

/** The same problem with what of the upload is in all the same. */
function withMembers(error: unknown, members: Record<string, unknown>): Problem | unknown {
  const problem = error instanceof FeedError ? new Problem('invalid-request', error.detail) : error;
  if (!(problem instanceof Problem)) return error;
  const { type, detail, headers, errors, cause } = problem;
  return new Problem(type, detail, { headers, ...(errors && { errors }), cause, members });
}

/** How the body says that it is written. */
function formatOf(call: Call): Upload['format'] {
  const [mediaType = ''] = String(call.headers['content-type'] ?? '').split(';', 1);
  const type = mediaType.trim().toLowerCase();
  // A stranger's word: `constructor` is in no table of ours.
  const format = Object.hasOwn(ITEM_FORMATS, type) ? ITEM_FORMATS[type] : undefined;
  if (format) return format;
  throw new Problem('unsupported-media-type', 'Send NDJSON, CSV or a form of files; see /docs');
}

/**
 * Takes rows into a batch, as they come.
 * @throws Problem conflict where the batch is not open, has another upload or is elsewhere; and with
 *   `accepted`, `rejected` and `offset` whatever ended the upload half-way
 */
export async function addItems(
  deps: ItemsDeps,
  { id, ...known }: BatchRecord,
  call: Call<ItemsQuery>,
): Promise<Answer> {
  const { batches } = deps;
  const { caller } = call;
  if (!caller) throw new Error('a keyed route without a caller');
  if (known.status !== 'open') throw closed({ id, ...known });
  const format = formatOf(call);
  return holding(batches, id, async (isHeld) => {
    const batch = await batches.get(id).catch(redisDown);
    if (!batch) throw unavailable('The batch cannot be read right now; try again');
    if (batch.status !== 'open') throw closed(batch);
    const from = startOf(batch, call.query.offset, format);
    const ids = await takenIds(deps, batch);
    const upload = createUpload(deps, batch, from, caller, isHeld);
    try {
      await upload.takeAll(incomingOf(deps, call, format, from, ids));
    } catch (error) {
      const { accepted, rejected, offset } = upload.taken();
      throw withMembers(error, { accepted, rejected, offset });
    }
    return { status: 200, headers: {}, body: { ...upload.taken() } };
  });
}
