import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import type { Gateway } from '../../../gateway.ts';
import { mediaTypeOf } from '../../../http/request-head.ts';
import type { Call, Caller, Reply } from '../../../http/route.ts';
import { batchKeys, putJson } from '../../../intake/batches/batch-files.ts';
import { FEEDS_PATH, runLinks } from '../../../intake/batches/batch-record.ts';
import { feedKeys } from '../../../intake/feeds/feed-keys.ts';
import {
  type FeedManifest,
  type FeedRecord,
  newFeedId,
  newRunId,
} from '../../../intake/feeds/feeds.ts';
import {
  deleteSchedule,
  minIntervalSeconds,
  putSchedule,
  withLiveMeter,
} from '../../../intake/feeds/schedules.ts';
import type { StoredResponse } from '../../../intake/idempotency.ts';
import type { CutOutOptions } from '../../../output/options.ts';
import { toCutOutOptions, unlessDefault } from '../../../output/request.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { checkLinks, notFound } from '../../common-problems.ts';
import { undoAcceptance } from '../accept-job.ts';
import { applyPreset, resolveRules } from '../accept-options.ts';
import { idempotently, isOfRequest } from '../idempotent.ts';
import { checkScopes } from '../job-actions.ts';
import { RETRY_SOON } from '../job-response.ts';
import { retentionPolicy } from '../retention-policy.ts';
import { checkWebhook } from '../webhooks.ts';
import type { FeedActions } from './actions.ts';
import {
  type CreateFeedRequest,
  FEED_FIELDS,
  type FeedQuery,
  requestFromQuery,
} from './request.ts';
import { runResponse } from './response.ts';
import { plainBody, readFeedJson, storeDocument } from './upload.ts';

const tooManyFeeds = (maxFeeds: number): Problem =>
  new Problem(
    'conflict',
    `Your client has its maximum of ${maxFeeds} feeds; delete one, or ask the operator for more`,
  );

/** Rejects a schedule that runs more often than the key allows. @throws Problem invalid-request */
export function checkInterval(
  schedule: string | null | undefined,
  { feedIntervalSeconds }: Caller,
): void {
  if (!schedule) return;
  const seconds = minIntervalSeconds(schedule);
  if (seconds >= feedIntervalSeconds) return;
  const detail = `must have runs at least ${feedIntervalSeconds} s apart, the limit of your key; these are ${seconds} s apart`;
  throw new Problem('invalid-request', 'The schedule runs more often than your key allows', {
    errors: [{ pointer: '/schedule', detail }],
  });
}

/**
 * Returns the options of a feed's cut-outs. If they are judged by rules, they are the pictures of the export: on its
 * background.
 */
async function feedOptions(
  { rulePacks }: Pick<Gateway, 'rulePacks'>,
  { client }: Caller,
  options: CutOutOptions,
  { background }: FeedManifest['export'],
): Promise<CutOutOptions> {
  if (options.rules === undefined) return options;
  const onBackground = background ? { backgroundColor: background, format: 'jpeg' as const } : {};
  return resolveRules(rulePacks, client, { ...options, ...onBackground }, '/options/rules');
}

/** Tells a dry run from another with the same idempotency key. */
const dryMark = ({ dryRun }: FeedQuery): string[] => (dryRun ? ['dry'] : []);

export class FeedAcceptance {
  readonly #services;
  readonly #actions;
  readonly #queue;

  constructor(services: Gateway, actions: FeedActions) {
    this.#services = services;
    this.#actions = actions;
    this.#queue = services.queues.feed;
  }

