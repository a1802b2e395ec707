import { once } from 'node:events';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { healthRoutes } from '../../../src/api/operations/health.ts';
import { readConfig, SETTINGS } from '../../../src/platform/config.ts';
import { serveHealth } from '../../../workers/health.ts';
import { isMissing, isOnPath } from '../../support/requirement.ts';
import {
  chosen,
  containersOf,
  environmentOf,
  exampleSecret,
  hasPort,
  type Rendered,
  render,
} from './manifests.ts';

/** Read by the AWS SDK itself. */
const AWS = ['AWS_REGION', 'AWS_ENDPOINT_URL_S3', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
/** The time a worker waits for its jobs, as in `workers/main.ts`, seconds. */
const WORKER_DRAIN_SECONDS = 30;

const withoutKubectl = isMissing('kubectl', isOnPath('kubectl'), 'there is no kubectl on PATH');

/** The objects of each overlay, besides the gateway. */
const EXPECTED = {
  base: { workers: ['worker'], services: [], scaled: [] },
  'overlays/gpu': { workers: ['worker', 'worker-gpu'], services: [], scaled: [] },
  'overlays/keda': { workers: ['worker'], services: [], scaled: ['worker'] },
  'overlays/development': { workers: ['worker'], services: ['redis', 's3'], scaled: [] },
} as const;
const OVERLAYS = Object.keys(EXPECTED) as (keyof typeof EXPECTED)[];

describe.skipIf(withoutKubectl).each(OVERLAYS)('kubectl kustomize %s', (overlay) => {
  let rendered: Rendered;
  let ours: Rendered['workloads'];
  beforeAll(() => {
    rendered = render(overlay);
    ours = rendered.workloads.filter(({ metadata }) => /^(gateway|worker)/.test(metadata.name));
  });

  /** The objects the tests below iterate over. */
  test('has the objects of the overlay', () => {
    const names = (objects: readonly { metadata: { name: string } }[]) =>
      objects.map(({ metadata }) => metadata.name);
    const { workers, services, scaled } = EXPECTED[overlay];
    expect(names(ours)).toEqual(['gateway', ...workers]);
    expect(names(rendered.workloads)).toEqual([...names(ours), ...services]);
    expect(names(rendered.services)).toEqual(['gateway', ...services]);
    expect(names(rendered.policies)).toEqual(['gateway', ...workers]);
    expect(names(rendered.budgets)).toEqual(['gateway', 'worker']);
    expect(names(rendered.scaled)).toEqual(scaled);
    for (const { spec } of ours) {
      expect(spec.template.spec.topologySpreadConstraints).not.toEqual([]);
    }
  });

  test('every object has a unique name, in the namespace selvage', () => {
    const names = rendered.all.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { kind, metadata } of rendered.all) {
      if (kind !== 'Namespace') expect(metadata.namespace, metadata.name).toBe('selvage');
    }
    expect(ours.length).toBeGreaterThanOrEqual(2);
  });

  test('selectors match exactly their workloads', () => {
    expect(rendered.workloads.length).toBeGreaterThanOrEqual(2);
    for (const { metadata, spec } of rendered.workloads) {
      const all = chosen(rendered, spec.selector.matchLabels);
      expect(all.map((workload) => workload.metadata.name)).toEqual([metadata.name]);
      for (const { labelSelector } of spec.template.spec.topologySpreadConstraints) {
        expect(labelSelector.matchLabels).toEqual(spec.selector.matchLabels);
      }
    }
    const others = [
      ...rendered.services.map(({ metadata, spec }) => [metadata.name, spec.selector] as const),
      ...[...rendered.budgets.map((b) => [b.metadata.name, b.spec.selector.matchLabels] as const)],
      ...rendered.policies.map((p) => [p.metadata.name, p.spec.podSelector.matchLabels] as const),
    ];
    for (const [name, labels] of others) {
      expect(chosen(rendered, labels).map(({ metadata }) => metadata.name)).toEqual([name]);
    }
    for (const { spec } of rendered.scaled) {
      const target = ours.find(({ metadata }) => metadata.name === spec.scaleTargetRef.name);
      expect(target?.spec.replicas).toBeUndefined();
      expect(target).toBeDefined();
    }
  });

  test('named ports exist', () => {
    expect(rendered.services.flatMap(({ spec }) => spec.ports)).not.toEqual([]);
    expect(rendered.policies.flatMap(({ spec }) => spec.ingress)).not.toEqual([]);
    for (const { spec } of rendered.services) {
      for (const { targetPort } of spec.ports) {
        const [container] = containersOf(chosen(rendered, spec.selector));
        expect(container && hasPort(container, targetPort)).toBe(true);
      }
    }
    for (const { spec } of rendered.policies) {
      const [container] = containersOf(chosen(rendered, spec.podSelector.matchLabels));
      for (const { port } of spec.ingress.flatMap(({ ports }) => ports)) {
        expect(container && hasPort(container, port)).toBe(true);
      }
    }
    for (const container of containersOf(rendered.workloads)) {
      const { startupProbe, livenessProbe, readinessProbe } = container;
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port;
        if (port !== undefined) expect(hasPort(container, port), container.name).toBe(true);
      }
    }
    for (const { spec } of ours) {
      const { annotations } = spec.template.metadata;
      const [container] = spec.template.spec.containers;
      const port = Number(annotations?.['prometheus.io/port']);
      expect(container && hasPort(container, port)).toBe(true);
    }
  });

  test('each setting is known, and the configuration is valid', () => {
    for (const container of containersOf(ours)) {
      const env = environmentOf(rendered, container);
      const unknown = Object.keys(env).filter((name) => ![...SETTINGS, ...AWS].includes(name));
      expect(unknown).toEqual([]);
      expect(readConfig(env)).toMatchObject({ STORE: 's3', SELVAGE_HOME: '/var/lib/selvage' });
    }
    expect(Object.keys(exampleSecret.stringData)).toEqual(
      expect.arrayContaining(['REDIS_URL', 'KEY_PEPPER', 'LOOK_SIGNING_KEYS']),
    );
  });

  test('a pod has enough time to drain', () => {
    expect(ours.length).toBeGreaterThanOrEqual(2);
    for (const { metadata, spec } of ours) {
      const pod = spec.template.spec;
      const [container] = pod.containers;
      if (!container) throw new Error('no container');
      const { SYNC_TIMEOUT_SECONDS } = readConfig(environmentOf(rendered, container));
      const drain = metadata.name === 'gateway' ? SYNC_TIMEOUT_SECONDS + 5 : WORKER_DRAIN_SECONDS;
      const before = container.lifecycle?.preStop.sleep.seconds ?? 0;
      if (metadata.name === 'gateway') expect(before).toBeGreaterThan(0);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(before + drain);
    }
  });

  test('containers have minimal rights and images with versions', () => {
    expect(rendered.workloads.length).toBeGreaterThanOrEqual(2);
    for (const { spec } of rendered.workloads) {
      const { securityContext, containers, volumes } = spec.template.spec;
      expect(securityContext).toMatchObject({
        ...{ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      const claims = spec.volumeClaimTemplates.map(({ metadata }) => metadata.name);
      const known = [...volumes.map(({ name }) => name), ...claims];
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.image).toMatch(/(:\d[\w.-]*|@sha256:[0-9a-f]{64})$/);
        expect(container.resources.requests).toMatchObject({
          ...{ cpu: expect.any(String), memory: expect.any(String) },
        });
        for (const { name } of container.volumeMounts) expect(known).toContain(name);
      }
    }
  });
});

describe.skipIf(withoutKubectl)('the endpoint of a probe', () => {
  const worker = serveHealth(new Registry(), () => true);
  let origin: string;
  beforeAll(async () => {
    worker.listen(0, '127.0.0.1');
    await once(worker, 'listening');
    const address = worker.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    origin = `http://127.0.0.1:${address.port}`;
  });
  afterAll(() => void worker.close());

  test('exists in the probed process', async () => {
    const gatewayPaths = healthRoutes({}, new Registry()).map(({ path }) => path);
    const { workloads } = render('overlays/gpu');
    expect(workloads).toHaveLength(3);
    for (const { metadata, spec } of workloads) {
      for (const container of spec.template.spec.containers) {
        const { startupProbe, livenessProbe, readinessProbe } = container;
        const scraped = spec.template.metadata.annotations?.['prometheus.io/path'];
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          const path = probe?.httpGet?.path ?? 'none';
          if (metadata.name === 'gateway') expect(gatewayPaths).toContain(path);
          else expect((await fetch(origin + path)).status, path).toBe(200);
        }
        if (metadata.name === 'gateway') expect(gatewayPaths).toContain(scraped);
        else expect((await fetch(`${origin}${scraped}`)).status).toBe(200);
      }
    }
  });
});
