import type { Call, Reply } from '../../../http/route.ts';
import { batchKeys } from '../../../intake/batches/batch-files.ts';
import { FEEDS_PATH, runLinks } from '../../../intake/batches/links.ts';
import { feedKeys } from '../../../intake/feeds/feed-keys.ts';
import {
  type FeedManifest,
  type FeedRecord,
  newFeedId,
  newRunId,
} from '../../../intake/feeds/feeds.ts';
import { deleteSchedule, putSchedule } from '../../../intake/feeds/schedules.ts';
import type { Answer } from '../../../intake/idempotency.ts';
import type { Policy } from '../../../intake/retention.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { idempotently } from '../idempotent.ts';
import { checkScopes } from '../job-actions.ts';
import { RETRY_SOON } from '../job-response.ts';
import { policyFor } from '../retention-policy.ts';
import { checkWebhook } from '../webhooks.ts';
import { callerOf, down, type FeedActions, type FeedDeps, notFound } from './actions.ts';
import { type CreateFeedRequest, type FeedQuery, requestFromQuery } from './request.ts';
import { runResponse } from './response.ts';
import { plainBody, readFeedJson, storeDocument } from './upload.ts';

function intentOf(
  wish: CreateFeedRequest,
  kept: Policy,
  call: Call<unknown, unknown>,
): FeedManifest {
  const { client, meter, quotaPerDay } = callerOf(call);
  return {
    ...{ id: newFeedId(), client, requestId: call.requestId, ...wish, ...kept },
    meter: { meter, quotaPerDay },
    createdAt: new Date().toISOString(),
  };
}

/** Accepts feeds, and runs of them. */
export function createFeedAcceptance(deps: FeedDeps, { own, answerOf }: FeedActions) {
  const { blobs, feeds, batches, runs, queue, receivers, idempotency, policyOf } = deps;
  const findRun = (id: string) => batches.get(id).catch(down);

  async function undo({ id, client }: FeedManifest, runId: string): Promise<void> {
    await Promise.allSettled([
      ...[feeds.remove({ id, client }), batches.remove(runId), deleteSchedule(queue, id)],
      ...[feedKeys(client, id).intent, batchKeys(client, runId).intent].map((key) =>
        blobs.delete(key),
      ),
    ]);
  }

  /** What is accepted is durable: the intent first, then the records, then the queue. */
  async function accept(intent: FeedManifest, runId: string): Promise<Answer> {
    const { id, client, requestId } = intent;
    try {
      const facts = { mediaType: 'application/json' };
      await blobs.put(feedKeys(client, id).intent, Buffer.from(JSON.stringify(intent)), facts);
      await feeds.create(intent);
      const feed = await feeds.get(id);
      if (!feed || !(await runs.start(feed, runId, requestId))) {
        throw new Error('a feed that is not there after it was written');
      }
      await putSchedule(queue, intent);
      const made = (await feeds.get(id)) ?? feed;
      const headers = { location: `${FEEDS_PATH}/${id}`, ...RETRY_SOON };
      return { status: 202, headers, body: await answerOf(made) };
    } catch (cause) {
      await undo(intent, runId);
      throw unavailable('The feed cannot be accepted right now; try again', 1, cause);
    }
  }

  /** What the wish comes to, once it is known that it may be wished. */
  async function intentFor(
    wish: CreateFeedRequest,
    call: Call<unknown, unknown>,
  ): Promise<FeedManifest> {
    checkScopes(wish.operations, call);
    const caller = callerOf(call);
    if (wish.webhook) await checkWebhook(receivers, caller.client);
    return intentOf(wish, await policyFor(caller, wish.outputSeconds, policyOf), call);
  }

  /**
   * Stores what is sent and goes on with it; where that comes to nothing, or came to something before,
   * what was stored goes again.
   */
  async function withDocument(
    call: Call<FeedQuery>,
    source: string,
    sameness: readonly unknown[],
    work: () => Promise<Answer>,
  ): Promise<Reply> {
    const body = plainBody(call.bodyStream());
    const { fileName } = call.query;
    const sha256 = await storeDocument(blobs, source, body, fileName, call.signal);
    let isTaken = false;
    try {
      return await idempotently(idempotency, call, [...sameness, sha256], async () => {
        const answer = await work();
        isTaken = true;
        return answer;
      });
    } finally {
      if (!isTaken) await blobs.delete(source);
    }
  }

  async function create(call: Call<FeedQuery>): Promise<Reply> {
    const runId = newRunId();
    const isJson = /^application\/json\b/i.test(String(call.headers['content-type'] ?? ''));
    const wish = isJson
      ? await readFeedJson(plainBody(call.bodyStream()))
      : requestFromQuery(call.query);
    const intent = await intentFor(wish, call);
    const sameness = ['POST', FEEDS_PATH, wish];
    const work = () => accept(intent, runId);
    if (isJson) return idempotently(idempotency, call, sameness, work);
    return withDocument(call, feedKeys(intent.client, intent.id).source(runId), sameness, work);
  }

  async function begin(feed: FeedRecord, runId: string, requestId: string): Promise<Answer> {
    const isStarted = await runs.start(feed, runId, requestId).catch(down);
    if (!isStarted) {
      throw new Problem('conflict', 'A run of this feed is under way', { headers: RETRY_SOON });
    }
    const run = await findRun(runId);
    if (!run) throw notFound('run');
    const location = runLinks(feed.id, runId).self;
    return { status: 202, headers: { location, ...RETRY_SOON }, body: runResponse(run) };
  }

  async function startRun(call: Call<FeedQuery>): Promise<Reply> {
    const feed = await own(call);
    const runId = newRunId();
    const sameness = ['POST', `${FEEDS_PATH}/${feed.id}/runs`];
    const work = () => begin(feed, runId, call.requestId);
    const isSent = call.headers['content-type'] !== undefined;
    if ('url' in feed.source) {
      if (!isSent) return idempotently(idempotency, call, sameness, work);
      throw new Problem('invalid-request', 'This feed is read from its address; send no body');
    }
    if (!isSent) throw new Problem('invalid-request', 'Send the feed as it is now as the body');
    return withDocument(call, feedKeys(feed.client, feed.id).source(runId), sameness, work);
  }

  return { create, startRun };
}
