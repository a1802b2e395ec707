import { FeedInspection } from '../../../feed-formats/inspect.ts';
import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import { type Route, route } from '../../../http/route.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import { FEEDS_PATH, runLinks } from '../../../intake/batches/links.ts';
import type { FeedRecord } from '../../../intake/feeds/feeds.ts';
import { jsonDoc } from '../../json-doc.ts';
import type { BatchEvents } from '../batches/events.ts';
import { duplicatesRoute } from '../duplicates/routes.ts';
import { ErasureResponse } from '../job-response.ts';
import type { ReviewActions, ReviewTarget } from '../review/actions.ts';
import type { RowRefinements } from '../review/refinements.ts';
import { reviewRoutes } from '../review/routes.ts';
import { FeedAcceptance } from './accept-feed.ts';
import { FeedActions, type FeedServices } from './actions.ts';
import type { DownloadServices } from './downloads.ts';
import { editFeed } from './edit-feed.ts';
import { pictureName } from './report-lines.ts';
import { FeedEditJson, FeedJson, FeedQuery, InspectQuery } from './request.ts';
import { FeedResponse, RunResponse } from './response.ts';
import { inspect } from './upload.ts';
import { FEED_PATH, feedViewRoutes, RUN_PATH } from './views.ts';

const feedBodies = Object.fromEntries(FEED_MEDIA_TYPES.map((type) => [type, 'binary' as const]));

const feedDoc = jsonDoc('The feed', FeedResponse);
const runDoc = jsonDoc('The run', RunResponse);

/** Only the last completed run has cut-outs to link to and to decide about. */
function toReviewTarget(
  { links }: Pick<DownloadServices, 'links'>,
  { feed, run }: { feed: FeedRecord; run: BatchRecord },
): ReviewTarget {
  const isOpen = feed.lastCompletedRunId === run.id;
  return {
    batch: run,
    path: runLinks(feed.id, run.id).review,
    isOpen,
    linkOf: ({ customId, image = 0, key }) =>
      isOpen ? links.create(key, pictureName(customId, image, key)) : undefined,
  };
}

const changeRoutes = (
  services: FeedServices,
  actions: FeedActions,
  acceptance: FeedAcceptance,
): Route[] => [
  route('createFeed', `POST ${FEEDS_PATH}`, {
    query: FeedQuery,
    stream: { ...feedBodies, 'application/json': FeedJson },
    responses: { 202: { ...feedDoc, headers: ['Location', 'Retry-After'] } },
    handle: (call) => acceptance.create(call),
  }),
  route('inspectFeed', `POST ${FEEDS_PATH}/inspect`, {
    query: InspectQuery,
    stream: feedBodies,
    responses: { 200: jsonDoc('What was recognised', FeedInspection) },
    handle: inspect,
  }),
  route('createFeedRun', `POST ${FEED_PATH}/runs`, {
    query: FeedQuery,
    optionalBody: true,
    stream: feedBodies,
    responses: { 202: { ...runDoc, headers: ['Location', 'Retry-After'] } },
    handle: (call) => acceptance.startRun(call),
  }),
  route('cancelFeedRun', `POST ${RUN_PATH}/cancel`, {
    responses: { 200: runDoc },
    handle: (call) => actions.cancel(call),
  }),
  route('confirmFeedRun', `POST ${RUN_PATH}/confirm`, {
    responses: { 202: { ...runDoc, headers: ['Retry-After'] } },
    handle: (call) => actions.confirm(call),
  }),
  route('editFeed', `PATCH ${FEED_PATH}`, {
    body: FeedEditJson,
    responses: { 200: feedDoc },
    handle: (call) => editFeed(services, actions, call),
  }),
  route('eraseFeed', `DELETE ${FEED_PATH}`, {
    responses: { 200: jsonDoc('What was deleted', ErasureResponse) },
    handle: (call) => actions.erase(call),
  }),
];

export function feedRoutes(
  services: FeedServices & DownloadServices,
  events: BatchEvents,
  reviews: ReviewActions,
  refinements: RowRefinements,
): Route[] {
  const actions = new FeedActions(services);
  const acceptance = new FeedAcceptance(services, actions);
  return [
    ...changeRoutes(services, actions, acceptance),
    ...feedViewRoutes(actions, services, events),
    ...reviewRoutes(reviews, refinements, {
      path: RUN_PATH,
      name: 'FeedRun',
      readTarget: async (call) => toReviewTarget(services, await actions.readOwnRun(call)),
    }),
    duplicatesRoute(services.blobs, {
      path: RUN_PATH,
      name: 'FeedRun',
      async readTarget(call) {
        const { feed, run } = await actions.readOwnRun(call);
        return { batch: run, path: runLinks(feed.id, run.id).duplicates };
      },
    }),
  ];
}
