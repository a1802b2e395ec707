import { z } from 'zod';
import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import { type Call, json, type Reply, type Route, route } from '../../../http/route.ts';
import type { Batches } from '../../../intake/batches/batches.ts';
import { FEEDS_PATH } from '../../../intake/batches/links.ts';
import { Problem } from '../../../platform/problem.ts';
import { jsonDoc } from '../../json-doc.ts';
import type { BatchEvents } from '../batches/events.ts';
import { BatchEvent } from '../batches/response.ts';
import { PageLinks, PageQuery } from '../page.ts';
import type { FeedActions } from './actions.ts';
import { type DownloadServices, FeedDownloads } from './downloads.ts';
import { ExportQuery, ListQuery, ReportQuery } from './request.ts';
import { FeedResponse, ReportLine, RunResponse, runEventCounts, runResponse } from './response.ts';

const FeedList = z.object({ feeds: z.array(FeedResponse) }).meta({ id: 'FeedList' });
const RunPage = z
  .object({ runs: z.array(RunResponse), links: PageLinks })
  .meta({ id: 'FeedRunPage' });
export const FEED_PATH = `${FEEDS_PATH}/:id`;
export const RUN_PATH = `${FEED_PATH}/runs/:run`;

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

export function feedViewRoutes(
  actions: FeedActions,
  services: DownloadServices,
  events: BatchEvents,
): Route[] {
  const downloads = new FeedDownloads(services);
  return [
    ...statusRoutes(actions),
    ...downloadRoutes(actions, downloads),
    eventRoute(actions, services.batches, events),
  ];
}
