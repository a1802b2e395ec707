import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { installPackages, installRuntime } from '../../../infra/launcher/install.mjs';
import { runProgram } from '../../../infra/launcher/processes.mjs';
import { StartError } from '../../../infra/launcher/start-error.mjs';
import type { Terminal } from '../../../infra/launcher/terminal.mjs';
import { testFolder } from '../../support/use-folder.ts';

let root: string;
let steps: string[];
const say: Terminal = {
  isWatched: false,
  line: () => {},
  warn: () => {},
  paint: (_name, text) => text,
  step: (title, work) => {
    steps.push(title);
    return work();
  },
};

const write = (file: string, content: unknown) =>
  writeFile(join(root, file), JSON.stringify(content));

/** Makes version `version` of the one package the project depends on, and a lock file that names it. */
async function lockPackage(version: string): Promise<void> {
  await mkdir(join(root, 'dep'), { recursive: true });
  await write('dep/package.json', { name: 'dep', version });
  await npm('pack', './dep');
  await write('package.json', {
    name: 'project',
    version: '1.0.0',
    devDependencies: { dep: `file:dep-${version}.tgz` },
  });
  await rm(join(root, 'package-lock.json'), { force: true });
  await npm('install', '--package-lock-only');
}

async function npm(...args: string[]): Promise<void> {
  const { code, output } = await runProgram('npm', [...args, '--offline'], { cwd: root });
  if (code !== 0) throw new Error(output);
}

const installedVersion = async (): Promise<string> =>
  JSON.parse(await readFile(join(root, 'node_modules/dep/package.json'), 'utf8')).version;

beforeEach(async () => {
  root = await testFolder();
  steps = [];
  await lockPackage('1.0.0');
});

test('packages are installed once', async () => {
  await installPackages(root, say);
  expect(await installedVersion()).toBe('1.0.0');
  await installPackages(root, say);
  expect(steps).toHaveLength(1);
});

test('packages are installed again when the lock file changes', async () => {
  await installPackages(root, say);
  await lockPackage('1.0.1');
  await installPackages(root, say);
  expect(await installedVersion()).toBe('1.0.1');
});

test('the packages of another checkout, behind a link, are used and never deleted', async () => {
  await installPackages(root, say);
  await rename(join(root, 'node_modules'), join(root, 'others'));
  await symlink('others', join(root, 'node_modules'));
  await installPackages(root, say);
  expect(steps).toHaveLength(1);

  await lockPackage('1.0.1');
  const started = installPackages(root, say);
  await expect(started).rejects.toThrow(StartError);
  await expect(started).rejects.toThrow(/node_modules is a symbolic link[\s\S]*\n {2}rm ".*"/);
  expect(steps).toHaveLength(1);
  expect(await installedVersion()).toBe('1.0.0');
});

test('a workspace is linked, and not installed again', async () => {
  await mkdir(join(root, 'packages/own'), { recursive: true });
  await write('packages/own/package.json', { name: '@project/own', version: '1.0.0' });
  await write('package.json', {
    name: 'project',
    version: '1.0.0',
    workspaces: ['packages/own'],
    devDependencies: { dep: 'file:dep-1.0.0.tgz' },
  });
  await npm('install', '--package-lock-only');
  await installPackages(root, say);
  expect(await installedVersion()).toBe('1.0.0');
  await installPackages(root, say);
  expect(steps).toHaveLength(1);
});

test('an interrupted install is repeated', async () => {
  await installPackages(root, say);
  await rm(join(root, 'node_modules/.package-lock.json'));
  await rm(join(root, 'node_modules/dep'), { recursive: true });
  await installPackages(root, say);
  expect(await installedVersion()).toBe('1.0.0');
});

test('development packages are installed with any NODE_ENV', async ({ onTestFinished }) => {
  const before = process.env.NODE_ENV;
  onTestFinished(() => {
    process.env.NODE_ENV = before;
  });
  process.env.NODE_ENV = 'production';
  await installPackages(root, say);
  expect(await installedVersion()).toBe('1.0.0');
});

test('the output of npm is shown if it fails', async () => {
  await write('package.json', { name: 'project', dependencies: { dep: 'file:other.tgz' } });
  const failing = installPackages(root, say);
  await expect(failing).rejects.toThrow(StartError);
  await expect(failing).rejects.toThrow(
    /^npm ci failed with exit code \d+:.*other\.tgz.*Fix that/s,
  );
});

test('an installed package gets the inference library once, without its install script', async () => {
  const name = 'onnxruntime-node';
  await mkdir(join(root, 'library'));
  await mkdir(join(root, 'dist/workers'), { recursive: true });
  await write('dist/package.json', { name: 'installed' });
  await write('library/package.json', {
    name,
    version: '1.0.0',
    scripts: { postinstall: 'exit 1' },
  });
  await writeFile(join(root, 'library/index.js'), '');
  await npm('pack', './library');
  const tarball = `file:${join(root, `${name}-1.0.0.tgz`)}`;
  await write('package.json', { name: 'installed', optionalDependencies: { [name]: tarball } });
  await installRuntime(root, say);
  const installed = join(root, 'dist/workers/node_modules', name, 'package.json');
  expect(JSON.parse(await readFile(installed, 'utf8'))).toMatchObject({ version: '1.0.0' });
  const manifest = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'));
  expect((await manifest('dist/workers/package.json')).type).toBe('module');
  expect(await manifest('dist/package.json')).toEqual({ name: 'installed' });
  await installRuntime(root, say);
  expect(steps).toEqual([`Installing ${name} ${tarball}`]);
});
