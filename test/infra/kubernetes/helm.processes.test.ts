import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { isOnPath } from '../../support/requirement.ts';
import { ROOT } from '../../support/root.ts';

const CHART = join(ROOT, 'infra/helm');
const BASE = join(ROOT, 'infra/kubernetes/base');
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

const Kustomization = z.looseObject({
  resources: z.array(z.string()),
  images: z.array(z.object({ name: z.string(), newName: z.string(), newTag: z.string() })),
});
const kustomization = Kustomization.parse(parse(read(BASE, 'kustomization.yaml')));
const Values = z.looseObject({ images: z.record(z.string(), z.string()) });

test('the chart has the objects of Kustomize, from the same files', () => {
  expect(realpathSync(join(CHART, 'base'))).toBe(realpathSync(BASE));
  expect(readdirSync(join(CHART, 'templates'))).toEqual(['objects.yaml']);
  const template = read(CHART, 'templates/objects.yaml');
  // Helm makes the namespace itself: --create-namespace.
  const files = kustomization.resources.filter((file) => file !== 'namespace.yaml');
  for (const file of files) expect(template).toContain(`"${file.replace('.yaml', '')}"`);
});

test('images and versions are those of Kustomize and of the package', () => {
  const { images } = Values.parse(parse(read(CHART, 'values.yaml')));
  const theirs = kustomization.images.map(({ newName, newTag }) => `${newName}:${newTag}`);
  expect(Object.values(images)).toEqual(theirs);
  const { version } = manifest;
  expect(parse(read(CHART, 'Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

/** No repository of Debian has it; where it is, what it renders is compared. */
const programs = isOnPath('helm') && isOnPath('kubectl');

test.skipIf(!programs)('rendered with its defaults, the chart is what Kustomize renders', () => {
  const run = (program: string, ...args: string[]) =>
    parseAllDocuments(execFileSync(program, args, { encoding: 'utf8' }))
      .map((document) => document.toJS())
      .filter(Boolean);
  const ours = run('helm', 'template', 'selvage', CHART, '--namespace', 'selvage');
  const theirs = run('kubectl', 'kustomize', BASE).filter(({ kind }) => kind !== 'Namespace');
  const sorted = (objects: { kind: string; metadata: { name: string } }[]) =>
    objects.toSorted((a, b) =>
      `${a.kind} ${a.metadata.name}` < `${b.kind} ${b.metadata.name}` ? -1 : 1,
    );
  expect(sorted(ours)).toEqual(sorted(theirs));
});