  #findRun(id: string) {
    return this.#services.batches.get(id);
  }

  async #undoAccept({ id, client }: FeedManifest, runId: string): Promise<void> {
    const { feeds, batches, blobs } = this.#services;
    await undoAcceptance([feeds.remove({ id, client }), batches.remove(runId)], () => [
      deleteSchedule(this.#queue, id),
      blobs.delete(feedKeys(client, id).manifest),
      blobs.delete(batchKeys({ client, id: runId }).manifest),
    ]);
  }

  /**
   * An accepted feed is durable: its manifest is written first, then the records, then the queue entry.
   * @param known an earlier attempt at the same request has written at least the record
   */
  async #accept(
    manifest: FeedManifest,
    runId: string,
    { maxFeeds }: Caller,
    { known, isDry }: { known: FeedRecord | undefined; isDry: boolean },
  ): Promise<StoredResponse> {
    const { id, client, requestId } = manifest;
    try {
      if (!known) {
        await putJson(this.#services.blobs, feedKeys(client, id).manifest, manifest);
        if (!(await this.#services.feeds.create(manifest, maxFeeds))) throw tooManyFeeds(maxFeeds);
      }
      const feed = await this.#services.feeds.get(id);
      if (!feed || !(await this.#services.runs.start(feed, runId, requestId, isDry))) {
        throw unavailable('The feed cannot be accepted right now; try again');
      }
      await putSchedule(this.#queue, manifest);
      const latest = (await this.#services.feeds.get(id)) ?? feed;
      const headers = { location: `${FEEDS_PATH}/${id}`, ...RETRY_SOON };
      return { status: 202, headers, body: await this.#actions.toResponse(latest) };
    } catch (cause) {
      if (!known) await this.#undoAccept(manifest, runId);
      throw cause;
    }
  }

  /** Checks that the caller may make the request, and returns the manifest of the new feed. */
  async #authorizeRequest(request: CreateFeedRequest, call: Call): Promise<FeedManifest> {
    const { linkRule, presets, feeds, readClientLimits, now } = this.#services;
    const { imageOptions, access, ...rest } = request;
    const url = 'url' in request.source ? request.source.url : undefined;
    const { caller } = call;
    const { client, meter, quotaPerDay, weight } = caller;
    checkScopes(request.operations, call);
    checkLinks(linkRule, { '/url': url });
    checkInterval(request.schedule, caller);
    if (request.webhook) await checkWebhook(this.#services, client);
    const policy = await retentionPolicy(caller, request.outputSeconds, readClientLimits);
    const pointer = url === undefined ? '?preset' : '/options/preset';
    const applied = await applyPreset(presets, client, imageOptions, pointer, FEED_FIELDS);
    const asked = toCutOutOptions(applied.options);
    const options = await feedOptions(this.#services, caller, asked, rest.export);
    return {
      ...{ id: newFeedId(), client, requestId: call.requestId },
      ...rest,
      ...(access && { access: await feeds.access.store(client, access, url) }),
      ...unlessDefault(options),
      ...(applied.exportPolicy && { exportPolicy: applied.exportPolicy }),
      ...policy,
      meter: { meter, quotaPerDay },
      weight,
      createdAt: new Date(now()).toISOString(),
    };
  }

  /**
   * Accepts a feed with ids that follow from the request, if it may be repeated.
   * @param place puts the uploaded document in its place
   */
  async #acceptOnce(
    manifest: FeedManifest,
    { isDry, ...ids }: { runId: string; ref: string | undefined; isDry: boolean },
    caller: Caller,
    place: (feedId: string, runId: string) => Promise<void> = async () => {},
  ): Promise<StoredResponse> {
    const found = ids.ref ? await this.#services.feeds.get(newFeedId(ids.ref)) : undefined;
    const status = found?.erasure ? 'expired' : '';
    const isResumed = found && isOfRequest({ ...found, status }, this.#services.now());
    const isNamed = ids.ref !== undefined && (!found || isResumed);
    const id = isNamed ? newFeedId(ids.ref) : manifest.id;
    const runId = isNamed ? newRunId(ids.ref) : ids.runId;
    if (!isResumed || !found.runs.includes(runId)) await place(id, runId);
    const known = isResumed ? found : undefined;
    return this.#accept({ ...manifest, id }, runId, caller, { known, isDry });
  }

  /** Stores the uploaded feed of a run, then handles the request. Deletes the upload again if there is no such run. */
  async #withDocument(
    call: Call<FeedQuery>,
    feed: Pick<FeedManifest, 'client' | 'id'>,
    runId: string,
    fingerprint: readonly unknown[],
    handle: (
      ref: string | undefined,
      place: (feedId: string, runId: string) => Promise<void>,
    ) => Promise<StoredResponse>,
  ): Promise<Reply> {
    const body = plainBody(call.bodyStream());
    const key = feedKeys(feed.client, feed.id).source(runId);
    const document = await storeDocument(this.#services, key, body, call);
    const place = async (feedId: string, placedRunId: string): Promise<void> => {
      const placed = feedKeys(feed.client, feedId).source(placedRunId);
      if (placed === key) return;
      await this.#services.blobs.copy(key, placed);
      await this.#services.blobs.delete(key).catch(() => {}); // or the sweep, since it has no record
    };
    try {
      const content = [...fingerprint, document.sha256];
      return await idempotently(this.#services.idempotency, call, content, (ref) =>
        handle(ref, place),
      );
    } finally {
      const run = await this.#services.batches.get(runId).catch(() => 'perhaps');
      if (!run) await document.discard();
    }
  }

  async create(call: Call<FeedQuery>): Promise<Reply> {
    const runId = newRunId();
    const isJson = mediaTypeOf(call.headers['content-type']?.toString()) === 'application/json';
    const request = isJson
      ? await readFeedJson(plainBody(call.bodyStream()))
      : requestFromQuery(call.query);
    const manifest = await this.#authorizeRequest(request, call);
    const fingerprint = ['POST', FEEDS_PATH, request, ...dryMark(call.query)];
    const handle = (ref?: string, place?: (feedId: string, runId: string) => Promise<void>) =>
      this.#acceptOnce(manifest, { runId, ref, isDry: call.query.dryRun }, call.caller, place);
    if (isJson) return idempotently(this.#services.idempotency, call, fingerprint, handle);
    return this.#withDocument(call, manifest, runId, fingerprint, handle);
  }

  async #acceptRun(
    feed: FeedRecord,
    runId: string,
    requestId: string,
    isDry: boolean,
  ): Promise<StoredResponse> {
    const isStarted = await this.#services.runs.start(feed, runId, requestId, isDry);
    if (!isStarted) {
      throw new Problem('conflict', 'A run of this feed is in progress', { headers: RETRY_SOON });
    }
    const run = await this.#findRun(runId);
    if (!run) throw notFound('run');
    const location = runLinks(feed.id, runId).self;
    return { status: 202, headers: { location, ...RETRY_SOON }, body: runResponse(run) };
  }

  async startRun(call: Call<FeedQuery>): Promise<Reply> {
    const own = await this.#actions.readOwn(call);
    const feed = await withLiveMeter(this.#services, own, call.caller);
    const newId = newRunId();
    const fingerprint = ['POST', `${FEEDS_PATH}/${feed.id}/runs`, ...dryMark(call.query)];
    const handle = async (
      ref?: string,
      place: (feedId: string, runId: string) => Promise<void> = async () => {},
    ) => {
      await this.#services.storedBytes.check(call.caller);
      const known = ref && (await this.#findRun(newRunId(ref)));
      const isNamed = ref !== undefined && (!known || isOfRequest(known, this.#services.now()));
      const runId = isNamed ? newRunId(ref) : newId;
      if (!known || !isNamed) await place(feed.id, runId);
      return this.#acceptRun(feed, runId, call.requestId, call.query.dryRun);
    };
    const sentType = mediaTypeOf(call.headers['content-type']?.toString());
    const hasBody = FEED_MEDIA_TYPES.some((mediaType) => mediaType === sentType);
    if ('url' in feed.source) {
      if (!hasBody) return idempotently(this.#services.idempotency, call, fingerprint, handle);
      throw new Problem('invalid-request', 'This feed is read from its URL; send no body');
    }
    if (!hasBody) throw new Problem('invalid-request', 'Send the current feed as the body');
    return this.#withDocument(call, feed, newId, fingerprint, handle);
  }
}
