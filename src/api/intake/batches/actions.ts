import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Gateway } from '../../../gateway.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { batchKeys, putJson, putSealed } from '../../../intake/batches/batch-files.ts';
import type { BatchManifest, BatchRecord } from '../../../intake/batches/batch-record.ts';
import { BATCH_CANCELED_STATUSES, BATCHES_PATH } from '../../../intake/batches/batch-record.ts';
import { moveToCancel } from '../../../intake/batches/batches.ts';
import { restoreLostRows } from '../../../intake/batches/restore.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import { putDeed } from '../../../intake/deeds.ts';
import type { StoredResponse } from '../../../intake/idempotency.ts';
import { unlessDefault } from '../../../output/request.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { LINK_MEDIA_TYPE } from '../../../storage/blob-keys.ts';
import { deleted, notFound } from '../../common-problems.ts';
import { cutOutHeaders } from '../../removal/cut-out-response.ts';
import { retentionPolicy, undoAcceptance } from '../accept-job.ts';
import { acceptOptions } from '../accept-options.ts';
import { idempotently, isOfRequest, storedJson } from '../idempotent.ts';
import { checkScopes } from '../job-actions.ts';
import { garmentHeaders } from '../job-response.ts';
import { type PageQuery, readPage } from '../page.ts';
import { requireReview } from '../review/actions.ts';
import { applyExportPolicy } from '../review/export-policy.ts';
import { checkWebhook } from '../webhooks.ts';
import { archiveOf, missing, noImages, openCutOut, openGarment } from './cut-outs.ts';
import { addItems } from './items.ts';
import { REPORTS, readReport, readRows } from './reports.ts';
import { type CreateBatchRequest, type ItemsQuery, NDJSON, type ReportQuery } from './request.ts';
import { type BatchResponse, batchResponse } from './response.ts';

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

const respond = (status: number, batch: BatchRecord): StoredResponse =>
  storedJson(batchResponse(batch), status);

/** Returns the row of a path; -1 if it is no number. */
const rowOf = ({ params: { row = '' } }: Pick<Call, 'params'>): number =>
  /^\d+$/.test(row) ? Number(row) : -1;

export class BatchActions {
  readonly #services;

  constructor(services: Gateway) {
    this.#services = services;
  }

