import type { Gateway } from '../../../gateway.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { putSealed } from '../../../intake/batches/batch-files.ts';
import {
  BATCH_CANCELED_STATUSES,
  type BatchRecord,
  FEEDS_PATH,
  runLinks,
} from '../../../intake/batches/batch-record.ts';
import { moveToCancel } from '../../../intake/batches/batches.ts';
import { putDeed } from '../../../intake/deeds.ts';
import { eraseFeed } from '../../../intake/feeds/feed-retention.ts';
import type { FeedRecord } from '../../../intake/feeds/feeds.ts';
import type { StoredResponse } from '../../../intake/idempotency.ts';
import { Problem } from '../../../platform/problem.ts';
import { cancelJob } from '../../../queue/queue.ts';
import { deleted, notFound } from '../../common-problems.ts';
import { idempotently, storedJson } from '../idempotent.ts';
import { checkScopes } from '../job-actions.ts';
import { RETRY_SOON } from '../job-response.ts';
import { nextPage, type PageQuery } from '../page.ts';
import { feedResponse, runResponse } from './response.ts';

/** Returns the ids that follow one of them; none if it is not among them. */
const idsAfter = (ids: readonly string[], id: string): readonly string[] =>
  ids.includes(id) ? ids.slice(ids.indexOf(id) + 1) : [];

export class FeedActions {
  readonly #services;
  readonly #queue;
  readonly cancel;
  readonly confirm;

  constructor(services: Gateway) {
    this.#services = services;
    this.#queue = services.queues.feed;
    this.cancel = this.#changeRun('cancel', this.#cancel);
    this.confirm = this.#changeRun('confirm', this.#confirm);
  }

  readonly #findRun = (id: string) => this.#services.batches.get(id);

  /** Reads a request's feed. Another client's feed is not-found: its existence is not disclosed. */
  async #readOwnOrDeleted(call: Call): Promise<FeedRecord> {
    const feed = await this.#services.feeds.get(call.params.id ?? '');
    if (feed?.client !== call.client) throw notFound('feed');
    checkScopes(feed.operations, call);
    return feed;
  }

  readonly readOwn = async (call: Call): Promise<FeedRecord> => {
    const feed = await this.#readOwnOrDeleted(call);
    if (feed.erasure) throw deleted('feed', feed);
    return feed;
  };

  async readOwnRun(call: Call) {
    const feed = await this.readOwn(call);
    const run = await this.#findRun(call.params.run ?? '');
    if (run?.feedId !== feed.id) throw notFound('run');
    if (run.status === 'expired') throw deleted('run', run);
    return { feed, run };
  }

  readonly toResponse = async (feed: FeedRecord) => {
    return feedResponse(feed, feed.lastRunId ? await this.#findRun(feed.lastRunId) : undefined);
  };

  readonly #cancel = async (run: BatchRecord): Promise<StoredResponse> => {
    const { batches, blobs, redis, now } = this.#services;
    const moved = await moveToCancel(batches, run, now());
    // Its feed is being read.
    if (moved === 'canceled') await cancelJob(this.#queue, redis, run.id);
    const after = await this.#findRun(run.id);
    if (!after) throw notFound('run');
    if (!BATCH_CANCELED_STATUSES.includes(after.status))
      throw new Problem('conflict', `The run is already ${after.status}`);
    await putDeed(blobs, 'batch', after.id, after);
    return storedJson(runResponse(after));
  };

  /** Lets a held run go on: first in storage, as the import does. */
  readonly #confirm = async (run: BatchRecord): Promise<StoredResponse> => {
    if (run.status !== 'held')
      throw new Problem('conflict', `The run is ${run.status}; only a held run is confirmed`);
    const nowMillis = this.#services.now();
    await putSealed(this.#services.blobs, run, nowMillis);
    await this.#services.batches.seal(run.id, nowMillis);
    const after = await this.#findRun(run.id);
    if (!after) throw notFound('run');
    return { status: 202, headers: { ...RETRY_SOON }, body: runResponse(after) };
  };

  #changeRun(name: string, change: (run: BatchRecord) => Promise<StoredResponse>) {
    return async (call: Call): Promise<Reply> => {
      const { feed, run } = await this.readOwnRun(call);
      const fingerprint = ['POST', `${runLinks(feed.id, run.id).self}/${name}`];
      return idempotently(this.#services.idempotency, call, fingerprint, () => change(run));
    };
  }

  async show(call: Call): Promise<Reply> {
    return { body: await this.toResponse(await this.readOwn(call)) };
  }

  async list(call: Call<{ limit: number }>): Promise<Reply> {
    const { feeds } = this.#services;
    const found = await feeds.list(call.client, call.query.limit);
    return { body: { feeds: await Promise.all(found.map(this.toResponse)) } };
  }

  /** Lists the runs of a feed that have not expired, the newest first. */
  async listRuns(call: Call<PageQuery>): Promise<Reply> {
    const feed = await this.readOwn(call);
    const { limit, before } = call.query;
    const ids = before === undefined ? feed.runs : idsAfter(feed.runs, before);
    const found = await Promise.all(ids.map(this.#findRun));
    const runs = found
      .filter((run) => run !== undefined)
      .filter(({ status }) => status !== 'expired');
    const page = runs.slice(0, limit);
    const last = page.at(-1);
    const path = `${FEEDS_PATH}/${feed.id}/runs`;
    const links = last && runs.length > limit && nextPage(path, call.query, last.id);
    return { body: { runs: page.map(runResponse), ...links } };
  }

  async erase(call: Call): Promise<Reply> {
    const feed = await this.#readOwnOrDeleted(call);
    const { blobs, redis, now } = this.#services;
    const { lastRunId } = feed;
    const erasure = await eraseFeed(this.#services, this.#queue, feed, now());
    if (lastRunId) await cancelJob(this.#queue, redis, lastRunId);
    await putDeed(blobs, 'feed', feed.id, { ...feed, erasure });
    return { body: { id: feed.id, ...erasure } };
  }
}
