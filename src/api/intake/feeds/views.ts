import { z } from 'zod';
import { type Call, json, type Reply, type Route, route } from '../../../http/route.ts';
import type { Batches } from '../../../intake/batches/batches.ts';
import { FEEDS_PATH } from '../../../intake/batches/links.ts';
import { Problem } from '../../../platform/problem.ts';
import { createBatchEvents } from '../batches/events.ts';
import type { FeedActions } from './actions.ts';
import { createFeedDownloads, type DownloadDeps, type FeedDownloads } from './downloads.ts';
import { ListQuery, type ReportFormat, ReportQuery } from './request.ts';
import { FeedResponse, RunResponse, runResponse } from './response.ts';

const List = z.object({ feeds: z.array(FeedResponse) });
const OWN = `${FEEDS_PATH}/:id`;
const RUN = `${OWN}/runs/:run`;

const views = (work: FeedActions): Route[] => [
  route<{ limit: number }>({
    method: 'GET',
    path: FEEDS_PATH,
    scope: 'any-key',
    summary: 'Feeds of this client, the newest first',
    query: ListQuery,
    answers: { 200: { description: 'Feeds', content: { 'application/json': List } } },
    handle: work.list,
  }),
  route({
    method: 'GET',
    path: OWN,
    scope: 'any-key',
    summary: 'A feed and its latest run',
    answers: { 200: { description: 'The feed', content: { 'application/json': FeedResponse } } },
    problems: ['not-found', 'gone'],
    handle: work.show,
  }),
  route({
    method: 'GET',
    path: RUN,
    scope: 'any-key',
    summary: 'How far a run is',
    answers: { 200: { description: 'The run', content: { 'application/json': RunResponse } } },
    problems: ['not-found', 'gone'],
    handle: async (call) => json(runResponse((await work.ownRun(call)).run)),
  }),
];

async function exportLast(work: FeedActions, downloads: FeedDownloads, call: Call): Promise<Reply> {
  const { lastCompletedRunId: run } = await work.own(call);
  if (run === undefined) throw new Problem('conflict', 'No run of this feed has completed yet');
  const params = { ...call.params, run };
  return downloads.export(await work.ownRun({ ...call, params }), call);
}

const exportDoc = {
  200: {
    description: 'The feed as it came, with its media type; images that failed keep their link',
    content: { 'text/csv': 'binary' as const },
    headers: ['Content-Disposition'],
  },
};

const downloadRoutes = (work: FeedActions, downloads: FeedDownloads): Route[] => [
  route<{ format?: ReportFormat | undefined }>({
    method: 'GET',
    path: `${RUN}/report`,
    scope: 'any-key',
    summary: 'What became of every product, for people',
    description:
      'A page for who accepts `text/html`, CSV with `?format=csv`, else NDJSON: each product with its images, changed, unchanged or failed and why, and each row that was rejected.',
    query: ReportQuery,
    answers: {
      200: {
        description: 'The report',
        content: {
          'text/html': z.string(),
          'text/csv': z.string(),
          'application/x-ndjson': z.string(),
        },
      },
    },
    problems: ['not-found', 'gone', 'conflict'],
    handle: async (call) => downloads.report(await work.ownRun(call), call, call.query.format),
  }),
  route({
    method: 'GET',
    path: `${RUN}/export`,
    scope: 'any-key',
    summary: 'The feed of a run with links to the new pictures',
    description: 'Of the run that completed last; older ones have no pictures any more.',
    answers: exportDoc,
    problems: ['not-found', 'gone', 'conflict'],
    handle: async (call) => downloads.export(await work.ownRun(call), call),
  }),
  route({
    method: 'GET',
    path: `${OWN}/export`,
    scope: 'any-key',
    summary: 'The feed with links to the new pictures, as of the run that completed last',
    answers: exportDoc,
    problems: ['not-found', 'gone', 'conflict'],
    handle: (call) => exportLast(work, downloads, call),
  }),
];

const eventRoute = (work: FeedActions, batches: Batches): Route => {
  const events = createBatchEvents();
  return route({
    method: 'GET',
    path: `${RUN}/events`,
    scope: 'any-key',
    summary: 'How a run goes on, as server-sent events',
    answers: {
      200: { description: 'Events', content: { 'text/event-stream': z.string() } },
      204: { description: 'The end is known already' },
    },
    problems: ['not-found', 'gone', 'rate-limit-exceeded'],
    async handle(call) {
      const { run } = await work.ownRun(call);
      return events.listen(run, call, () => batches.get(run.id));
    },
  });
};

/** The routes that show feeds and their runs. */
export function feedViews(work: FeedActions, deps: DownloadDeps): Route[] {
  const downloads = createFeedDownloads(deps);
  return [...views(work), ...downloadRoutes(work, downloads), eventRoute(work, deps.batches)];
}