  #find(id: string) {
    return this.#services.batches.get(id);
  }

  /** Reads a request's batch. Another client's is not-found: its existence is not disclosed. */
  async #readOwnOrDeleted(call: Call): Promise<BatchRecord> {
    const batch = await this.#find(call.params.id ?? '');
    if (batch?.kind !== 'batch' || batch.client !== call.client) throw notFound('batch');
    checkScopes(batch.operations, call);
    return batch;
  }

  async readOwn(call: Call): Promise<BatchRecord> {
    const batch = await this.#readOwnOrDeleted(call);
    if (batch.status === 'expired') throw deleted('batch', batch);
    return batch;
  }

  async #reread({ id }: BatchRecord): Promise<BatchRecord> {
    const batch = await this.#find(id);
    if (!batch) throw notFound('batch');
    return batch;
  }

  async #undoCreate({ id, client }: BatchManifest): Promise<void> {
    const { manifest, background } = batchKeys({ client, id });
    await undoAcceptance([this.#services.batches.remove(id)], () => [
      ...[manifest, background].map((key) => this.#services.blobs.delete(key)),
      this.#services.batchIndex.drop(client, [id]),
    ]);
  }

  /** Stores the URL of the background image. The first row that needs the image fetches it. */
  async #putBackground({ id, client, options }: BatchManifest): Promise<void> {
    const link = options?.backgroundImageUrl;
    if (link === undefined) return;
    const { background } = batchKeys({ client, id });
    await this.#services.blobs.put(background, Buffer.from(link), { mediaType: LINK_MEDIA_TYPE });
  }

  #created(batch: BatchRecord): StoredResponse {
    return { ...respond(201, batch), headers: { location: `${BATCHES_PATH}/${batch.id}` } };
  }

  create(call: Call<unknown, CreateBatchRequest>): Promise<Reply> {
    const { idempotency } = this.#services;
    return idempotently(idempotency, call, ['POST', BATCHES_PATH, call.body], (ref) =>
      this.#create(call.body, call, ref),
    );
  }

  /** @param ref of an idempotent request: an earlier attempt at it may have created the batch */
  async #create(sent: CreateBatchRequest, call: Call, ref?: string): Promise<StoredResponse> {
    const { name, operations, webhook, retention } = sent;
    checkScopes(operations, call);
    const { batches, batchIndex, blobs, now } = this.#services;
    const { client, meter, quotaPerDay, weight } = call.caller;
    const known = ref && (await batches.get(newBatchId(ref)));
    if (known && isOfRequest(known, now())) return this.#created(known);
    const { options, exportPolicy } = await acceptOptions(this.#services, client, sent.options);
    if (webhook) await checkWebhook(this.#services, client);
    const { readClientLimits } = this.#services;
    const policy = await retentionPolicy(call.caller, retention.outputSeconds, readClientLimits);
    const nowMillis = now();
    const id = newBatchId(known ? undefined : ref);
    const manifest: BatchManifest = {
      ...{ id, kind: 'batch', client, requestId: call.requestId, operations },
      ...policy,
      createdAt: new Date(nowMillis).toISOString(),
      ...unlessDefault(options),
      exportPolicy,
      name,
      webhook,
      weight,
      meter: { meter, quotaPerDay },
    };
    try {
      await this.#putBackground(manifest);
      await putJson(blobs, batchKeys({ client, id }).manifest, manifest);
      const openMillis = Math.min(MAX_OPEN_MILLIS, policy.inputSeconds * 1000);
      const expiresAt = new Date(nowMillis + openMillis).toISOString();
      if (!(await batches.create({ ...manifest, expiresAt }, MAX_UNENDED))) throw tooManyBatches();
      await batchIndex.add(client, id, nowMillis);
      const batch = await batches.get(id);
      if (!batch) throw unavailable('The batch cannot be opened right now; try again');
      return this.#created(batch);
    } catch (cause) {
      await this.#undoCreate(manifest);
      throw cause;
    }
  }

  /** Changes a batch once per `Idempotency-Key`. @param content identifies the request, besides the batch */
  async #once(
    call: Call,
    content: readonly unknown[],
    change: (batch: BatchRecord) => Promise<StoredResponse>,
  ): Promise<Reply> {
    const batch = await this.readOwn(call);
    const fingerprint = ['POST', `${BATCHES_PATH}/${batch.id}`, ...content];
    return idempotently(this.#services.idempotency, call, fingerprint, () => change(batch));
  }

  seal(call: Call): Promise<Reply> {
    return this.#once(call, ['seal'], async (batch) => {
      const { batches, blobs, now } = this.#services;
      const nowMillis = now();
      if (batch.status === 'open') {
        await restoreLostRows(batches, blobs, batch, nowMillis);
        await putSealed(blobs, batch, nowMillis);
      }
      await batches.seal(batch.id, nowMillis);
      const after = await this.#reread(batch);
      if (after.status === 'expired') throw deleted('batch', after);
      if (after.sealedAt === undefined || after.status === 'canceled')
        throw new Problem('conflict', `The batch is ${after.status}`);
      return respond(200, after);
    });
  }

  cancel(call: Call): Promise<Reply> {
    return this.#once(call, ['cancel'], async (batch) => {
      const { batches, blobs, now } = this.#services;
      await moveToCancel(batches, batch, now());
      const after = await this.#reread(batch);
      if (after.status === 'expired') throw deleted('batch', after);
      if (BATCH_CANCELED_STATUSES.includes(after.status)) {
        await putDeed(blobs, 'batch', after.id, after);
        return respond(200, after);
      }
      throw new Problem('conflict', `The batch is already ${after.status}`);
    });
  }

  /** Yields the rows that a download is about, without the cut-outs that it must not have. */
  #exportedRows(
    batch: BatchRecord,
    { after, export: sent }: ReportQuery,
  ): AsyncIterable<RowOutcome> {
    const policy = sent ?? batch.exportPolicy ?? 'all';
    if (policy !== 'all') requireReview(batch);
    const select = (outcomes: AsyncIterable<RowOutcome>) =>
      applyExportPolicy(this.#services, batch, policy, outcomes);
    return readRows(this.#services, batch, select, after);
  }

  async list(call: Call<PageQuery>): Promise<object> {
    const { batches, batchIndex: index } = this.#services;
    const source = { path: BATCHES_PATH, index, get: (id: string) => batches.get(id) };
    const { records, ...links } = await readPage(source, call.client, call.query);
    return { batches: records.map((batch): BatchResponse => batchResponse(batch)), ...links };
  }

  addItems(call: Call<ItemsQuery>): Promise<Reply> {
    const [mediaType] = call.headers['content-type']?.toString().split(';') ?? [];
    return this.#once(call, ['items', call.query, mediaType], (batch) =>
      addItems(this.#services, batch, call),
    );
  }

  async erase(call: Call): Promise<object> {
    const { batches, batchRetention, blobs, now } = this.#services;
    const batch = await this.#readOwnOrDeleted(call);
    const erasure = await batchRetention.erase(batch, now());
    const after = await batches.get(batch.id);
    if (after) await putDeed(blobs, 'batch', after.id, after);
    return { id: batch.id, ...erasure };
  }

  async report(name: keyof typeof REPORTS, call: Call, query: ReportQuery): Promise<Reply> {
    const batch = await this.readOwn(call);
    const outcomes = this.#exportedRows(batch, query);
    const body = Readable.from(readReport(batch, REPORTS[name], outcomes), { objectMode: false });
    return { headers: { 'content-type': NDJSON, 'cache-control': 'private, no-store' }, body };
  }

  async archive(call: Call<ReportQuery>): Promise<Reply> {
    const { signal, query } = call;
    const batch = await this.readOwn(call);
    if (!batch.operations.includes('remove-background')) throw noImages();
    const body = archiveOf({
      blobs: this.#services.blobs,
      batch,
      outcomes: this.#exportedRows(batch, query),
      missing: () => missing(this.#services, batch),
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
  }

  async cutOut(call: Call): Promise<Reply> {
    const batch = await this.readOwn(call);
    const { body, cutout } = await openCutOut(this.#services, batch, rowOf(call), call.signal);
    return { headers: cutOutHeaders(cutout), body };
  }

  async garment(call: Call): Promise<Reply> {
    const batch = await this.readOwn(call);
    const { params, signal } = call;
    const row = rowOf(call);
    const { body, file } = await openGarment(this.#services, batch, row, params.index, signal);
    return { headers: garmentHeaders(file), body };
  }

  async show(call: Call): Promise<Reply> {
    return { body: batchResponse(await this.readOwn(call)) };
  }
}
