import { FeedInspection } from '../../../feed-formats/inspect.ts';
import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import { type Route, route } from '../../../http/route.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import { FEEDS_PATH, runLinks } from '../../../intake/batches/links.ts';
import type { FeedRecord } from '../../../intake/feeds/feeds.ts';
import { jsonDoc } from '../../json-doc.ts';
import type { BatchEvents } from '../batches/events.ts';
import { duplicatesRoute } from '../duplicates/routes.ts';
import { IDEMPOTENT } from '../idempotent.ts';
import { ErasureResponse } from '../job-response.ts';
import type { ReviewActions, ReviewTarget } from '../review/actions.ts';
import type { RowRefinements } from '../review/refinements.ts';
import { reviewRoutes } from '../review/routes.ts';
import { FeedAcceptance } from './accept-feed.ts';
import { FeedActions, type FeedServices } from './actions.ts';
import type { DownloadServices } from './downloads.ts';
import { createFeedEdit } from './edit-feed.ts';
import { inspect } from './inspect.ts';
import { pictureName } from './report-lines.ts';
import { FeedEditJson, FeedJson, FeedQuery, InspectQuery } from './request.ts';
import { FeedResponse, RunResponse } from './response.ts';
import { FEED_PATH, feedViewRoutes, RUN_PATH } from './views.ts';

const feedBodies = Object.fromEntries(FEED_MEDIA_TYPES.map((type) => [type, 'binary' as const]));

const feedDoc = jsonDoc('The feed', FeedResponse);
const runDoc = jsonDoc('The run', RunResponse);

const CHANGE_PROBLEMS = ['conflict'] as const;

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
  actions: FeedActions,
  acceptance: FeedAcceptance,
  edit: ReturnType<typeof createFeedEdit>,
): Route[] => [
  route<FeedQuery>('createFeed', `POST ${FEEDS_PATH}`, {
    scope: 'any-key',
    summary: 'Create a feed: its images are processed, and it can be exported with new links',
    description:
      'Send its URL as JSON, and each run fetches it again; or the feed itself, with the options in the query: RSS, Atom, other XML, TSV, CSV, NDJSON or JSON, also as gzip or zip; as `application/octet-stream` if you do not know which. The first run starts immediately, others on `POST …/runs` or by `schedule`. An image that has not changed costs no quota.',
    requestHeaders: IDEMPOTENT,
    query: FeedQuery,
    stream: { ...feedBodies, 'application/json': FeedJson },
    responses: { 202: { ...feedDoc, headers: ['Location', 'Retry-After'] } },
    problems: [...CHANGE_PROBLEMS],
    handle: (call) => acceptance.create(call),
  }),
  route<InspectQuery>('inspectFeed', `POST ${FEEDS_PATH}/inspect`, {
    scope: 'any-key',
    summary: 'Read the beginning of a feed: what is recognised, a sample and what is missing',
    description:
      'Send the feed as the body, as for `createFeed`. Nothing is stored or charged. `mapping` is tried out with it.',
    query: InspectQuery,
    stream: feedBodies,
    responses: {
      200: jsonDoc('What was recognised', FeedInspection),
    },
    handle: inspect,
  }),
  route<FeedQuery>('createFeedRun', `POST ${FEED_PATH}/runs`, {
    scope: 'any-key',
    summary: 'Run a feed now',
    description:
      'Send no body if the feed has a URL, otherwise the current feed. A feed has one run at a time. If the key that pays for the feed is revoked or expired, this key takes its place, and a paused schedule resumes.',
    requestHeaders: IDEMPOTENT,
    query: FeedQuery,
    optionalBody: true,
    stream: feedBodies,
    responses: { 202: { ...runDoc, headers: ['Location', 'Retry-After'] } },
    problems: ['not-found', 'gone', ...CHANGE_PROBLEMS],
    handle: (call) => acceptance.startRun(call),
  }),
  route('cancelFeedRun', `POST ${RUN_PATH}/cancel`, {
    scope: 'any-key',
    summary: 'Cancel a run; the feed keeps the pictures of the previous run',
    description: 'Unfinished images are not processed, and their quota is refunded.',
    requestHeaders: IDEMPOTENT,
    responses: { 200: runDoc },
    problems: ['not-found', 'gone', ...CHANGE_PROBLEMS],
    handle: (call) => actions.cancel(call),
  }),
  route('confirmFeedRun', `POST ${RUN_PATH}/confirm`, {
    scope: 'any-key',
    summary: 'Let a held run go on, though it loses many products or pictures',
    description:
      'A run is `held` if it would lose more than a share of the last one. `held` of the run says what; the links of what is lost go on for a while.',
    requestHeaders: IDEMPOTENT,
    responses: { 202: { ...runDoc, headers: ['Retry-After'] } },
    problems: ['not-found', 'gone', ...CHANGE_PROBLEMS],
    handle: (call) => actions.confirm(call),
  }),
  route<unknown, FeedEditJson>('editFeed', `PATCH ${FEED_PATH}`, {
    scope: 'any-key',
    summary: 'Change how a feed is read, when it runs, and who is told',
    description:
      'What the body names is replaced as a whole; null removes it. The next run has it: one under way and the exports of earlier ones stay as they are.',
    body: FeedEditJson,
    responses: { 200: feedDoc },
    problems: ['not-found', 'gone', 'conflict'],
    handle: edit,
  }),
  route('eraseFeed', `DELETE ${FEED_PATH}`, {
    scope: 'any-key',
    summary: 'Erase a feed with its document, images, runs and schedule',
    description:
      'Deletes everything that is stored of the feed at once. Links to its pictures stop working.',
    responses: {
      200: jsonDoc('What was deleted', ErasureResponse),
    },
    problems: ['not-found'],
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
    ...changeRoutes(actions, acceptance, createFeedEdit(services, actions)),
    ...feedViewRoutes(actions, services, events),
    ...reviewRoutes(reviews, refinements, {
      path: RUN_PATH,
      name: 'FeedRun',
      noun: 'run',
      readTarget: async (call) => toReviewTarget(services, await actions.readOwnRun(call)),
    }),
    duplicatesRoute(services.blobs, {
      path: RUN_PATH,
      name: 'FeedRun',
      noun: 'run',
      async readTarget(call) {
        const { feed, run } = await actions.readOwnRun(call);
        return { batch: run, path: runLinks(feed.id, run.id).duplicates };
      },
    }),
  ];
}
