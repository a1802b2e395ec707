import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../support/root.ts';

/* What the lock file installs must not depend on the machine that wrote it, nor need a compiler. */

const Entry = z.looseObject({
  version: z.string().optional(),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  os: z.array(z.string()).default([]),
  cpu: z.array(z.string()).default([]),
  dependencies: z.record(z.string(), z.string()).default({}),
});
const { packages } = z
  .object({ packages: z.record(z.string(), Entry) })
  .parse(JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')));

const FOLDER = 'node_modules/';
const nameOf = (path: string): string => path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
const entries = Object.entries(packages).map(([path, entry]) => ({
  path,
  name: nameOf(path),
  ...entry,
}));
const forX64 = entries.filter(({ os, cpu }) => os.includes('linux') && cpu.includes('x64'));

test('packages with binaries of their own platform are in the lock file', () => {
  const names = forX64.map(({ name }) => name);
  for (const name of [
    '@img/sharp-linux-x64',
    '@img/sharp-libvips-linux-x64',
    '@esbuild/linux-x64',
  ]) {
    expect(names).toContain(name);
  }
});

test.each(forX64)('$path has its package for arm64 beside it', ({ path, version }) => {
  const other = packages[path.replaceAll('x64', 'arm64')];
  expect(other).toMatchObject({ version, os: ['linux'], cpu: ['arm64'], optional: true });
});

test('the inference library has its binaries for both processors in one package', () => {
  const binaries = join(ROOT, 'node_modules/onnxruntime-node/bin/napi-v6/linux');
  for (const arch of ['x64', 'arm64']) {
    expect(existsSync(join(binaries, arch, 'onnxruntime_binding.node')), arch).toBe(true);
  }
});

test('every install script is known, and not run', () => {
  const names = entries.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
  expect(Object.keys(manifest.allowScripts)).toEqual([...new Set(names)].sort());
  expect(Object.values(manifest.allowScripts)).not.toContain(true);
});

/** They compile, or download what was compiled, when they are installed. */
const BUILD_TOOLS = [
  'node-gyp',
  'nan',
  'node-addon-api',
  'cmake-js',
  'prebuild-install',
  'node-pre-gyp',
];

test('nothing that runs in production is compiled when it is installed', () => {
  const compiled = entries.filter(
    ({ dev, dependencies }) => !dev && BUILD_TOOLS.some((tool) => tool in dependencies),
  );
  expect(compiled.map(({ name }) => name)).toEqual([]);
});
