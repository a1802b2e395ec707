import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { softwareBill } from '../../../infra/release/sbom.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../support/root.ts';

const Lock = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })),
});

test('the bill of materials lists every runtime package and each bundled model, and nothing else', () => {
  const bill = softwareBill();
  const lock = Lock.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  expect(bill.metadata.component).toMatchObject({ name: 'selvage', version: manifest.version });
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path && !dev);
  const allowed = installed.map(([path]) => path.split('node_modules/').at(-1));
  const libraries = bill.components.filter(({ type }) => type === 'library');
  expect(libraries.length).toBeGreaterThanOrEqual(Object.keys(manifest.dependencies).length);
  for (const { name } of libraries) expect(allowed).toContain(name);

  const models = bill.components.filter(({ type }) => type === 'machine-learning-model');
  const catalog = JSON.parse(readFileSync(join(ROOT, 'models', 'catalog.json'), 'utf8'));
  const own = catalog.models.filter(({ url }: { url?: string }) => url === undefined);
  expect(models.map(({ name }) => name)).toEqual(own.map(({ id }: { id: string }) => id));
  expect(models[0]?.hashes).toEqual([{ alg: 'SHA-256', content: own[0].sha256 }]);
});
