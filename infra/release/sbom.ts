import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Model, readCatalog } from '../../models/catalog.ts';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');

const Component = z.looseObject({
  'bom-ref': z.string(),
  type: z.string(),
  name: z.string(),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
});

const Bom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string(),
  metadata: z.looseObject({
    component: z.looseObject({ 'bom-ref': z.string(), name: z.string() }),
  }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
export type Bom = z.infer<typeof Bom>;

/** Bundled weights are a component like any library. */
const modelComponent = ({ id, version, file, sha256, licence, origin }: Model) => ({
  'bom-ref': `model/${id}@${version}`,
  type: 'machine-learning-model',
  name: id,
  version,
  scope: 'required',
  description: `${file}: ${origin}`,
  hashes: [{ alg: 'SHA-256', content: sha256 }],
  licenses: [{ license: { name: licence } }],
  properties: [],
});

/**
 * Returns the software bill of materials as CycloneDX: production packages (from the lock file, not from what
 * happens to be installed) and bundled models.
 * @throws if npm cannot be run
 */
export function softwareBill(): Bom {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const text = execFileSync('npm', [...args, '--sbom-type', 'application'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const bom = Bom.parse(JSON.parse(text));
  // The client in `packages/` is our own code, compiled into `dist`: part of the root component.
  const isOwn = (ref: string) => ref.startsWith('@selvage/');
  // `--omit dev` would also drop packages that development tools share with production, such as sharp.
  const packages = bom.components.filter(
    ({ 'bom-ref': ref, properties }) =>
      !isOwn(ref) && !properties.some(({ name }) => name === 'cdx:npm:package:development'),
  );
  // The root has no operator's catalogue.
  const models = readCatalog(ROOT)
    .filter(({ url }) => url === undefined)
    .map(modelComponent);
  const { component } = bom.metadata;
  const refs = new Set([component, ...packages].map((part) => part['bom-ref']));
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...component, name: manifest.name } },
    components: [...packages, ...models],
    dependencies: bom.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((to) => refs.has(to)) })),
  };
}

if (import.meta.filename === realpathSync(process.argv[1] ?? ROOT)) {
  console.log(JSON.stringify(softwareBill(), null, 2));
}
