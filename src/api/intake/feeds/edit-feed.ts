import type { Gateway } from '../../../gateway.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { putJson } from '../../../intake/batches/batch-files.ts';
import { feedKeys } from '../../../intake/feeds/feed-keys.ts';
import { FeedManifest, type FeedRecord } from '../../../intake/feeds/feeds.ts';
import { deleteSchedule, putSchedule } from '../../../intake/feeds/schedules.ts';
import { toCutOutOptions, unlessDefault } from '../../../output/request.ts';
import { Problem } from '../../../platform/problem.ts';
import { deleted } from '../../common-problems.ts';
import { checkWebhook } from '../webhooks.ts';
import { checkInterval } from './accept-feed.ts';
import type { FeedActions } from './actions.ts';
import type { FeedEditJson } from './request.ts';

/** Returns the feed with what is changed; what is null is removed. */
async function edited(
  { feeds }: Pick<Gateway, 'feeds'>,
  feed: FeedRecord,
  { format, options, access, ...edit }: FeedEditJson,
): Promise<FeedManifest> {
  const { quality: _, ...others } = feed.options ?? {};
  const url = 'url' in feed.source ? feed.source.url : undefined;
  const changes = {
    ...edit,
    ...(format && { format }),
    ...(access && { access: await feeds.access.store(feed.client, access, url) }),
    ...(access === null && { access }),
    ...(options && {
      options: undefined,
      ...unlessDefault({ ...others, ...toCutOutOptions(options) }),
    }),
  };
  const whole = Object.entries({ ...feed, ...changes }).filter(([, value]) => value !== null);
  return FeedManifest.parse(Object.fromEntries(whole));
}

/** Changes a feed. What is null is removed. @throws Problem */
export async function editFeed(
  services: Gateway,
  actions: FeedActions,
  call: Call<unknown, FeedEditJson>,
): Promise<Reply> {
  const edit = call.body;
  const feed = await actions.readOwn(call as Call);
  const caller = call.caller;
  checkInterval(edit.schedule, caller);
  if (edit.schedule && !('url' in feed.source)) {
    throw new Problem(
      'invalid-request',
      'A feed without a URL is sent with each run: it has no schedule',
    );
  }
  if (edit.webhook) await checkWebhook(services, caller.client);
  const manifest = await edited(services, feed, edit);
  await putJson(services.blobs, feedKeys(feed.client, feed.id).manifest, manifest);
  if (!(await services.feeds.edit(manifest))) throw deleted('feed', feed);
  if (edit.schedule === null) await deleteSchedule(services.queues.feed, feed.id);
  else if (edit.schedule) await putSchedule(services.queues.feed, manifest);
  return { body: await actions.toResponse((await services.feeds.get(feed.id)) ?? feed) };
}
