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
import { ExportQuery, ListQuery, type ReportFormat, ReportQuery } from './request.ts';
import { FeedResponse, ReportLine, RunResponse, runEventCounts, runResponse } from './response.ts';

const FeedList = z.object({ feeds: z.array(FeedResponse) }).meta({ id: 'FeedList' });
const RunPage = z
  .object({ runs: z.array(RunResponse), links: PageLinks })
  .meta({ id: 'FeedRunPage' });
export const FEED_PATH = `${FEEDS_PATH}/:id`;
export const RUN_PATH = `${FEED_PATH}/runs/:run`;

const statusRoutes = (actions: FeedActions): Route[] => [
  route<{ limit: number }>('listFeeds', `GET ${FEEDS_PATH}`, {
    scope: 'any-key',
    summary: 'List your feeds, newest first',
    description: 'Each with its latest run.',
    query: ListQuery,
    responses: { 200: jsonDoc('Feeds', FeedList) },
    handle: (call) => actions.list(call),
  }),
  route('getFeed', `GET ${FEED_PATH}`, {
    scope: 'any-key',
    summary: 'Get a feed and its latest run',
    description: '`lastCompletedRunId` is the run that can be exported.',
    responses: { 200: jsonDoc('The feed', FeedResponse) },
    problems: ['not-found', 'gone'],
    handle: (call) => actions.show(call),
  }),
  route<PageQuery>('listFeedRuns', `GET ${FEED_PATH}/runs`, {
    scope: 'any-key',
    summary: 'List the runs of a feed, newest first',
    description:
      'The last ten and the one in progress, without those that have expired. `links.next` is the next page.',
    query: PageQuery,
    responses: { 200: jsonDoc('A page', RunPage) },
    problems: ['not-found', 'gone'],
    handle: (call) => actions.listRuns(call),
  }),
  route('getFeedRun', `GET ${RUN_PATH}`, {
    scope: 'any-key',
    summary: 'Get the status of a run',
    description:
      'The counts say how many images changed since the previous run, and how many failed.',
    responses: { 200: jsonDoc('The run', RunResponse) },
    problems: ['not-found', 'gone'],
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
  route<{ format?: ReportFormat | undefined }>('getFeedRunReport', `GET ${RUN_PATH}/report`, {
    scope: 'any-key',
    summary: 'Download a report on every product of a run',
    description:
      'A web page if `Accept` includes `text/html`, CSV with `?format=csv`, otherwise NDJSON: each product with its images (changed, unchanged, or failed with the reason) and, if the feed is classified, its `classification`; and each rejected row.',
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
    problems: ['not-found', 'gone', 'conflict'],
    handle: async (call) =>
      downloads.report(await actions.readOwnRun(call), call, call.query.format),
  }),
  route<ExportQuery>('exportFeedRun', `GET ${RUN_PATH}/export`, {
    scope: 'any-key',
    summary: 'Export the feed of a run with links to the new pictures',
    description: 'Only for the last completed run: the pictures of older runs are deleted.',
    query: ExportQuery,
    responses: exportDoc,
    problems: ['not-found', 'gone', 'conflict'],
    handle: async (call) => downloads.export(await actions.readOwnRun(call), call, call.query),
  }),
  route<ExportQuery>('exportFeed', `GET ${FEED_PATH}/export`, {
    scope: 'any-key',
    summary: 'Export the feed of the last completed run with links to the new pictures',
    description:
      'The source byte for byte, except for the image links; its address does not change from run to run. With `columns`, products without a category, colour or material of their own get those of their classification.',
    query: ExportQuery,
    responses: exportDoc,
    problems: ['not-found', 'gone', 'conflict'],
    handle: (call) => exportLastCompleted(actions, downloads, call),
  }),
];

const eventRoute = (actions: FeedActions, batches: Batches, events: BatchEvents): Route =>
  route('getFeedRunEvents', `GET ${RUN_PATH}/events`, {
    scope: 'any-key',
    summary: 'Follow the progress of a run as server-sent events',
    description:
      '`progress` with the counts of the run when they change, `completed` at the end. `queued` and `active` images are not done yet. `Last-Event-ID` resumes the stream; 204 means that there are no more events.',
    responses: {
      200: { description: 'Events', content: { 'text/event-stream': { each: BatchEvent } } },
      204: { description: 'The client already has the last event' },
    },
    problems: ['not-found', 'gone', 'rate-limit-exceeded'],
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
