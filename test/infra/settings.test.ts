import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { SETTINGS } from '../../src/platform/config.ts';
import { ROOT } from '../support/root.ts';

/*
 * Every setting reaches every process, whichever file starts it, and is documented. A new one is a line in
 * docker-compose.yml and one in docs/settings.md; on Kubernetes it arrives through the ConfigMap.
 */

/** Read by the AWS SDK and by OpenTelemetry themselves. */
const SDK_VARIABLES = [
  'AWS_ENDPOINT_URL_S3',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SDK_DISABLED',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
];
const ALL = [...new Set([...SETTINGS, ...SDK_VARIABLES])];

type Reasons = Readonly<Record<string, string>>;
const because = (reason: string, ...names: string[]): Reasons =>
  Object.fromEntries(names.map((name) => [name, reason]));

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

// What a process does not get, and why.
const WORKER_ADDRESS = because('a gateway listens elsewhere', 'WORKER_HOST', 'WORKER_PORT');
const GATEWAY_ADDRESS = because('a worker listens elsewhere', 'HOST', 'PORT', 'METRICS_HOST');
const METRICS = because('a port inside', 'METRICS_PORT');
const SECRETS = because(
  'workers open the images of strangers',
  ...['KEY_PEPPER', 'LOOK_SIGNING_KEYS', 'METRICS_KEY', 'SELVAGE_DEV_KEY'],
);
const SIGN_IN = because(
  'people sign in at the gateway',
  ...SETTINGS.filter((name) => name.startsWith('OIDC_')),
);

/** Where Redis is, if it is not one server by its URL. */
const OTHER_REDIS = [
  'REDIS_CA_FILE',
  'REDIS_CLUSTER',
  'REDIS_SENTINELS',
  'REDIS_SENTINEL_NAME',
  'REDIS_SENTINEL_PASSWORD',
  'REDIS_SENTINEL_USER',
];

describe('docker-compose.yml', () => {
  const { services } = z
    .object({
      services: z.record(
        z.string(),
        z.looseObject({ environment: z.record(z.string(), z.string().nullable()).default({}) }),
      ),
    })
    .parse(parse(read('docker-compose.yml'), { merge: true }));
  const INSIDE = {
    ...WORKER_ADDRESS,
    ...GATEWAY_ADDRESS,
    ...METRICS,
    ...because('a folder inside', 'SELVAGE_HOME', 'STORE_DIR'),
    ...because('its S3 server', 'STORE', 'AWS_ENDPOINT_URL_S3', 'AWS_REGION'),
    ...because('set as REDIS_PASSWORD', 'REDIS_URL'),
    ...because('its own Redis', ...OTHER_REDIS),
    ...because('set as S3_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'),
    ...because('set as S3_SECRET_KEY', 'AWS_SECRET_ACCESS_KEY'),
    ...because('the file is mounted', 'SOURCES_FILE', 'SUNSET_FILE'),
    ...because('no file is mounted: OIDC_CLIENT_SECRET', 'OIDC_CLIENT_SECRET_FILE'),
  };
  const NO_GPU = because('there is no GPU', 'DEVICE');
  /** Not passed from the environment or `.env`. */
  const MISSING: Readonly<Record<string, Reasons>> = {
    gateway: { ...INSIDE, ...NO_GPU },
    worker: { ...INSIDE, ...NO_GPU, ...SECRETS, ...SIGN_IN },
    'worker-gpu': { ...INSIDE, ...SECRETS, ...SIGN_IN },
  };

  test.each(Object.entries(MISSING))('passes all settings to %s', (name, missing) => {
    const environment = services[name]?.environment ?? {};
    const isPassed = (setting: string) => {
      const value = environment[setting];
      return value === null || value?.includes(`\${${setting}`);
    };
    expect(ALL.filter((setting) => !isPassed(setting)).sort()).toEqual(Object.keys(missing).sort());
    expect(Object.keys(environment).filter((setting) => !ALL.includes(setting))).toEqual([]);
  });

  test('mounts SOURCES_FILE where its processes look for it', () => {
    for (const name of Object.keys(MISSING)) {
      expect(services[name]).toMatchObject({
        volumes: expect.arrayContaining([
          expect.objectContaining({
            source: expect.stringContaining(`\${SOURCES_FILE:-`),
            target: services[name]?.environment.SOURCES_FILE,
          }),
        ]),
      });
    }
  });
});

describe('the Kubernetes manifests', () => {
  const Workload = z.looseObject({
    kind: z.literal('Deployment'),
    spec: z.looseObject({
      template: z.looseObject({
        spec: z.looseObject({
          containers: z.array(
            z.looseObject({
              env: z.array(z.looseObject({ name: z.string() })),
              envFrom: z.array(z.looseObject({})),
            }),
          ),
        }),
      }),
    }),
  });
  const HOME = because('a folder inside', 'SELVAGE_HOME');
  const PROCESSES = because('one for each requested CPU', 'WORKER_CONCURRENCY');
  const OF_WORKER = { ...HOME, ...PROCESSES, ...because('probed', 'WORKER_HOST', 'WORKER_PORT') };
  /** Set by the manifest itself, so that the ConfigMap does not reach it. */
  const FIXED: Readonly<Record<string, Reasons>> = {
    'base/gateway.yaml': { ...HOME, ...because('probed', 'HOST', 'PORT'), ...METRICS },
    'base/worker.yaml': OF_WORKER,
    'overlays/gpu/worker-gpu.yaml': { ...OF_WORKER, ...because('has a card', 'DEVICE') },
  };

  test.each(Object.entries(FIXED))('%s takes all settings from the ConfigMap', (file, fixed) => {
    const documents = parseAllDocuments(read('infra', 'kubernetes', file));
    const workloads = documents.flatMap((document) => {
      const workload = Workload.safeParse(document.toJS());
      return workload.success ? [workload.data] : [];
    });
    const containers = workloads.flatMap(({ spec }) => spec.template.spec.containers);
    expect(containers).toHaveLength(1);
    for (const { env, envFrom } of containers) {
      expect(envFrom).toContainEqual({ configMapRef: { name: 'selvage-settings' } });
      expect(env.map(({ name }) => name).sort()).toEqual(Object.keys(fixed).sort());
    }
  });
});

describe('docs/settings.md', () => {
  const named = [...read('docs', 'settings.md').matchAll(/`([A-Z][A-Z0-9_]+)[`=]/g)].flatMap(
    ([, name]) => name ?? [],
  );

  test('has all settings', () => {
    expect(ALL.filter((setting) => !named.includes(setting))).toEqual([]);
  });

  test('has no setting that does not exist', () => {
    const table = [...read('docs', 'settings.md').matchAll(/^\| (`[A-Z].*?) \|/gm)];
    const settings = table.flatMap(([, cell = '']) => [...cell.matchAll(/`([A-Z0-9_]+)`/g)]);
    expect(settings.length).toBeGreaterThan(30);
    expect(settings.map(([, name = '']) => name).filter((name) => !ALL.includes(name))).toEqual([]);
  });
});
