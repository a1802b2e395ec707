import type { Redis } from 'ioredis';
import type { IntakeRight } from '../auth/key-record.ts';
import type { Gateway } from '../gateway.ts';
import { readJsonImage } from '../http/image-body.ts';
import type { Route } from '../http/route.ts';
import { isLossSought, readOngoingRecovery } from '../intake/recovery-state.ts';
import { Problem, unavailable } from '../platform/problem.ts';
import { accessRoutes } from './access.ts';
import { accountRoutes } from './account/routes.ts';
import { garmentsRoute } from './garments.ts';
import { BatchActions } from './intake/batches/actions.ts';
import { BatchEvents } from './intake/batches/events.ts';
import { batchRoutes } from './intake/batches/routes.ts';
import { feedRoutes } from './intake/feeds/routes.ts';
import { fileRoutes } from './intake/files.ts';
import { JobActions } from './intake/job-actions.ts';
import { jobRefinementRoutes } from './intake/job-refinements.ts';
import { jobRoutes } from './intake/job-routes.ts';
import { learnedCategoryRoutes } from './intake/learned-categories.ts';
import { presetRoutes } from './intake/presets.ts';
import { ReviewActions } from './intake/review/actions.ts';
import { RowRefinements } from './intake/review/refinements.ts';
import { rulePackRoutes } from './intake/rules.ts';
import { sourceRoutes } from './intake/sources/routes.ts';
import { webhookRoutes } from './intake/webhooks.ts';
import { type LookDeps, lookRoutes } from './look/routes.ts';
import { consoleRoutes, photoRoute } from './operations/console.ts';
import { type Checks, healthRoutes } from './operations/health.ts';
import { type MetricsDeps, metricsRoutes } from './operations/metrics.ts';
import { problemRoutes } from './operations/problem-pages.ts';
import { removalRoutes } from './removal/background-removals.ts';
import { ImageRequests } from './removal/image-requests.ts';
import { rembgRoutes, withoutBgRoutes } from './removal/like-fastapi.ts';
import { refinementRoutes } from './removal/refinements.ts';
import { removeBgRoutes } from './removal/removebg/routes.ts';
import { taxonomyRoutes } from './taxonomy.ts';
import { withTestAnswers } from './test-keys/answers.ts';

interface RouteOptions {
  look: LookDeps;
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
  [/\/(presets|rules|categories)\b/, 'settings'],
  [/\/review\b/, 'review'],
  [/^/, 'jobs'],
];

const withRights = (routes: readonly Route[]): Route[] =>
  routes.map((route) => {
    const right = RIGHTS.find(([path]) => path.test(route.path))?.[1];
    return right ? { ...route, right } : route;
  });

/** Answers 503 instead of 404 while records that Redis may have lost are looked for. */
const withRecovery = (routes: readonly Route[], redis: Redis): Route[] =>
  routes.map((route) => ({
    ...route,
    async handle(call) {
      try {
        return await route.handle(call);
      } catch (error) {
        if (!(error instanceof Problem) || error.type !== 'not-found') throw error;
        if (!(await isLossSought(redis))) throw error;
        throw unavailable('Redis has started again: records that it may have lost are looked for');
      }
    },
  }));

export function routeTable(
  gateway: Gateway,
  { look, checks, metrics, classifierVersion }: RouteOptions,
): Route[] {
  const { idempotency, presets, rulePacks, maxImageBytes, now, redis } = gateway;
  const images = new ImageRequests(gateway);
  const jobs = new JobActions(gateway);
  const preferJob = { jobs, maxWaitSeconds: Math.floor(gateway.deadlineMillis / 1000) };
  const events = new BatchEvents();
  const reviews = new ReviewActions(gateway, images);
  const refinements = new RowRefinements(gateway, reviews, images);
  const readImage = (body: unknown) => readJsonImage(body, maxImageBytes).image;
  return withTestAnswers([
    ...removalRoutes({ images, presets, rulePacks, idempotency, ...preferJob }),
    ...refinementRoutes(gateway, images),
    ...withRecovery(
      withRights([
        ...jobRoutes(jobs, gateway),
        ...jobRefinementRoutes(gateway, jobs, images),
        ...batchRoutes(gateway, new BatchActions(gateway, events), reviews, refinements),
        ...feedRoutes(gateway, events, reviews, refinements),
        ...sourceRoutes(gateway),
        ...rulePackRoutes(rulePacks),
        ...presetRoutes(presets),
        ...learnedCategoryRoutes(gateway.learnedCategories),
        ...webhookRoutes(gateway),
        ...fileRoutes(gateway),
      ]),
      redis,
    ),
    ...removeBgRoutes({ images, readImage, now }),
    ...rembgRoutes(images),
    ...withoutBgRoutes(images),
    ...taxonomyRoutes({
      images,
      idempotency,
      readImage,
      learnedCategories: gateway.learnedCategories,
      modelVersion: classifierVersion,
      ...preferJob,
    }),
    garmentsRoute({ images, idempotency }),
    ...lookRoutes(look),
    ...accessRoutes(gateway),
    ...accountRoutes(gateway),
    ...consoleRoutes(gateway),
    photoRoute(images, gateway),
    ...healthRoutes(checks, () => readOngoingRecovery(redis)),
    ...(metrics ? metricsRoutes(metrics) : []),
    ...problemRoutes(),
  ]);
}
