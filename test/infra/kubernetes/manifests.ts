import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../../support/root.ts';

const KUBERNETES = join(ROOT, 'infra', 'kubernetes');
const Labels = z.record(z.string(), z.string());
const Port = z.union([z.string(), z.number()]);

const Probe = z.looseObject({
  httpGet: z.object({ path: z.string(), port: Port }).optional(),
  tcpSocket: z.object({ port: Port }).optional(),
});

const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  env: z
    .array(
      z.looseObject({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z
          .object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) })
          .optional(),
      }),
    )
    .default([]),
  envFrom: z
    .array(
      z.object({
        configMapRef: z.object({ name: z.string() }).optional(),
        secretRef: z.object({ name: z.string() }).optional(),
      }),
    )
    .default([]),
  startupProbe: Probe.optional(),
  livenessProbe: Probe,
  readinessProbe: Probe,
  lifecycle: z
    .object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) })
    .optional(),
  resources: z.object({ requests: z.record(z.string(), z.string()), limits: z.looseObject({}) }),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
export type Container = z.infer<typeof Container>;

const Workload = z.looseObject({
  kind: z.enum(['Deployment', 'StatefulSet']),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    replicas: z.number().optional(),
    selector: z.object({ matchLabels: Labels }),
    template: z.object({
      metadata: z.looseObject({ labels: Labels, annotations: Labels.optional() }),
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number().optional(),
        automountServiceAccountToken: z.boolean().optional(),
        securityContext: z.unknown(),
        containers: z.array(Container).min(1),
        volumes: z.array(z.looseObject({ name: z.string() })).default([]),
        topologySpreadConstraints: z
          .array(z.looseObject({ labelSelector: z.object({ matchLabels: Labels }) }))
          .default([]),
      }),
    }),
    volumeClaimTemplates: z
      .array(z.looseObject({ metadata: z.object({ name: z.string() }) }))
      .default([]),
  }),
});
export type Workload = z.infer<typeof Workload>;

const Any = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

const Service = Any.extend({
  spec: z.looseObject({
    selector: Labels,
    ports: z.array(z.object({ name: z.string(), port: z.number(), targetPort: Port })),
  }),
});
const PolicyPorts = z.array(
  z.strictObject({ port: Port, protocol: z.enum(['TCP', 'UDP']).optional() }),
);
const Peer = z.strictObject({
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
  namespaceSelector: z.strictObject({ matchLabels: Labels }).optional(),
  podSelector: z.strictObject({ matchLabels: Labels }).optional(),
});
const Selector = z.union([
  z.strictObject({ matchLabels: Labels }),
  z.strictObject({
    matchExpressions: z.tuple([
      z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }),
    ]),
  }),
]);
const Policy = Any.extend({
  spec: z.strictObject({
    podSelector: Selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z
      .array(z.strictObject({ from: z.array(Peer).optional(), ports: PolicyPorts }))
      .default([]),
    // No ports: all of them.
    egress: z
      .array(z.strictObject({ to: z.array(Peer).min(1), ports: PolicyPorts.default([]) }))
      .default([]),
  }),
});
type Policy = z.infer<typeof Policy>;
const Budget = Any.extend({
  spec: z.looseObject({ selector: z.object({ matchLabels: Labels }) }),
});
const Scaled = Any.extend({
  spec: z.looseObject({ scaleTargetRef: z.object({ name: z.string() }) }),
});
const Ingress = Any.extend({
  spec: z.looseObject({
    tls: z.array(z.object({ hosts: z.array(z.string()), secretName: z.string() })),
    rules: z.array(
      z.object({
        host: z.string(),
        http: z.object({
          paths: z.array(
            z.looseObject({
              backend: z.object({
                service: z.object({ name: z.string(), port: z.object({ name: z.string() }) }),
              }),
            }),
          ),
        }),
      }),
    ),
  }),
});
const Monitor = Any.extend({
  spec: z.looseObject({
    selector: Selector,
    podMetricsEndpoints: z.array(z.looseObject({ port: z.string(), path: z.string() })),
  }),
});
const ConfigMap = Any.extend({ data: z.record(z.string(), z.string()) });
const Secret = Any.extend({ stringData: z.record(z.string(), z.string()) });

