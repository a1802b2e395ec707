import { join } from 'node:path';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { CLASSIFIER_ID, findModel, modelVersionOf, readCatalog } from '../models/catalog.ts';
import manifest from '../package.json' with { type: 'json' };
import type { BatchDeps } from './api/intake/batches/actions.ts';
import type { FeedDeps } from './api/intake/feeds/actions.ts';
import type { DownloadDeps } from './api/intake/feeds/downloads.ts';
import type { JobDeps } from './api/intake/job-actions.ts';
import type { SourceDeps } from './api/intake/sources/actions.ts';
import { limitDownloads } from './api/limit-downloads.ts';
import { createLookThreads } from './api/look/thread-pool.ts';
import type { ConsoleSessionDeps } from './api/operations/console-session.ts';
import { serveDocs } from './api/operations/docs.ts';
import type { Checks } from './api/operations/health.ts';
import { serveMetrics } from './api/operations/metrics.ts';
import { serveQueueDashboard } from './api/operations/queue-dashboard.ts';
import { routeTable } from './api/routes.ts';
import { type Authentication, createAuthentication } from './auth/authentication.ts';
import { SESSION_SECONDS } from './auth/sessions.ts';
import { serveConsole } from './console/serve.ts';
import { compressResponses } from './http/compression.ts';
import { createLimits, type Limits } from './http/limits.ts';
import type { Route } from './http/route.ts';
import { createServer, type HttpServer, type ServerDeps } from './http/server.ts';
import { markSunsets } from './http/sunset.ts';
import { createIntake, type Intake } from './intake/create-intake.ts';
import { putDeed } from './intake/deeds.ts';
import { openInstallationStorage } from './intake/installation-storage.ts';
import { readBatchFigures, readRedisMemory } from './intake/queue-figures.ts';
import { type DeclaredSource, readDeclaredSources } from './intake/sources/declared-sources.ts';
import { readSourceFigures } from './intake/sources/source-state.ts';
import { type ImageLimits, MAX_SIDE_PIXELS } from './intake/validate-image.ts';
import type { Clock } from './platform/clock.ts';
import { type Config, readConfig } from './platform/config.ts';
import { createLinkRule, type LinkRule } from './platform/links/link-rule.ts';
import type { Logger } from './platform/log.ts';
import {
  createGatewayMetrics,
  createShedCounter,
  watchServer,
} from './platform/metrics/gateway.ts';
import {
  watchBatches,
  watchQueues,
  watchRedisMemory,
  watchSources,
} from './platform/metrics/system-gauges.ts';
import { openPlatform } from './platform/open-platform.ts';
import { blockingConnection, checkWrites } from './platform/redis.ts';
import { deriveSecret, resolveSecrets } from './platform/secrets.ts';
import { stopOnSignal } from './platform/shutdown.ts';
import { endStart } from './platform/start-error.ts';
import { openSyncQueue, type SyncQueue } from './queue/sync-queue.ts';
import { type Blobs, MAX_STORAGE_SOCKETS } from './storage/blobs.ts';

const { version } = manifest;

/** Files sent at once from S3; the other connections to it remain for all other work. */
const MAX_DOWNLOADS = 0.75 * MAX_STORAGE_SOCKETS;

/** What the shut-down may take beyond the deadline of the last waiting request. */
const STOP_MARGIN_MILLIS = 5000;
/** The start of a thread takes .5 to .9 s of CPU. */
const ABANDONED_LOOK_MILLIS = 1000;

