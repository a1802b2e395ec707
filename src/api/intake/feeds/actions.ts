import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Call, Reply } from '../../../http/route.ts';
import {
  BATCH_LOOK_MILLIS,
  BATCH_RUNNING_STATUSES,
  type Batches,
  type BatchRecord,
  type BatchStatus,
} from '../../../intake/batches/batches.ts';
import { batchEnded, runLinks } from '../../../intake/batches/links.ts';
import { feedFiles } from '../../../intake/feeds/feed-files.ts';
import { eraseFeed } from '../../../intake/feeds/feed-retention.ts';
import type { FeedRecord, Feeds } from '../../../intake/feeds/feeds.ts';
import type { FeedRuns } from '../../../intake/feeds/runs.ts';
import type { Answer, Idempotency } from '../../../intake/idempotency.ts';
import { expiryOf } from '../../../intake/job-retention.ts';
import type { WebhookReceivers } from '../../../intake/webhooks/receivers.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { cancelJob } from '../../../queue/cancel.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { idempotently } from '../idempotent.ts';
import { checkScopes } from '../job-actions.ts';
import type { PolicyOf } from '../retention-policy.ts';
import { feedResponse, runResponse } from './response.ts';

export interface FeedDeps {
  redis: Redis;
  blobs: Blobs;
  feeds: Feeds;
  batches: Batches;
  runs: FeedRuns;
  /** The queue `feed`. */
  queue: Queue;
  receivers: WebhookReceivers;
  idempotency: Idempotency;
  /** The operator's policy for a client's data. */
  policyOf: PolicyOf;
}

export const notFound = (what: 'feed' | 'run'): Problem =>
  new Problem('not-found', `There is no such ${what}, or it is long gone`);

export const down = (cause: unknown): never => {
  throw unavailable('Feeds cannot be read or changed right now; try again', 1, cause);
};

export function callerOf({ caller }: Call<unknown, unknown>) {
  if (!caller) throw new Error('a keyed route without a caller');
  return caller;
}

/** The deeds behind the routes of feeds. */
export function createFeedActions(deps: FeedDeps) {
  const { redis, blobs, feeds, batches, queue, idempotency } = deps;
  const findRun = (id: string) => batches.get(id).catch(down);

  /** Somebody else's feed is not there: its very existence is not told. */
  async function ownOrErased(call: Call<unknown, unknown>): Promise<FeedRecord> {
    const feed = await feeds.get(call.params.id ?? '').catch(down);
    if (feed?.client !== callerOf(call).client) throw notFound('feed');
    checkScopes(feed.operations, call);
    return feed;
  }

  async function own(call: Call<unknown, unknown>): Promise<FeedRecord> {
    const feed = await ownOrErased(call);
    if (feed.erasure) throw new Problem('gone', 'This feed was erased');
    return feed;
  }

  async function ownRun(call: Call<unknown, unknown>) {
    const feed = await own(call);
    const run = await findRun(call.params.run ?? '');
    if (run?.feedId !== feed.id) throw notFound('run');
    return { feed, run };
  }

  async function answerOf(feed: FeedRecord) {
    return feedResponse(feed, feed.lastRunId ? await findRun(feed.lastRunId) : undefined);
  }

  /** Calls a run off: while its feed is read at once, later where it stands. */
  async function moveToCancel(run: BatchRecord): Promise<void> {
    const now = Date.now();
    const { dueAtMillis, expiresAt } = expiryOf(run, now);
    const isOpen = await batches.move(run.id, {
      ...{ from: ['open'], to: 'canceled', dueAtMillis },
      fields: { finishedAt: new Date(now).toISOString(), expiresAt },
      outboxEntry: batchEnded(run, 'canceled', now),
    });
    if (isOpen) return cancelJob(queue, redis, run.id);
    const lookAt = now + BATCH_LOOK_MILLIS;
    const fields = {};
    await batches.move(run.id, {
      ...{ from: BATCH_RUNNING_STATUSES, to: 'canceling', fields, dueAtMillis: lookAt },
    });
  }

  const CANCELED: readonly BatchStatus[] = ['canceling', 'canceled'];

  async function cancel(run: BatchRecord): Promise<Answer> {
    await moveToCancel(run).catch(down);
    const after = await findRun(run.id);
    if (!after) throw notFound('run');
    if (!CANCELED.includes(after.status)) {
      throw new Problem('conflict', `The run is ${after.status} already`);
    }
    return { status: 200, headers: {}, body: runResponse(after) };
  }

  return {
    own,
    ownRun,
    answerOf,
    show: async (call: Call): Promise<Reply> => ({ body: await answerOf(await own(call)) }),

    async list(call: Call<{ limit: number }>): Promise<Reply> {
      const found = await feeds.ofClient(callerOf(call).client, call.query.limit).catch(down);
      return { body: { feeds: await Promise.all(found.map(answerOf)) } };
    },

    async cancel(call: Call): Promise<Reply> {
      const { feed, run } = await ownRun(call);
      const sameness = ['POST', `${runLinks(feed.id, run.id).self}/cancel`];
      return idempotently(idempotency, call, sameness, () => cancel(run));
    },

    async erase(call: Call): Promise<Reply> {
      const feed = await ownOrErased(call);
      const store = feedFiles(blobs);
      const { lastRunId } = feed;
      const receipt = await eraseFeed({ ...deps, store }, feed, Date.now()).catch(down);
      if (lastRunId) await cancelJob(queue, redis, lastRunId).catch(down);
      return { body: { id: feed.id, ...receipt } };
    },
  };
}

export type FeedActions = ReturnType<typeof createFeedActions>;
