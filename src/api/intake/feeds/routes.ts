import { z } from 'zod';
import { FeedInspection } from '../../../feed-formats/inspect.ts';
import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import type { Gateway } from '../../../gateway.ts';
import { type Call, json, jsonDoc, type Reply, type Route, route } from '../../../http/route.ts';
import { FEEDS_PATH, runLinks } from '../../../intake/batches/batch-record.ts';
import { Problem } from '../../../platform/problem.ts';
import { named } from '../../schema.ts';
import { ErasureResponse } from '../job-response.ts';
import { PageLinks, PageQuery } from '../page.ts';
import type { RowsTarget } from '../review/actions.ts';
import type { RowRoutes } from '../row-routes.ts';
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

const FeedList = named('FeedList', { feeds: z.array(FeedResponse) });
const RunPage = named('FeedRunPage', { runs: z.array(RunResponse), links: PageLinks });
const FEED_PATH = `${FEEDS_PATH}/:id`;
const RUN_PATH = `${FEED_PATH}/runs/:run`;

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

const feedBodies = Object.fromEntries(FEED_MEDIA_TYPES.map((type) => [type, 'binary' as const]));

const exportDoc = {
  200: {
    description: 'The feed with its original media type; images that failed keep their link',
    content: feedBodies,
    headers: ['Content-Disposition'] as const,
    name: 'FeedExport',
  },
};

const feedDoc = jsonDoc('The feed', FeedResponse);
const runDoc = jsonDoc('The run', RunResponse);

export function feedRoutes(services: Gateway, rows: RowRoutes): Route[] {
  const actions = new FeedActions(services);
  const acceptance = new FeedAcceptance(services, actions);
  const downloads = new FeedDownloads(services);
  return [
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
    ...rows.of({
      path: RUN_PATH,
      name: 'FeedRun',
      countsOf: runEventCounts,
      async readTarget(call) {
        const { feed, run } = await actions.readOwnRun(call);
        // Only the last completed run has cut-outs to link to and to decide about.
        const isOpen = feed.lastCompletedRunId === run.id;
        const linkOf: RowsTarget['linkOf'] = ({ customId, image = 0, key }) =>
          isOpen ? services.links.create(key, pictureName(customId, image, key)) : undefined;
        return { batch: run, links: runLinks(feed.id, run.id), isOpen, linkOf };
      },
    }),
  ];
}