/** Builds the gateway, serves, and drains on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const deadlineMillis = config.SYNC_TIMEOUT_SECONDS * 1000;
  const { MAX_IMAGE_BYTES: maxImageBytes } = config;
  const declared = readDeclaredSources(config);
  const modelsHome = join(config.SELVAGE_HOME, 'models');
  const limits = { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS };

  const platform = await openPlatform({ process: 'gateway', config, version });
  const { log, registry, redis, now } = platform;
  const storage = await openInstallationStorage({ settings: config, redis, registry, log });
  const blobs = config.STORE === 's3' ? limitDownloads(storage, MAX_DOWNLOADS) : storage;
  const { keyPepper, lookSigningKeys } = resolveSecrets(config);
  const developmentKey = config.SELVAGE_DEV_KEY;
  const authentication = await createAuthentication({
    redis,
    now,
    log,
    keyPepper,
    developmentKey,
    maxLiveKeys: config.MAX_LIVE_KEYS,
    onSignedOut: (key) => putDeed(storage, 'session', key, { key }),
  });
  const connect = () => blockingConnection(config, log);
  const onShed = createShedCounter(registry);
  const sync = await openSyncQueue({ redis, blocking: connect(), deadlineMillis, log, onShed });
  const linkSecret = deriveSecret('file-links', keyPepper);
  const intake = await createIntake({ redis, blocking: connect(), blobs, now, log, linkSecret });
  const { observe } = createGatewayMetrics(registry, deadlineMillis, sync.load);
  watchIntake(registry, redis, intake, declared);
  const requestLimits = createLimits(redis, now);
  const signingKeys = lookSigningKeys;
  const lookThreads = createLookThreads({
    threads: config.LOOK_THREADS,
    deadlineMillis,
    abandonedMillis: ABANDONED_LOOK_MILLIS,
    signingKeys,
    registry,
    log,
  });

  const metrics = { registry, key: config.METRICS_KEY };
  const { jobWaiter, admission } = sync;
  const linkRule = createLinkRule(config.FETCH_ALLOW);
  const table = routeTable({
    look: { signingKeys, threads: lookThreads, charge: requestLimits.charge },
    maxImageBytes,
    images: { blobs, jobWaiter, admission, deadlineMillis, limits, now },
    jobs: jobDeps({ redis, blobs, intake, limits, linkRule, now }),
    batches: batchDeps({ blobs, intake, limits, requestLimits, maxImageBytes, linkRule, now }),
    feeds: feedDeps({ redis, blobs, intake, linkRule, now }),
    sources: sourceDeps({ declared, intake, linkRule, now }),
    console: consoleDeps(authentication, requestLimits),
    checks: readinessChecks(redis, blobs, sync),
    metrics: config.METRICS_PORT === undefined ? metrics : undefined,
    classifierVersion: modelVersionOf(findModel(readCatalog(modelsHome), CLASSIFIER_ID)),
  });
  const routes = markSunsets(table, config.SUNSET_FILE);
  const { queues } = intake.figures;
  const deps = { config, log, requestLimits, routes, authentication, queues, observe };
  const { app, drain, figures } = createGatewayServer(deps);
  watchServer(registry, figures);
  const { HOST: host, PORT: port, METRICS_HOST: metricsHost = host, METRICS_PORT } = config;
  const metricsServer =
    METRICS_PORT === undefined
      ? undefined
      : await serveMetrics(metrics, { host: metricsHost, port: METRICS_PORT });
  const url = await app.listen({ host, port });
  const metricsAddress = metricsServer?.address();
  log.info({ url, metricsAddress, version, store: config.STORE }, 'gateway ready');

  // Every waiting request is answered within the deadline.
  stopOnSignal(async (signalName) => {
    log.info({ signalName, waiting: jobWaiter.waiting() }, 'gateway drains');
    drain();
    await app.close();
    metricsServer?.close();
    await lookThreads.close();
    await sync.close();
    await intake.close();
    redis.disconnect();
    blobs.close();
    await platform.stopTracing();
    log.info('gateway stopped');
  }, deadlineMillis + STOP_MARGIN_MILLIS);
}

/** Registers the metrics of queues, batches, sources and Redis, which every gateway sees alike. */
function watchIntake(
  registry: Registry,
  redis: Redis,
  { figures, batches, sources }: Intake,
  declared: readonly DeclaredSource[],
): void {
  const sourceIds = declared.map(({ id }) => id);
  watchSources(registry, () => readSourceFigures(sources, batches.records, sourceIds));
  watchQueues(registry, figures.read);
  watchBatches(registry, () => readBatchFigures(batches.records));
  watchRedisMemory(registry, () => readRedisMemory(redis));
}

interface JobSources {
  redis: Redis;
  blobs: Blobs;
  intake: Intake;
  limits: ImageLimits;
  linkRule: LinkRule;
  now: Clock;
}

const jobDeps = ({ redis, blobs, intake, limits, linkRule, now }: JobSources): JobDeps => ({
  redis,
  blobs,
  limits,
  linkRule,
  now,
  records: intake.jobs.records,
  index: intake.jobs.index,
  queue: intake.jobs.queue,
  retention: intake.jobs.retention,
  completions: intake.jobs.completions,
  idempotency: intake.idempotency,
  storedBytes: intake.storedBytes,
  links: intake.links,
  rulePacks: intake.rulePacks,
  presets: intake.presets,
  readClientLimits: intake.readClientLimits,
  webhooks: {
    events: intake.webhooks.events,
    receivers: intake.webhooks.receivers,
    queue: intake.webhooks.queue,
    blobs,
    now,
  },
});

