import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { AccessRequests } from './auth/access-requests.ts';
import { IdentityProvider } from './auth/identity-provider.ts';
import { adoptDevelopmentKey, Keys } from './auth/keys.ts';
import { readOidcSettings } from './auth/oidc-settings.ts';
import { People } from './auth/people.ts';
import { AuditLog, ClientUsage, RequestLog } from './auth/request-logs.ts';
import { Sessions } from './auth/sessions.ts';
import { Limits } from './http/limits.ts';
import { Completions } from './intake/completions.ts';
import { putDeed } from './intake/deeds.ts';
import { readBatchFigures, readQueueFigures, readRedisMemory } from './intake/queue-figures.ts';
import { createSealKey } from './intake/seal.ts';
import { readDeclaredSources } from './intake/sources/declared-sources.ts';
import { readSourceFigures } from './intake/sources/source-state.ts';
import { MAX_SIDE_PIXELS } from './intake/validate-image.ts';
import type { Config } from './platform/config.ts';
import { linkRule } from './platform/links/link-rule.ts';
import { GatewayMetrics } from './platform/metrics/gateway.ts';
import {
  watchBatches,
  watchQueues,
  watchRedisMemory,
  watchSources,
} from './platform/metrics/system-gauges.ts';
import type { Platform } from './platform/open-platform.ts';
import { blockingConnection } from './platform/redis.ts';
import { deriveSecret, resolveSecrets } from './platform/secrets.ts';
import { Admission } from './queue/admission.ts';
import { JobWaiter } from './queue/queue.ts';
import type { Services } from './services.ts';
import { keyCopyKey } from './storage/blob-keys.ts';
import { fileLinks } from './storage/file-links.ts';

/** Opens what only a gateway has: callers and their limits, and what waits for jobs. It closes with the services. */
export async function openGateway(
  config: Config,
  { registry }: Pick<Platform, 'registry'>,
  services: Services,
) {
  const { redis, now, log, blobs } = services;
  const { keyPepper } = resolveSecrets(config);
  const oidc = readOidcSettings(config);
  const deadlineMillis = config.SYNC_TIMEOUT_SECONDS * 1000;
  const connect = (): Redis => blockingConnection(config, log);
  // A copy before anyone is told: a Redis that loses its last second must not undo a change.
  const keys = new Keys(redis, keyPepper, now, {
    maxLive: config.MAX_LIVE_KEYS,
    async copy(copies) {
      for (const copy of copies) {
        await blobs.put(keyCopyKey(copy.hash), Buffer.from(JSON.stringify(copy)));
      }
    },
  });
  if (config.SELVAGE_DEV_KEY) await adoptDevelopmentKey(keys, config.SELVAGE_DEV_KEY, log);
  const people = oidc && new People(redis, keys, now, oidc);
  const sessions = new Sessions(redis, keys, people, (key) =>
    putDeed(blobs, 'session', key, { key }),
  );
  const jobWaiter = await JobWaiter.open(services.queues.sync, redis, connect(), log);
  const metrics = new GatewayMetrics(registry);
  const admission = new Admission(jobWaiter, services.workers, {
    ...{ deadlineMillis, log },
    onShed: metrics.shed,
  });
  await admission.sample();
  const completions = await Completions.subscribe(connect());
  await createSealKey(redis);
  return {
    ...services,
    ...{ metrics, keys, sessions, jobWaiter, admission, completions },
    /** Of a synchronous request, from the end of its upload until the response. */
    deadlineMillis,
    /** Where people sign in to the console without a key, if they may. */
    identityProvider: oidc && new IdentityProvider(oidc, deriveSecret('sign-in', keyPepper)),
    clientUsage: new ClientUsage(redis, now),
    requestLog: new RequestLog(redis, now, config.REQUEST_LOG_DAYS),
    auditLog: new AuditLog(redis, now, config.REQUEST_LOG_DAYS),
    /** Clients that ask for a key, and what the operator decides. */
    accessRequests: new AccessRequests(redis, keys, now),
    /** Strangers may ask, too. */
    acceptsAccessRequests: config.ACCESS_REQUESTS === 'on',
    requestLimits: new Limits(redis, now),
    /** The sources that the operator has declared. */
    declared: readDeclaredSources(config),
    links: fileLinks(deriveSecret('file-links', keyPepper)),
    linkRule: linkRule(config.FETCH_ALLOW, config.FETCH_PORTS),
    limits: { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS },
    /** Maximum size of an image, before base64. */
    maxImageBytes: config.MAX_IMAGE_BYTES,
    async close(): Promise<void> {
      admission.close();
      await jobWaiter.close();
      completions.close();
      await services.close();
    },
  };
}

/** What a gateway has: the services, callers and their limits, and what waits for jobs. */
export type Gateway = Awaited<ReturnType<typeof openGateway>>;

/** Registers the metrics of queues, batches, sources and Redis, which every gateway sees alike. */
export function watchInstallation(
  registry: Registry,
  { queues, batches, sources, redis, declared }: Gateway,
): void {
  const sourceIds = declared.map(({ id }) => id);
  watchSources(registry, () => readSourceFigures(sources, batches, sourceIds));
  watchQueues(registry, () => readQueueFigures(queues));
  watchBatches(registry, () => readBatchFigures(batches));
  watchRedisMemory(registry, () => readRedisMemory(redis));
}
