import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Gateway } from '../../../gateway.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { batchFiles, batchKeys, putSealed } from '../../../intake/batches/batch-files.ts';
import {
  BATCH_CANCELED_STATUSES,
  type BatchManifest,
  type BatchRecord,
} from '../../../intake/batches/batch-record.ts';
import { moveToCancel } from '../../../intake/batches/cancel.ts';
import { BATCHES_PATH } from '../../../intake/batches/links.ts';
import { restoreLostRows } from '../../../intake/batches/restore-stored.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import { putDeed } from '../../../intake/deeds.ts';
import type { StoredResponse } from '../../../intake/idempotency.ts';
import type { Policy } from '../../../intake/retention.ts';
import { type CutOutOptions, unlessDefault } from '../../../output/options.ts';
import { toCutOutOptions } from '../../../output/request.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { LINK_MEDIA_TYPE } from '../../../storage/blob-keys.ts';
import { requireCaller } from '../../caller.ts';
import { checkLinks } from '../../check-links.ts';
import { deleted, notFound, throwUnavailable } from '../../common-problems.ts';
import { cutOutHeaders } from '../../removal/cut-out-response.ts';
import { isOfRequest, storedJson } from '../idempotent.ts';
import { checkScopes } from '../job-actions.ts';
import { garmentHeaders } from '../outfit-response.ts';
import { type PageQuery, readPage } from '../page.ts';
import { applyPreset } from '../presets/apply-preset.ts';
import { retentionPolicy } from '../retention-policy.ts';
import { requireReview } from '../review/actions.ts';
import { applyExportPolicy, type ExportPolicy } from '../review/export-policy.ts';
import { resolveRules } from '../rules/resolve-rules.ts';
import { undoAcceptance } from '../undo-acceptance.ts';
import { checkWebhook } from '../webhooks.ts';
import { archiveOf } from './archive.ts';
import { missing, noImages, openCutOut, openGarment } from './cut-out.ts';
import type { BatchEvents } from './events.ts';
import { addItems, type ItemsServices } from './items.ts';
import { REPORTS, readReport, readRows } from './reports.ts';
import type { CreateBatchRequest, ItemsQuery, ReportQuery } from './request.ts';
import { NDJSON } from './request.ts';
import { type BatchResponse, batchResponse } from './response.ts';

type BatchServices = ItemsServices &
  Pick<
    Gateway,
    | 'rulePacks'
    | 'batchIndex'
    | 'batchRetention'
    | 'receivers'
    | 'reviews'
    | 'presets'
    | 'readClientLimits'
    | 'linkRule'
  >;

/** A batch that is not sealed within this time expires. */
const MAX_OPEN_MILLIS = 86_400_000;

/** Open or running batches of a client. */
const MAX_UNENDED = 1000;

const tooManyBatches = (): Problem =>
  new Problem(
    'conflict',
    `Your client has its maximum of ${MAX_UNENDED} batches that have not ended; seal or cancel some`,
  );

const newBatchId = (ref = randomUUID().replaceAll('-', '')): string => `batch_${ref}`;

const batchesUnavailable = throwUnavailable(
  'Batches cannot be read or changed right now; try again',
);

function toManifest(
  id: string,
  request: CreateBatchRequest,
  options: CutOutOptions,
  exportPolicy: ExportPolicy | undefined,
  policy: Policy,
  call: Call,
  nowMillis: number,
): BatchManifest {
  const { client, meter, quotaPerDay, weight } = requireCaller(call);
  const { name, operations, webhook } = request;
  return {
    id,
    kind: 'batch',
    client,
    requestId: call.requestId,
    operations,
    ...policy,
    createdAt: new Date(nowMillis).toISOString(),
    ...unlessDefault(options),
    ...(exportPolicy && { exportPolicy }),
    ...(name !== undefined && { name }),
    ...(webhook && { webhook }),
    meter: { meter, quotaPerDay },
    weight,
  };
}

const respond = (status: number, batch: BatchRecord): StoredResponse =>
  storedJson(batchResponse(batch), status);

/** Returns the row of a path; -1 if it is no number. */
const rowOf = ({ params: { row = '' } }: Pick<Call, 'params'>): number =>
  /^\d+$/.test(row) ? Number(row) : -1;

