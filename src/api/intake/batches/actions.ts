import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Call, Reply } from '../../../http/route.ts';
import { batchFiles, batchKeys, putSealed } from '../../../intake/batches/batch-files.ts';
import type { BatchRetention } from '../../../intake/batches/batch-retention.ts';
import {
  BATCH_LOOK_MILLIS,
  BATCH_RUNNING_STATUSES,
  type BatchManifest,
  type BatchRecord,
  type BatchStatus,
} from '../../../intake/batches/batches.ts';
import type { BatchIndex } from '../../../intake/batches/client-index.ts';
import { BATCHES_PATH, batchEnded } from '../../../intake/batches/links.ts';
import type { Answer } from '../../../intake/idempotency.ts';
import type { Policy } from '../../../intake/retention.ts';
import type { WebhookReceivers } from '../../../intake/webhooks/receivers.ts';
import { unlessDefault } from '../../../output/quality.ts';
import { cutOutOptionsOf } from '../../../output/request.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { LINK_MEDIA_TYPE } from '../../../storage/blob-keys.ts';
import { cutOutHeaders } from '../../removal/cut-out-response.ts';
import { checkScopes } from '../job-actions.ts';
import { type PolicyOf, policyFor } from '../retention-policy.ts';
import { checkWebhook } from '../webhooks.ts';
import { gone, openCutOut } from './cut-out.ts';
import { createBatchEvents } from './events.ts';
import { addItems, type ItemsDeps } from './items.ts';
import { REPORTS, reportOf } from './reports.ts';
import type { CreateBatchRequest, ItemsQuery, ListQuery } from './request.ts';
import { NDJSON } from './request.ts';
import { type BatchResponse, batchResponse } from './response.ts';

export interface BatchDeps extends ItemsDeps {
  index: BatchIndex;
  keeping: BatchRetention;
  receivers: WebhookReceivers;
  policyOf: PolicyOf;
}

/** A batch that is not sealed by then expires. */
const OPEN_MILLIS = 86_400_000;

const newBatchId = (): string => `batch_${randomUUID().replaceAll('-', '')}`;

const notFound = (): Problem =>
  new Problem('not-found', 'There is no such batch, or it is long gone');

const down = (cause: unknown): never => {
  throw unavailable('Batches cannot be read or changed right now; try again', 1, cause);
};

function callerOf({ caller }: Call) {
  if (!caller) throw new Error('a keyed route without a caller');
  return caller;
}

function intentOf(
  wish: CreateBatchRequest,
  kept: Policy,
  call: Call,
  nowMillis: number,
): BatchManifest {
  const { client, meter, quotaPerDay } = callerOf(call);
  const { name, operations, webhook } = wish;
  return {
    ...{ id: newBatchId(), kind: 'batch', client, requestId: call.requestId },
    ...{ operations, ...kept },
    createdAt: new Date(nowMillis).toISOString(),
    ...unlessDefault(cutOutOptionsOf(wish.options)),
    ...(name !== undefined && { name }),
    ...(webhook && { webhook }),
    meter: { meter, quotaPerDay },
  };
}

const answer = (status: number, batch: BatchRecord): Answer => ({
  ...{ status, headers: {}, body: batchResponse(batch) },
});

