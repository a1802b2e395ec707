import { z } from 'zod';
import { FeedInspection } from '../../../feed-formats/inspect.ts';
import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import type { Gateway } from '../../../gateway.ts';
import { type Call, json, jsonDoc, type Reply, type Route, route } from '../../../http/route.ts';
import { type BatchRecord, FEEDS_PATH, runLinks } from '../../../intake/batches/batch-record.ts';
import type { Batches } from '../../../intake/batches/batches.ts';
import type { FeedRecord } from '../../../intake/feeds/feeds.ts';
import { Problem } from '../../../platform/problem.ts';
import type { BatchEvents } from '../batches/events.ts';
import { BatchEvent } from '../batches/response.ts';
import { duplicatesRoute } from '../duplicates.ts';
import { ErasureResponse } from '../job-response.ts';
import { PageLinks, PageQuery } from '../page.ts';
import type { ReviewActions, ReviewTarget } from '../review/actions.ts';
import type { RowRefinements } from '../review/refinements.ts';
import { reviewRoutes } from '../review/routes.ts';
import { editFeed, FeedAcceptance } from './accept-feed.ts';
import { FeedActions } from './actions.ts';
import { FeedDownloads } from './downloads.ts';
import { pictureName } from './report-lines.ts';
import {
  ExportQuery,
  FeedEditJson,
  FeedJson,
  FeedQuery,
  InspectQuery,
  ListQuery,
  ReportQuery,
} from './request.ts';
import { FeedResponse, ReportLine, RunResponse, runEventCounts, runResponse } from './response.ts';
import { inspect } from './upload.ts';

const FeedList = z.object({ feeds: z.array(FeedResponse) }).meta({ id: 'FeedList' });
const RunPage = z
  .object({ runs: z.array(RunResponse), links: PageLinks })
  .meta({ id: 'FeedRunPage' });
const FEED_PATH = `${FEEDS_PATH}/:id`;
const RUN_PATH = `${FEED_PATH}/runs/:run`;

const statusRoutes = (actions: FeedActions): Route[] => [
  route('listFeeds', `GET ${FEEDS_PATH}`, {
    query: ListQuery,
    responses: { 200: jsonDoc('Feeds', FeedList) },
    handle: (call) => actions.list(call),
  }),
  route('getFeed', `GET ${FEED_PATH}`, {
    responses: { 200: jsonDoc('The feed', FeedResponse) },
    handle: (call) => actions.show(call),
  }),
  route('listFeedRuns', `GET ${FEED_PATH}/runs`, {
    query: PageQuery,
    responses: { 200: jsonDoc('A page', RunPage) },
    handle: (call) => actions.listRuns(call),
  }),
  route('getFeedRun', `GET ${RUN_PATH}`, {
    responses: { 200: jsonDoc('The run', RunResponse) },
    handle: async (call) => json(runResponse((await actions.readOwnRun(call)).run)),
  }),
];

async function exportLastCompleted(
  actions: FeedActions,
  downloads: FeedDownloads,
  call: Call<ExportQuery>,
): Promise<Reply> {
  const { lastCompletedRunId: run } = await actions.readOwn(call);
  if (run === undefined) throw new Problem('conflict', 'No run of this feed has completed yet');
  const params = { ...call.params, run };
  return downloads.export(await actions.readOwnRun({ ...call, params }), call, call.query);
}

const exportDoc = {
  200: {
    description: 'The feed with its original media type; images that failed keep their link',
    content: Object.fromEntries(FEED_MEDIA_TYPES.map((type) => [type, 'binary' as const])),
    headers: ['Content-Disposition'] as const,
    name: 'FeedExport',
  },
};

const downloadRoutes = (actions: FeedActions, downloads: FeedDownloads): Route[] => [
  route('getFeedRunReport', `GET ${RUN_PATH}/report`, {
    query: ReportQuery,
    responses: {
      200: {
        description: 'The report',
        content: {
          'text/html': z.string(),
          'text/csv': z.string(),
          'application/x-ndjson': { each: ReportLine },
        },
      },
    },
    handle: async (call) =>
      downloads.report(await actions.readOwnRun(call), call, call.query.format),
  }),
  route('exportFeedRun', `GET ${RUN_PATH}/export`, {
    query: ExportQuery,
    responses: exportDoc,
    handle: async (call) => downloads.export(await actions.readOwnRun(call), call, call.query),
  }),
  route('exportFeed', `GET ${FEED_PATH}/export`, {
    query: ExportQuery,
    responses: exportDoc,
    handle: (call) => exportLastCompleted(actions, downloads, call),
  }),
];

const eventRoute = (actions: FeedActions, batches: Batches, events: BatchEvents): Route =>
  route('getFeedRunEvents', `GET ${RUN_PATH}/events`, {
    responses: {
      200: { description: 'Events', content: { 'text/event-stream': { each: BatchEvent } } },
      204: { description: 'The client already has the last event' },
    },
    async handle(call) {
      const { run } = await actions.readOwnRun(call);
      return events.listen(run, call, () => batches.get(run.id), runEventCounts);
    },
  });

function feedViewRoutes(actions: FeedActions, services: Gateway, events: BatchEvents): Route[] {
  const downloads = new FeedDownloads(services);
  return [
    ...statusRoutes(actions),
    ...downloadRoutes(actions, downloads),
    eventRoute(actions, services.batches, events),
  ];
}

const feedBodies = Object.fromEntries(FEED_MEDIA_TYPES.map((type) => [type, 'binary' as const]));

const feedDoc = jsonDoc('The feed', FeedResponse);
const runDoc = jsonDoc('The run', RunResponse);

/** Only the last completed run has cut-outs to link to and to decide about. */
function toReviewTarget(
  { links }: Pick<Gateway, 'links'>,
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
  services: Gateway,
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
  services: Gateway,
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