interface BatchSources {
  blobs: Blobs;
  intake: Intake;
  limits: ImageLimits;
  requestLimits: Limits;
  maxImageBytes: number;
  linkRule: LinkRule;
  now: Clock;
}

const batchDeps = ({
  blobs,
  intake,
  limits,
  requestLimits,
  maxImageBytes,
  linkRule,
  now,
}: BatchSources): BatchDeps => ({
  blobs,
  linkRule,
  limits,
  requestLimits,
  maxImageBytes,
  now,
  batches: intake.batches.records,
  storedBytes: intake.storedBytes,
  index: intake.batches.index,
  retention: intake.batches.retention,
  receivers: intake.webhooks.receivers,
  reviews: intake.batches.reviews,
  rulePacks: intake.rulePacks,
  presets: intake.presets,
  readClientLimits: intake.readClientLimits,
});

interface FeedSources {
  redis: Redis;
  blobs: Blobs;
  intake: Intake;
  linkRule: LinkRule;
  now: Clock;
}

const feedDeps = ({
  redis,
  blobs,
  intake,
  linkRule,
  now,
}: FeedSources): FeedDeps & DownloadDeps => ({
  redis,
  blobs,
  linkRule,
  now,
  feeds: intake.feeds.records,
  runs: intake.feeds.runs,
  queue: intake.feeds.queue,
  batches: intake.batches.records,
  reviews: intake.batches.reviews,
  receivers: intake.webhooks.receivers,
  idempotency: intake.idempotency,
  storedBytes: intake.storedBytes,
  links: intake.links,
  rulePacks: intake.rulePacks,
  presets: intake.presets,
  readClientLimits: intake.readClientLimits,
});

const sourceDeps = ({
  declared,
  intake,
  linkRule,
  now,
}: {
  declared: readonly DeclaredSource[];
  intake: Intake;
  linkRule: LinkRule;
  now: Clock;
}): SourceDeps => ({
  declared,
  linkRule,
  now,
  sources: intake.sources,
  batches: intake.batches.records,
  presets: intake.presets,
  rulePacks: intake.rulePacks,
  readClientLimits: intake.readClientLimits,
});

const consoleDeps = (
  { findCaller, openSession, signOut, findSessionCaller }: Authentication,
  limits: Limits,
): ConsoleSessionDeps => ({
  findCaller,
  openSession,
  limits,
  signOut,
  keyOf: findSessionCaller,
  sessionSeconds: SESSION_SECONDS,
});

const readinessChecks = (redis: Redis, blobs: Blobs, sync: SyncQueue): Checks => ({
  redis: () => checkWrites(redis),
  store: () => blobs.check(),
  worker: sync.checkWorkers,
});

interface GatewayServerDeps {
  config: Config;
  log: Logger;
  requestLimits: Limits;
  routes: readonly Route[];
  authentication: Authentication;
  queues: readonly Queue[];
  observe: ServerDeps['observe'];
}

/** Builds the HTTP server with the API, its documentation, the queue dashboard and the console. */
function createGatewayServer(deps: GatewayServerDeps): HttpServer {
  const { config, log, requestLimits, routes, authentication, queues, observe } = deps;
  const { findCaller, findSessionCaller } = authentication;
  const server = createServer({
    routes,
    lookUp: findCaller,
    lookUpSession: findSessionCaller,
    limits: requestLimits,
    log,
    maxImageBytes: config.MAX_IMAGE_BYTES,
    problemBase: config.PROBLEM_BASE,
    requestMillis: config.REQUEST_TIMEOUT_SECONDS * 1000,
    publicUrl: config.PUBLIC_URL,
    trustedProxies: config.TRUST_PROXY,
    corsOrigins: config.CORS_ORIGINS,
    maxConnections: config.MAX_CONNECTIONS,
    maxBodyMemoryBytes: config.MAX_BODY_MEMORY_BYTES,
    observe,
  });
  server.app.register(async (scope) => {
    await compressResponses(scope);
    serveDocs(scope, routes, { version, publicUrl: config.PUBLIC_URL });
    serveConsole(scope, config.S3_PUBLIC_ENDPOINT);
  });
  serveQueueDashboard(server.app, { lookUp: findCaller, queues });
  return server;
}

main().catch(endStart);