/** The deeds behind the routes of batches. */
export function createBatchActions(deps: BatchDeps) {
  const { batches, blobs, index, keeping, receivers, policyOf } = deps;
  const events = createBatchEvents();
  const find = (id: string) => batches.get(id).catch(down);

  /** Somebody else's batch is not there: its very existence is not told. */
  async function own(call: Call): Promise<BatchRecord> {
    const batch = await find(call.params.id ?? '');
    if (batch?.kind !== 'batch' || batch.client !== call.caller?.client) throw notFound();
    checkScopes(batch.operations, call);
    return batch;
  }

  async function ownAlive(call: Call): Promise<BatchRecord> {
    const batch = await own(call);
    if (batch.status === 'expired') throw gone();
    return batch;
  }

  /** The batch after something was done to it. */
  async function read({ id }: BatchRecord): Promise<BatchRecord> {
    const batch = await find(id);
    if (!batch) throw notFound();
    return batch;
  }

  async function undo({ id, client }: BatchManifest): Promise<void> {
    const { intent, background } = batchKeys(client, id);
    const blobsGone = [intent, background].map((key) => blobs.delete(key));
    await Promise.allSettled([batches.remove(id), ...blobsGone, index.drop(client, [id])]);
  }

  /** The address of what goes behind the subjects; the first row that needs the picture fetches it. */
  async function putBackground({ id, client, options }: BatchManifest): Promise<void> {
    const link = options?.backgroundImageUrl;
    if (link === undefined) return;
    const { background } = batchKeys(client, id);
    await blobs.put(background, Buffer.from(link), { mediaType: LINK_MEDIA_TYPE });
  }

  async function create(wish: CreateBatchRequest, call: Call): Promise<Answer> {
    checkScopes(wish.operations, call);
    if (wish.webhook) await checkWebhook(receivers, callerOf(call).client);
    const kept = await policyFor(callerOf(call), wish.retention.outputSeconds, policyOf);
    const now = Date.now();
    const intent = intentOf(wish, kept, call, now);
    const { id, client } = intent;
    const bytes = Buffer.from(JSON.stringify(intent));
    const facts = { mediaType: 'application/json' };
    try {
      await putBackground(intent);
      await blobs.put(batchKeys(client, id).intent, bytes, facts);
      const openMillis = Math.min(OPEN_MILLIS, kept.inputSeconds * 1000);
      const expiresAt = new Date(now + openMillis).toISOString();
      await batches.create({ ...intent, expiresAt });
      await index.add(client, id, now);
      const batch = await batches.get(id);
      if (!batch) throw new Error('a batch that is not there after it was written');
      return { ...answer(201, batch), headers: { location: `${BATCHES_PATH}/${id}` } };
    } catch (cause) {
      await undo(intent);
      throw unavailable('The batch cannot be opened right now; try again', 1, cause);
    }
  }

  async function seal(batch: BatchRecord): Promise<Answer> {
    const now = Date.now();
    if (batch.status === 'open') await putSealed(blobs, batch, now).catch(down);
    await batches.seal(batch.id, now).catch(down);
    const after = await read(batch);
    if (after.status === 'expired') throw gone();
    if (after.sealedAt === undefined || after.status === 'canceled') {
      throw new Problem('conflict', `The batch is ${after.status}`);
    }
    return answer(200, after);
  }

  /** Calls a batch off: one that is open at once, one under way where it stands. */
  async function moveToCancel(batch: BatchRecord): Promise<void> {
    const now = Date.now();
    const expiresAt = now + batch.outputSeconds * 1000;
    const isOpen = await batches.move(batch.id, {
      ...{ from: ['open'], to: 'canceled', dueAtMillis: expiresAt },
      fields: {
        finishedAt: new Date(now).toISOString(),
        expiresAt: new Date(expiresAt).toISOString(),
      },
      outboxEntry: batchEnded(batch, 'canceled', now),
    });
    if (isOpen) return;
    const dueAtMillis = now + BATCH_LOOK_MILLIS;
    await batches.move(batch.id, {
      from: BATCH_RUNNING_STATUSES,
      to: 'canceling',
      fields: {},
      dueAtMillis,
    });
  }

  const CANCELED: readonly BatchStatus[] = ['canceling', 'canceled'];

  async function cancel(batch: BatchRecord): Promise<Answer> {
    await moveToCancel(batch).catch(down);
    const after = await read(batch);
    if (after.status === 'expired') throw gone();
    if (CANCELED.includes(after.status)) return answer(200, after);
    throw new Problem('conflict', `The batch is ${after.status} already`);
  }

  async function list(call: Call<ListQuery>): Promise<object> {
    const { client } = callerOf(call);
    const { limit, before } = call.query;
    const ids = await index.list(client, limit, before).catch(down);
    const found = await Promise.all(ids.map(find));
    const shown = found.filter((batch) => batch !== undefined);
    const missing = ids.filter((_, i) => found[i] === undefined);
    await index.drop(client, missing).catch(() => {}); // only tidiness
    const last = shown.at(-1);
    const next = ids.length === limit && last;
    return {
      batches: shown.map((batch): BatchResponse => batchResponse(batch)),
      ...(next && { links: { next: `${BATCHES_PATH}?limit=${limit}&before=${last.id}` } }),
    };
  }

  return {
    own,
    create,
    seal,
    cancel,
    list,
    items: (batch: BatchRecord, call: Call<ItemsQuery>): Promise<Answer> =>
      addItems(deps, batch, call),

    async erase(batch: BatchRecord): Promise<object> {
      const erasure = await keeping.erase(batch, Date.now()).catch(down);
      return { id: batch.id, ...erasure };
    },

    async report(name: keyof typeof REPORTS, call: Call, after?: number): Promise<Reply> {
      const batch = await ownAlive(call);
      const files = batchFiles(blobs, batch.client, batch.id);
      const body = Readable.from(reportOf(batches, files, batch, REPORTS[name], after), {
        objectMode: false,
      });
      return { headers: { 'content-type': NDJSON, 'cache-control': 'private, no-store' }, body };
    },

    async cutOut(call: Call): Promise<Reply> {
      const batch = await ownAlive(call);
      const { row = '' } = call.params;
      const { body, cutout } = await openCutOut(
        deps,
        batch,
        /^\d+$/.test(row) ? Number(row) : -1,
        call.signal,
      );
      return { headers: cutOutHeaders(cutout), body };
    },

    show: async (call: Call): Promise<Reply> => ({ body: batchResponse(await own(call)) }),

    async events(call: Call): Promise<Reply> {
      const batch = await own(call);
      return events.listen(batch, call, () => batches.get(batch.id));
    },
  };
}

export type BatchActions = ReturnType<typeof createBatchActions>;
