import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { healthRoutes } from '../../../src/api/operations/health.ts';
import { metricsRoutes } from '../../../src/api/operations/metrics.ts';
import { readConfig, SETTINGS } from '../../../src/platform/config.ts';
import { serveHealth } from '../../../workers/health.ts';
import { listen } from '../../support/free-port.ts';
import { isMissing, isOnPath } from '../../support/requirement.ts';
import {
  chosen,
  containersOf,
  environmentOf,
  exampleSecrets,
  hasPort,
  mayReach,
  type Rendered,
  render,
  secretsOf,
  selectedBy,
} from './manifests.ts';

/** Read by the AWS SDK itself. */
const AWS = ['AWS_REGION', 'AWS_ENDPOINT_URL_S3', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
/** The time a worker waits for its jobs, as in `workers/main.ts`, seconds. */
const WORKER_DRAIN_SECONDS = 30;

const withoutKubectl = isMissing('kubectl', isOnPath('kubectl'), 'there is no kubectl on PATH');

/** The objects of each overlay, besides the gateway and the policies of all. */
const EXPECTED = {
  base: { workers: ['worker'], services: [], scaled: ['gateway'], policies: [] },
  'overlays/gpu': {
    workers: ['worker', 'worker-gpu'],
    services: [],
    scaled: ['gateway'],
    policies: [],
  },
  'overlays/keda': {
    workers: ['worker'],
    services: [],
    scaled: ['gateway', 'worker'],
    policies: [],
  },
  'overlays/production': {
    workers: ['worker'],
    services: [],
    scaled: ['gateway', 'worker'],
    policies: [],
  },
  'overlays/development': {
    workers: ['worker'],
    services: ['redis', 's3'],
    scaled: ['gateway'],
    policies: ['development'],
  },
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
    const { workers, services, scaled, policies } = EXPECTED[overlay];
    expect(names(ours)).toEqual(['gateway', ...workers]);
    expect(names(rendered.workloads)).toEqual([...names(ours), ...services]);
    expect(names(rendered.services)).toEqual(['gateway', ...services]);
    expect(names(rendered.policies)).toEqual(['connections', ...policies, 'gateway', 'worker']);
    expect(names(rendered.budgets)).toEqual(['gateway', ...workers]);
    expect(names(rendered.scaled).sort()).toEqual(scaled);
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
    ];
    for (const [name, labels] of others) {
      expect(chosen(rendered, labels).map(({ metadata }) => metadata.name)).toEqual([name]);
    }
    const selected = Object.fromEntries(
      rendered.policies.map((policy) => [
        policy.metadata.name,
        selectedBy(rendered, policy.spec.podSelector).map(({ metadata }) => metadata.name),
      ]),
    );
    const { workers } = EXPECTED[overlay];
    expect(selected).toMatchObject({
      gateway: ['gateway'],
      worker: workers,
      connections: ['gateway', ...workers],
    });
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
    for (const policy of rendered.policies) {
      const containers = containersOf(selectedBy(rendered, policy.spec.podSelector));
      for (const { port } of policy.spec.ingress.flatMap(({ ports }) => ports)) {
        for (const container of containers) expect(hasPort(container, port)).toBe(true);
      }
      for (const { to, ports } of policy.spec.egress) {
        for (const { podSelector, namespaceSelector } of to) {
          if (!podSelector || namespaceSelector) continue;
          const [target] = containersOf(chosen(rendered, podSelector.matchLabels));
          for (const { port } of ports) expect(target && hasPort(target, port)).toBe(true);
        }
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
  });

  test('the gateway alone gets the secrets of keys and targets', () => {
    const [shared, own] = exampleSecrets.map(({ stringData }) => Object.keys(stringData));
    expect(shared).toEqual(['REDIS_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
    expect(own).toEqual(['KEY_PEPPER', 'LOOK_SIGNING_KEYS']);
    for (const { metadata, spec } of rendered.workloads) {
      const [container] = spec.template.spec.containers;
      if (!container) throw new Error('no container');
      const names = secretsOf(container).map((name) => name.replace(/^(selvage-[a-z]+).*/, '$1'));
      if (metadata.name === 'gateway') {
        expect(names).toEqual(['selvage-connections', 'selvage-gateway']);
        expect(environmentOf(rendered, container)).toHaveProperty('KEY_PEPPER');
      } else {
        expect(names.filter((name) => name !== 'selvage-connections')).toEqual([]);
        const workload = JSON.stringify(spec);
        for (const secret of own ?? []) expect(workload).not.toContain(secret);
        expect(workload).not.toContain('selvage-gateway');
      }
    }
  });

  /** Metadata services, and where pods, nodes and services of a cluster live. */
  const INSIDE = [
    ...['169.254.169.254', '169.254.170.2', '168.63.129.16', 'fd00:ec2::254', '100.100.100.200'],
    ...['10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1', '100.64.0.1', '240.0.0.1'],
    ...['fd12:3456::1', 'fe80::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
  ];
  const PUBLIC = ['1.1.1.1', '172.32.0.1', '2606:4700:4700::1111'];
  test('pods reach the public web, and nothing of the cluster or the cloud', () => {
    for (const workload of ours) {
      const reached = (addresses: readonly string[], port: number) =>
        addresses.filter((address) => mayReach(rendered, workload, address, port));
      const isGateway = workload.metadata.name === 'gateway';
      const policies = rendered.policies.filter((policy) =>
        selectedBy(rendered, policy.spec.podSelector).includes(workload),
      );
      expect(policies.some(({ spec }) => spec.policyTypes.includes('Egress'))).toBe(true);
      for (const port of [22, 80, 443, 6379, 8080]) expect(reached(INSIDE, port)).toEqual([]);
      expect(reached(PUBLIC, 80)).toEqual(isGateway ? [] : PUBLIC);
      expect(reached(PUBLIC, 443)).toEqual(PUBLIC);
      expect(reached(PUBLIC, 22)).toEqual([]);
    }
  });

  test('metrics have a port of their own, for scrapers only', () => {
    const gateway = ours.find(({ metadata }) => metadata.name === 'gateway');
    const [container] = gateway?.spec.template.spec.containers ?? [];
    if (!gateway || !container) throw new Error('no gateway');
    const { METRICS_PORT, PORT } = readConfig(environmentOf(rendered, container));
    expect(METRICS_PORT).not.toBe(PORT);
    const { annotations } = gateway.spec.template.metadata;
    expect(annotations?.['prometheus.io/port']).toBe(String(METRICS_PORT));
    const published = rendered.services.flatMap(({ spec }) => spec.ports);
    expect(published.map(({ targetPort }) => targetPort)).not.toContain('metrics');
    const [policy] = rendered.policies.filter(({ metadata }) => metadata.name === 'gateway');
    const rules = policy?.spec.ingress.filter(({ ports }) =>
      ports.some(({ port }) => port === 'metrics'),
    );
    expect(rules).toMatchObject([
      {
        from: [
          { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
        ],
      },
    ]);
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
      const { automountServiceAccountToken, securityContext, containers, volumes } =
        spec.template.spec;
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
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
          cpu: expect.any(String),
          memory: expect.any(String),
        });
        for (const { name } of container.volumeMounts) expect(known).toContain(name);
      }
    }
  });
});