export function createBatchActions(services: BatchServices, events: BatchEvents) {
  const { batches, blobs, batchIndex: index, batchRetention } = services;
  const { readClientLimits, linkRule, now } = services;
  const find = (id: string) => batches.get(id).catch(batchesUnavailable);

  /** Reads a request's batch. Another client's is not-found: its existence is not disclosed. */
  async function readOwnOrDeleted(call: Call<unknown, unknown>): Promise<BatchRecord> {
    const batch = await find(call.params.id ?? '');
    if (batch?.kind !== 'batch' || batch.client !== call.caller?.client) throw notFound('batch');
    checkScopes(batch.operations, call);
    return batch;
  }

  async function readOwn(call: Call<unknown, unknown>): Promise<BatchRecord> {
    const batch = await readOwnOrDeleted(call);
    if (batch.status === 'expired') throw deleted('batch', batch);
    return batch;
  }

  async function reread({ id }: BatchRecord): Promise<BatchRecord> {
    const batch = await find(id);
    if (!batch) throw notFound('batch');
    return batch;
  }

  async function undoCreate({ id, client }: BatchManifest): Promise<void> {
    const { manifest, background } = batchKeys(client, id);
    await undoAcceptance([batches.remove(id)], () => [
      ...[manifest, background].map((key) => blobs.delete(key)),
      index.drop(client, [id]),
    ]);
  }

  /** Stores the URL of the background image. The first row that needs the image fetches it. */
  async function putBackground({ id, client, options }: BatchManifest): Promise<void> {
    const link = options?.backgroundImageUrl;
    if (link === undefined) return;
    const { background } = batchKeys(client, id);
    await blobs.put(background, Buffer.from(link), { mediaType: LINK_MEDIA_TYPE });
  }

  const created = (batch: BatchRecord): StoredResponse => ({
    ...respond(201, batch),
    headers: { location: `${BATCHES_PATH}/${batch.id}` },
  });

  /** @param ref of an idempotent request: an earlier attempt at it may have created the batch */
  async function create(
    sent: CreateBatchRequest,
    call: Call,
    ref?: string,
  ): Promise<StoredResponse> {
    checkScopes(sent.operations, call);
    const caller = requireCaller(call);
    const known = ref && (await batches.get(newBatchId(ref)).catch(batchesUnavailable));
    if (known && isOfRequest(known, now())) return created(known);
    const merged = await applyPreset(
      services.presets,
      caller.client,
      sent.options,
      '/options/preset',
    );
    const request = { ...sent, options: merged.options };
    const { backgroundImageUrl } = request.options;
    checkLinks(linkRule, { '/options/backgroundImageUrl': backgroundImageUrl });
    if (request.webhook) await checkWebhook(services, caller.client);
    const { outputSeconds } = request.retention;
    const policy = await retentionPolicy(caller, outputSeconds, readClientLimits);
    const nowMillis = now();
    const asked = toCutOutOptions(request.options);
    const options = await resolveRules(services.rulePacks, caller.client, asked, '/options/rules');
    const batchId = newBatchId(known ? undefined : ref);
    const manifest = toManifest(
      batchId,
      request,
      options,
      merged.exportPolicy,
      policy,
      call,
      nowMillis,
    );
    const { id, client } = manifest;
    const manifestJson = Buffer.from(JSON.stringify(manifest));
    try {
      await putBackground(manifest);
      await blobs.put(batchKeys(client, id).manifest, manifestJson, {
        mediaType: 'application/json',
      });
      const openMillis = Math.min(MAX_OPEN_MILLIS, policy.inputSeconds * 1000);
      const expiresAt = new Date(nowMillis + openMillis).toISOString();
      if (!(await batches.create({ ...manifest, expiresAt }, MAX_UNENDED))) throw tooManyBatches();
      await index.add(client, id, nowMillis);
      const batch = await batches.get(id);
      if (!batch) throw new Error('a batch is missing right after it was written');
      return created(batch);
    } catch (cause) {
      await undoCreate(manifest);
      if (cause instanceof Problem && cause.type === 'conflict') throw cause;
      throw unavailable('The batch cannot be opened right now; try again', 1, cause);
    }
  }

  async function seal(batch: BatchRecord): Promise<StoredResponse> {
    const nowMillis = now();
    if (batch.status === 'open') {
      await restoreLostRows(batches, blobs, batch, nowMillis).catch(batchesUnavailable);
      await putSealed(blobs, batch, nowMillis).catch(batchesUnavailable);
    }
    await batches.seal(batch.id, nowMillis).catch(batchesUnavailable);
    const after = await reread(batch);
    if (after.status === 'expired') throw deleted('batch', after);
    if (after.sealedAt === undefined || after.status === 'canceled') {
      throw new Problem('conflict', `The batch is ${after.status}`);
    }
    return respond(200, after);
  }

  async function cancel(batch: BatchRecord): Promise<StoredResponse> {
    await moveToCancel(batches, batch, now()).catch(batchesUnavailable);
    const after = await reread(batch);
    if (after.status === 'expired') throw deleted('batch', after);
    if (BATCH_CANCELED_STATUSES.includes(after.status)) {
      await putDeed(blobs, 'batch', after.id, after).catch(batchesUnavailable);
      return respond(200, after);
    }
    throw new Problem('conflict', `The batch is already ${after.status}`);
  }

  /** Yields the rows that a download is about, without the cut-outs that it must not have. */
  function exportedRows(
    batch: BatchRecord,
    { after, export: sent }: ReportQuery,
  ): AsyncIterable<RowOutcome> {
    const policy = sent ?? batch.exportPolicy ?? 'all';
    if (policy !== 'all') requireReview(batch);
    const files = batchFiles(blobs, batch.client, batch.id);
    const select = (outcomes: AsyncIterable<RowOutcome>) =>
      applyExportPolicy(services, batch, policy, outcomes);
    return readRows(batches, files, batch, select, after);
  }

  async function list(call: Call<PageQuery>): Promise<object> {
    const source = { path: BATCHES_PATH, index, get: (id: string) => batches.get(id) };
    const page = readPage(source, requireCaller(call).client, call.query);
    const { records, ...links } = await page.catch(batchesUnavailable);
    return { batches: records.map((batch): BatchResponse => batchResponse(batch)), ...links };
  }

  return {
    readOwn,
    readOwnOrDeleted,
    create,
    seal,
    cancel,
    list,
    addItems: (batch: BatchRecord, call: Call<ItemsQuery>): Promise<StoredResponse> =>
      addItems(services, batch, call),

    async erase(batch: BatchRecord): Promise<object> {
      const erasure = await batchRetention.erase(batch, now()).catch(batchesUnavailable);
      const after = await batches.get(batch.id).catch(batchesUnavailable);
      if (after) await putDeed(blobs, 'batch', after.id, after).catch(batchesUnavailable);
      return { id: batch.id, ...erasure };
    },

    async report(name: keyof typeof REPORTS, call: Call, query: ReportQuery): Promise<Reply> {
      const batch = await readOwn(call);
      const outcomes = exportedRows(batch, query);
      const body = Readable.from(readReport(batch, REPORTS[name], outcomes), { objectMode: false });
      return { headers: { 'content-type': NDJSON, 'cache-control': 'private, no-store' }, body };
    },

    async archive(call: Call<ReportQuery>): Promise<Reply> {
      const { signal, query } = call;
      const batch = await readOwn(call);
      if (!batch.operations.includes('remove-background')) throw noImages();
      const body = archiveOf({
        blobs,
        batch,
        outcomes: exportedRows(batch, query),
        missing: () => missing(services, batch),
        signal,
      });
      return {
        headers: {
          'content-type': 'application/zip',
          'content-disposition': `attachment; filename="${batch.id}.zip"`,
          'cache-control': 'private, no-store',
        },
        body,
      };
    },

    async cutOut(call: Call): Promise<Reply> {
      const batch = await readOwn(call);
      const { body, cutout } = await openCutOut(services, batch, rowOf(call), call.signal);
      return { headers: cutOutHeaders(cutout), body };
    },

    async garment(call: Call): Promise<Reply> {
      const batch = await readOwn(call);
      const { index } = call.params;
      const { body, file } = await openGarment(services, batch, rowOf(call), index, call.signal);
      return { headers: garmentHeaders(file), body };
    },

    show: async (call: Call): Promise<Reply> => ({ body: batchResponse(await readOwn(call)) }),

    async events(call: Call): Promise<Reply> {
      const batch = await readOwn(call);
      return events.listen(batch, call, () => batches.get(batch.id));
    },
  };
}

export type BatchActions = ReturnType<typeof createBatchActions>;
