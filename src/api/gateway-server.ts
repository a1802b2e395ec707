import type { Server } from 'node:http';
import { join } from 'node:path';
import { CLASSIFIER_ID, findModel, modelVersionOf, readCatalog } from '../../models/catalog.ts';
import { serveConsole } from '../console/serve.ts';
import type { Gateway } from '../gateway.ts';
import { compressResponses } from '../http/compression.ts';
import { answerOtherMethodsOfPages } from '../http/other-methods.ts';
import type { Route } from '../http/route.ts';
import { HttpServer } from '../http/server.ts';
import { markSunsets } from '../http/sunset.ts';
import type { Config } from '../platform/config.ts';
import { watchServer, watchSyncLoad } from '../platform/metrics/gateway.ts';
import type { Platform } from '../platform/open-platform.ts';
import { checkWrites } from '../platform/redis.ts';
import { resolveSecrets } from '../platform/secrets.ts';
import { MAX_STORAGE_SOCKETS } from '../storage/blobs.ts';
import { RequestRecorder } from './account/record.ts';
import { LookThreads } from './look/thread-pool.ts';
import { serveDocs } from './operations/docs.ts';
import { serveMetrics } from './operations/metrics.ts';
import { serveQueueDashboard } from './operations/queue-dashboard.ts';
import { serveSignIn } from './operations/sign-in.ts';
import { routeTable } from './routes.ts';
import { limitDownloads } from './send-blob.ts';

/** Files sent at once from S3; the other connections to it remain for all other work. */
const MAX_DOWNLOADS = 0.75 * MAX_STORAGE_SOCKETS;
/** The start of a thread takes .5 to .9 s of CPU. */
const ABANDONED_LOOK_MILLIS = 1000;

export const openLook = (
  config: Config,
  { registry, log }: Platform,
  { deadlineMillis }: Pick<Gateway, 'deadlineMillis'>,
): LookThreads =>
  new LookThreads({
    threads: config.LOOK_THREADS,
    deadlineMillis,
    abandonedMillis: ABANDONED_LOOK_MILLIS,
    signingKeys: resolveSecrets(config).lookSigningKeys,
    registry,
    log,
  });

export function gatewayRoutes(
  config: Config,
  { registry }: Pick<Platform, 'registry'>,
  gateway: Gateway,
  threads: LookThreads,
): readonly Route[] {
  const { redis, blobs: storage, admission, requestLimits } = gateway;
  const blobs = config.STORE === 's3' ? limitDownloads(storage, MAX_DOWNLOADS) : storage;
  const catalog = readCatalog(join(config.SELVAGE_HOME, 'models'));
  const signingKeys = resolveSecrets(config).lookSigningKeys;
  const routes = routeTable(
    { ...gateway, blobs },
    {
      look: { signingKeys, threads, charge: requestLimits.charge },
      checks: {
        redis: () => checkWrites(redis),
        store: () => blobs.check(),
        worker: admission.checkWorkers,
      },
      metrics:
        config.METRICS_PORT === undefined ? { registry, key: config.METRICS_KEY } : undefined,
      classifierVersion: modelVersionOf(findModel(catalog, CLASSIFIER_ID)),
    },
  );
  return markSunsets(routes, config.SUNSET_FILE);
}

export function gatewayServer(
  config: Config,
  { registry, log, version }: Platform,
  gateway: Gateway,
  routes: readonly Route[],
): HttpServer {
  const { keys, sessions, identityProvider, queues, deadlineMillis, admission } = gateway;
  watchSyncLoad(registry, deadlineMillis, admission.load);
  const recorder = new RequestRecorder(gateway, routes, log);
  const server = new HttpServer({
    routes,
    lookUp: keys.findCaller,
    lookUpSession: sessions.findCaller,
    limits: gateway.requestLimits,
    log,
    maxImageBytes: config.MAX_IMAGE_BYTES,
    problemBase: config.PROBLEM_BASE,
    requestMillis: config.REQUEST_TIMEOUT_SECONDS * 1000,
    publicUrl: config.PUBLIC_URL,
    trustedProxies: config.TRUST_PROXY,
    corsOrigins: config.CORS_ORIGINS,
    maxConnections: config.MAX_CONNECTIONS,
    maxBodyMemoryBytes: config.MAX_BODY_MEMORY_BYTES,
    observe: recorder.record,
  });
  watchServer(registry, server.figures);
  server.app.register(async (scope) => {
    answerOtherMethodsOfPages(scope);
    if (identityProvider) serveSignIn(scope, identityProvider, gateway);
    await compressResponses(scope);
    serveDocs(scope, routes, { version, publicUrl: config.PUBLIC_URL });
    serveConsole(scope, config.S3_PUBLIC_ENDPOINT, identityProvider?.links);
  });
  serveQueueDashboard(server.app, { lookUp: keys.findCaller, queues: Object.values(queues) });
  return server;
}

/** On a port of their own, if the settings name one. */
export async function serveOwnMetrics(
  { METRICS_PORT: port, METRICS_KEY: key, HOST, METRICS_HOST: host = HOST }: Config,
  { registry }: Pick<Platform, 'registry'>,
): Promise<Server | undefined> {
  return port === undefined ? undefined : serveMetrics({ registry, key }, { host, port });
}