describe.skipIf(withoutKubectl)('the overlay production', () => {
  const rendered = withoutKubectl ? undefined : render('overlays/production');
  if (!rendered) return;
  const [gateway] = containersOf(chosen(rendered, { 'app.kubernetes.io/component': 'gateway' }));
  if (!gateway) throw new Error('no gateway');
  const config = readConfig(environmentOf(rendered, gateway));

  test('has an ingress with TLS to a port of the service, for the host of PUBLIC_URL', () => {
    const [ingress] = rendered.ingresses;
    const hosts = ingress?.spec.rules.map(({ host }) => host) ?? [];
    expect(hosts).toEqual([new URL(config.PUBLIC_URL ?? '').host]);
    expect(config.PUBLIC_URL).toMatch(/^https:/);
    expect(ingress?.spec.tls.flatMap((tls) => tls.hosts)).toEqual(hosts);
    const backends = ingress?.spec.rules.flatMap(({ http }) => http.paths) ?? [];
    expect(backends).toHaveLength(1);
    for (const { backend } of backends) {
      const service = rendered.services.find((s) => s.metadata.name === backend.service.name);
      expect(service?.spec.ports.map(({ name }) => name)).toContain(backend.service.port.name);
    }
  });

  test('has an ingress that waits longer than the gateway and takes its bodies as they come', () => {
    const annotations = z
      .object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) })
      .parse(rendered.ingresses[0]).metadata.annotations;
    const nginx = (name: string) => annotations[`nginx.ingress.kubernetes.io/${name}`];
    const longest = Math.max(config.SYNC_TIMEOUT_SECONDS, config.REQUEST_TIMEOUT_SECONDS);
    for (const name of ['proxy-read-timeout', 'proxy-send-timeout']) {
      expect(Number(nginx(name))).toBeGreaterThan(longest);
    }
    expect(nginx('proxy-body-size')).toBe('0');
    expect([nginx('proxy-request-buffering'), nginx('proxy-buffering')]).toEqual(['off', 'off']);
  });

  test('has monitors that scrape what the annotations name', () => {
    const monitored = rendered.monitors.flatMap(({ spec }) =>
      selectedBy(rendered, spec.selector).map((workload) => ({ workload, spec })),
    );
    expect(monitored.map(({ workload }) => workload.metadata.name)).toEqual(['gateway', 'worker']);
    for (const { workload, spec } of monitored) {
      const { annotations = {} } = workload.spec.template.metadata;
      const [container] = workload.spec.template.spec.containers;
      for (const { port, path } of spec.podMetricsEndpoints) {
        const found = container?.ports.find(({ name }) => name === port);
        expect(String(found?.containerPort)).toBe(annotations['prometheus.io/port']);
        expect(path).toBe(annotations['prometheus.io/path']);
      }
    }
  });
});

describe.skipIf(withoutKubectl)('the endpoint of a probe', () => {
  const worker = serveHealth(new Registry(), () => true);
  let origin: string;
  beforeAll(async () => {
    origin = `http://127.0.0.1:${await listen(worker)}`;
  });
  afterAll(() => void worker.close());

  test('exists in the probed process', async () => {
    const metrics = { registry: new Registry(), key: undefined };
    const gatewayPaths = [
      ...healthRoutes({}, async () => undefined),
      ...metricsRoutes(metrics),
    ].map(({ path }) => path);
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