/** Renders an overlay; returns its objects by kind. */
export function render(overlay: string) {
  const folder = join(KUBERNETES, overlay);
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  const all = parseAllDocuments(text).map((document) => Any.parse(document.toJS()));
  const of = <T>(schema: z.ZodType<T>, ...kinds: string[]): T[] =>
    all.filter(({ kind }) => kinds.includes(kind)).map((object) => schema.parse(object));
  return {
    all,
    workloads: of(Workload, 'Deployment', 'StatefulSet'),
    services: of(Service, 'Service'),
    policies: of(Policy, 'NetworkPolicy'),
    budgets: of(Budget, 'PodDisruptionBudget'),
    scaled: of(Scaled, 'ScaledObject', 'HorizontalPodAutoscaler'),
    ingresses: of(Ingress, 'Ingress'),
    monitors: of(Monitor, 'PodMonitor'),
    configMaps: of(ConfigMap, 'ConfigMap'),
  };
}
export type Rendered = ReturnType<typeof render>;

/** The examples of the secrets. */
export const exampleSecrets = parseAllDocuments(
  readFileSync(join(KUBERNETES, 'base', 'secret.example.yaml'), 'utf8'),
).map((document) => Secret.parse(document.toJS()));

const isPartOf = (some: Readonly<Record<string, string>>, all: Readonly<Record<string, string>>) =>
  Object.entries(some).every(([name, value]) => all[name] === value);

/** Returns the workloads whose pods these labels select. */
export const chosen = ({ workloads }: Rendered, labels: Readonly<Record<string, string>>) =>
  workloads.filter(({ spec }) => isPartOf(labels, spec.template.metadata.labels));

/** Returns the workloads whose pods a selector selects. */
export const selectedBy = (
  rendered: Rendered,
  selector: Policy['spec']['podSelector'],
): Workload[] => {
  if ('matchLabels' in selector) return chosen(rendered, selector.matchLabels);
  const [{ key, values }] = selector.matchExpressions;
  return rendered.workloads.filter(({ spec: { template } }) =>
    values.includes(template.metadata.labels[key] ?? ''),
  );
};

const isTcp = ({ port, protocol = 'TCP' }: z.infer<typeof PolicyPorts>[number], wanted: number) =>
  protocol === 'TCP' && port === wanted;

/** Returns whether the policies let a workload open a connection to a TCP port of an address outside the cluster. */
export function mayReach(rendered: Rendered, workload: Workload, address: string, port: number) {
  const target = ipaddr.parse(address);
  const isIn = (cidr: string): boolean => {
    const network = ipaddr.parseCIDR(cidr);
    return network[0].kind() === target.kind() && target.match(network);
  };
  return rendered.policies
    .filter(({ spec }) => selectedBy(rendered, spec.podSelector).includes(workload))
    .flatMap(({ spec }) => spec.egress)
    .filter(({ ports }) => ports.length === 0 || ports.some((row) => isTcp(row, port)))
    .flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []))
    .some(({ cidr, except }) => isIn(cidr) && !except.some(isIn));
}

/** Returns the names of everything a container takes from secrets. */
export function secretsOf(container: Container): string[] {
  const whole = container.envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []);
  const single = container.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? []);
  return [...whole, ...single];
}

export const containersOf = (workloads: readonly Workload[]): Container[] =>
  workloads.flatMap(({ spec }) => spec.template.spec.containers);

export const hasPort = ({ ports }: Container, wanted: string | number): boolean =>
  ports.some(({ name, containerPort }) => name === wanted || containerPort === wanted);

/**
 * Returns the environment of a container: shared settings, then its own. Secrets have the values of the examples;
 * a generated secret has a hash after its name.
 */
export function environmentOf({ configMaps }: Rendered, container: Container) {
  const shared = container.envFrom.flatMap(({ configMapRef, secretRef }) => [
    ...configMaps.filter(({ metadata }) => metadata.name === configMapRef?.name).map((c) => c.data),
    ...exampleSecrets
      .filter(({ metadata }) => secretRef?.name.startsWith(metadata.name))
      .map((secret) => secret.stringData),
  ]);
  const own = container.env.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value]],
  );
  return Object.assign({}, ...shared, Object.fromEntries(own)) as Record<string, string>;
}
