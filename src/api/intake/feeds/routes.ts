import { z } from 'zod';
import { type Route, route } from '../../../http/route.ts';
import { FEEDS_PATH } from '../../../intake/batches/links.ts';
import { createFeedAcceptance } from './accept-feed.ts';
import { createFeedActions, type FeedActions, type FeedDeps } from './actions.ts';
import type { DownloadDeps } from './downloads.ts';
import { FEED_MEDIA_TYPES, FeedJson, FeedQuery } from './request.ts';
import { FeedResponse, RunResponse } from './response.ts';
import { feedViews } from './views.ts';

const Receipt = z.object({ id: z.string(), erasedAt: z.iso.datetime(), blobs: z.number() });

const feedBodies = Object.fromEntries(FEED_MEDIA_TYPES.map((type) => [type, 'binary' as const]));

const feedDoc = (description: string) => ({
  description,
  content: { 'application/json': FeedResponse },
});
const runDoc = (description: string) => ({
  description,
  content: { 'application/json': RunResponse },
});

const OWN = `${FEEDS_PATH}/:id`;
const RUN = `${OWN}/runs/:run`;
const UNDER_WAY = ['conflict', 'idempotency-mismatch'] as const;

type Acceptance = ReturnType<typeof createFeedAcceptance>;

const changes = (work: FeedActions, accept: Acceptance): Route[] => [
  route<FeedQuery>({
    method: 'POST',
    path: FEEDS_PATH,
    scope: 'any-key',
    summary: 'Hand in a feed; its images are worked on, and it can be exported with new links',
    description:
      'Send its address as JSON, and each run reads it anew; or send the feed itself as the body, with its media type and the wishes in the query. RSS or Atom with Google’s columns, TSV, CSV or NDJSON. The first run starts at once, others on `POST …/runs` or at the times of `schedule`. An image that is as it was in the run before costs no quota.',
    query: FeedQuery,
    stream: { 'application/json': FeedJson, ...feedBodies },
    answers: { 202: { ...feedDoc('The feed'), headers: ['Location', 'Retry-After'] } },
    problems: [...UNDER_WAY],
    handle: accept.create,
  }),
  route<FeedQuery>({
    method: 'POST',
    path: `${OWN}/runs`,
    scope: 'any-key',
    summary: 'Run a feed now',
    description:
      'Without a body where the feed has an address, else with the feed as it is now. One run at a time.',
    query: FeedQuery,
    stream: feedBodies,
    answers: { 202: { ...runDoc('The run'), headers: ['Location', 'Retry-After'] } },
    problems: ['not-found', 'gone', ...UNDER_WAY],
    handle: accept.startRun,
  }),
  route({
    method: 'POST',
    path: `${RUN}/cancel`,
    scope: 'any-key',
    summary: 'Call a run off; the feed keeps what it showed before',
    answers: { 200: runDoc('The run') },
    problems: ['not-found', 'gone', ...UNDER_WAY],
    handle: work.cancel,
  }),
  route({
    method: 'DELETE',
    path: OWN,
    scope: 'any-key',
    summary: 'Erase a feed with its document, images, runs and schedule',
    answers: {
      200: { description: 'What was deleted', content: { 'application/json': Receipt } },
    },
    problems: ['not-found'],
    handle: work.erase,
  }),
];

/** The routes of retailers' feeds. */
export function feedRoutes(deps: FeedDeps & DownloadDeps): Route[] {
  const work = createFeedActions(deps);
  return [...changes(work, createFeedAcceptance(deps, work)), ...feedViews(work, deps)];
}
