import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { run } from '../../support/processes.ts';
import { ROOT } from '../../support/root.ts';
import { testFolder } from '../../support/use-folder.ts';

/*
 * Each manifest against the JSON schema of its kind, from packages: the schemas of Kubernetes, KEDA and the Prometheus
 * Operator, compiled. These
 * schemas allow unknown fields, which the API server rejects, so the compiler then checks the objects against the types
 * of the same packages, which do not.
 */

const KUBERNETES = join(ROOT, 'infra', 'kubernetes');
/** Read by kubectl, and by no cluster. */
const KUSTOMIZATION = 'kustomization.yaml';

const Manifest = z.looseObject({ apiVersion: z.string(), kind: z.string() });
type Manifest = z.infer<typeof Manifest>;

interface Schema {
  /** The module with the type `I` + kind. */
  module: string;
  check(manifest: object): void;
}

const check =
  <T>(Model: new (data?: T) => { validate(): void }) =>
  (manifest: object): void =>
    // The schema decides whether it has this type.
    new Model(manifest as T).validate();

// biome-ignore format: a table reads best aligned
const SCHEMAS: Readonly<Record<string, Schema>> = {
  'v1 ConfigMap': { module: 'kubernetes-models/v1/ConfigMap', check: check(ConfigMap) },
  'v1 Namespace': { module: 'kubernetes-models/v1/Namespace', check: check(Namespace) },
  'v1 Secret': { module: 'kubernetes-models/v1/Secret', check: check(Secret) },
  'v1 Service': { module: 'kubernetes-models/v1/Service', check: check(Service) },
  'apps/v1 Deployment': { module: 'kubernetes-models/apps/v1/Deployment', check: check(Deployment) },
  'apps/v1 StatefulSet': { module: 'kubernetes-models/apps/v1/StatefulSet', check: check(StatefulSet) },
  'networking.k8s.io/v1 NetworkPolicy': { module: 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy', check: check(NetworkPolicy) },
  'networking.k8s.io/v1 Ingress': { module: 'kubernetes-models/networking.k8s.io/v1/Ingress', check: check(Ingress) },
  'autoscaling/v2 HorizontalPodAutoscaler': { module: 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler', check: check(HorizontalPodAutoscaler) },
  'policy/v1 PodDisruptionBudget': { module: 'kubernetes-models/policy/v1/PodDisruptionBudget', check: check(PodDisruptionBudget) },
  'monitoring.coreos.com/v1 PodMonitor': { module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor', check: check(PodMonitor) },
  'keda.sh/v1alpha1 ScaledObject': { module: '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject', check: check(ScaledObject) },
};

function schemaOf({ apiVersion, kind }: Manifest): Schema {
  const schema = SCHEMAS[`${apiVersion} ${kind}`];
  if (!schema) throw new Error(`This test has no schema for ${apiVersion} ${kind}`);
  return schema;
}

const files = (await readdir(KUBERNETES, { recursive: true }))
  .filter((file) => file.endsWith('.yaml') && basename(file) !== KUSTOMIZATION)
  .sort();
const manifests = (
  await Promise.all(
    files.map(async (file) =>
      parseAllDocuments(await readFile(join(KUBERNETES, file), 'utf8')).map((document) => ({
        file,
        manifest: Manifest.parse(document.toJS()),
      })),
    ),
  )
).flat();

test('every schema has a manifest', () => {
  const kinds = manifests.map(({ manifest: { apiVersion, kind } }) => `${apiVersion} ${kind}`);
  expect([...new Set(kinds)].sort()).toEqual(Object.keys(SCHEMAS).sort());
});

test.each(manifests.map(({ file, manifest }) => ({ file, kind: manifest.kind, manifest })))(
  '$file: $kind fits its schema',
  ({ manifest }) => {
    schemaOf(manifest).check(manifest);
  },
);

test.each([
  {
    wrong: 'replicas as text',
    manifest: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: { replicas: 'two', selector: {}, template: {} },
    },
  },
  {
    wrong: 'no target',
    manifest: { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', spec: { triggers: [] } },
  },
])('a schema rejects $wrong', ({ manifest }) => {
  expect(() => schemaOf(manifest).check(manifest)).toThrow(/must/);
});

/** Compiles manifests as values of their types; returns the errors of the compiler. */
async function typeErrors(objects: readonly Manifest[]): Promise<string> {
  const folder = await testFolder();
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const lines = objects.map((manifest, index) => {
    const type = `import('${schemaOf(manifest).module}').I${manifest.kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(manifest)};`;
  });
  const file = join(folder, 'manifests.ts');
  await writeFile(file, `${lines.join('\n')}\n`);
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  // biome-ignore format: an option and its value belong on one line
  const compiler = run(process.execPath, [
    tsc, '--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', '',
    '--module', 'nodenext', '--target', 'es2023', file,
  ]);
  const code = await compiler.exited;
  return code === 0 ? '' : compiler.output();
}

test('no manifest has a field that its kind does not have', async () => {
  expect(await typeErrors(manifests.map(({ manifest }) => manifest))).toBe('');
});

test('a field that a kind does not have is found at every depth', async () => {
  const probe = { httpGet: { path: '/livez', port: 8080, pathh: '/' } };
  const container = { name: 'gateway', livenessProbe: probe, readinessProbe: probe };
  const template = { spec: { containers: [container] } };
  const errors = await typeErrors([
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'gateway', nameSpace: 'selvage' },
      spec: { selector: {}, template },
    },
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      spec: { scaleTargetRef: { name: 'worker' }, triggers: [], minReplicas: 2 },
    },
  ]);
  for (const name of ['nameSpace', 'pathh', 'minReplicas']) {
    expect(errors).toContain(`'"${name}"'`);
  }
});
