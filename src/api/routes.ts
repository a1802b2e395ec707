import type { IntakeRight } from '../auth/scopes.ts';
import { readJsonImage } from '../http/image-body.ts';
import type { Route } from '../http/route.ts';
import { readOngoingRecovery } from '../intake/recovery-state.ts';
import { garmentsRoute } from './garments.ts';
import { type BatchDeps, createBatchActions } from './intake/batches/actions.ts';
import { createBatchEvents } from './intake/batches/events.ts';
import { batchRoutes } from './intake/batches/routes.ts';
import type { FeedDeps } from './intake/feeds/actions.ts';
import type { DownloadDeps } from './intake/feeds/downloads.ts';
import { feedRoutes } from './intake/feeds/routes.ts';
import { fileRoutes } from './intake/files.ts';
import { createJobActions, type JobDeps } from './intake/job-actions.ts';
import { jobRefinementRoutes } from './intake/job-refinements.ts';
import { jobRoutes } from './intake/job-routes.ts';
import { presetRoutes } from './intake/presets/routes.ts';
import { createReviewActions } from './intake/review/actions.ts';
import { createRowRefinements } from './intake/review/refinements.ts';
import { rulePackRoutes } from './intake/rules/routes.ts';
import type { SourceDeps } from './intake/sources/actions.ts';
import { sourceRoutes } from './intake/sources/routes.ts';
import { webhookRoutes } from './intake/webhooks.ts';
import { type LookDeps, lookRoutes } from './look/routes.ts';
import { type ConsoleSessionDeps, consoleRoutes } from './operations/console-session.ts';
import { type Checks, healthRoutes } from './operations/health.ts';
import { type MetricsDeps, metricsRoutes } from './operations/metrics.ts';
import { problemRoutes } from './operations/problem-pages.ts';
import { removalRoutes } from './removal/background-removals.ts';
import { rembgRoutes } from './removal/compat/rembg.ts';
import { withoutBgRoutes } from './removal/compat/withoutbg.ts';
import { createImageRequests, type ImageRequestDeps } from './removal/image-requests.ts';
import { refinementRoutes } from './removal/refinements.ts';
import { removeBgRoutes } from './removal/removebg/routes.ts';
import { taxonomyRoutes } from './taxonomy.ts';

interface ApiDeps {
  look: LookDeps;
  images: ImageRequestDeps;
  jobs: JobDeps;
  batches: BatchDeps;
  feeds: FeedDeps & DownloadDeps;
  sources: SourceDeps;
  console: ConsoleSessionDeps;
  /** Maximum size of an image in bytes, before base64. */
  maxImageBytes: number;
  checks: Checks;
  /** Undefined if they are served on a port of their own. */
  metrics: MetricsDeps | undefined;
  /** Id and version of the model that classifies images. */
  classifierVersion: string;
}

/** The right that a path of `/intake` needs: that of the first row that fits. Usage and signed links need none. */
const RIGHTS: readonly [path: RegExp, right: IntakeRight | undefined][] = [
  [/\/(usage|files)\b/, undefined],
  [/\/(sources)\b/, 'sources'],
  [/\/(webhooks)\b/, 'webhooks'],
  [/\/(presets|rules)\b/, 'settings'],
  [/\/review\b/, 'review'],
  [/^/, 'jobs'],
];

const withRights = (routes: readonly Route[]): Route[] =>
  routes.map((route) => {
    const right = RIGHTS.find(([path]) => path.test(route.path))?.[1];
    return right ? { ...route, right } : route;
  });

/** Returns the table of all routes. */
export function routeTable(deps: ApiDeps): Route[] {
  const { batches, feeds, maxImageBytes, checks, metrics } = deps;
  const { deadlineMillis, now } = deps.images;
  const { idempotency, presets, rulePacks, webhooks } = deps.jobs;
  const images = createImageRequests(deps.images);
  const jobs = createJobActions(deps.jobs);
  const preferJob = { jobs, maxWaitSeconds: Math.floor(deadlineMillis / 1000) };
  const events = createBatchEvents();
  const reviews = createReviewActions({ ...batches, images });
  const refinements = createRowRefinements({ ...batches, reviews, images, idempotency });
  const readImage = (body: unknown) => readJsonImage(body, maxImageBytes).image;
  return [
    ...removalRoutes({ images, presets, rulePacks, idempotency, ...preferJob }),
    ...refinementRoutes(images, rulePacks, idempotency),
    ...withRights([
      ...jobRoutes(jobs, idempotency, deps.jobs),
      ...jobRefinementRoutes({ jobs, images, ...deps.jobs }),
      ...batchRoutes(
        createBatchActions(batches, events),
        idempotency,
        reviews,
        refinements,
        batches.blobs,
      ),
      ...feedRoutes(feeds, events, reviews, refinements),
      ...sourceRoutes(deps.sources),
      ...rulePackRoutes(rulePacks),
      ...presetRoutes(presets),
      ...webhookRoutes(webhooks, idempotency),
      ...fileRoutes(deps.jobs),
    ]),
    ...removeBgRoutes({ images, readImage, now }),
    ...rembgRoutes({ images }),
    ...withoutBgRoutes({ images }),
    ...taxonomyRoutes({
      images,
      idempotency,
      readImage,
      modelVersion: deps.classifierVersion,
      ...preferJob,
    }),
    garmentsRoute({ images, idempotency }),
    ...lookRoutes(deps.look),
    ...consoleRoutes(deps.console),
    ...healthRoutes(checks, () => readOngoingRecovery(deps.jobs.redis)),
    ...(metrics ? metricsRoutes(metrics) : []),
    ...problemRoutes(),
  ];
}
