import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { mustRun } from '../../infra/images/engine.ts';
import { imagePathspecs, lastDifferentCommit } from '../../infra/images/upgrade-from.ts';
import { ROOT } from '../support/root.ts';
import { testFolder } from '../support/use-folder.ts';

let root: string;
const git = (...args: string[]) =>
  mustRun(['git', '-C', root, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args]);

async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), content);
}

/** Commits a new content of a file; returns the commit. */
async function commit(file: string, content: string): Promise<string> {
  await write(file, content);
  await git('add', '--all');
  await git('commit', '--quiet', '--message', file);
  return git('rev-parse', '--short', 'HEAD');
}

beforeEach(async () => {
  root = await testFolder();
  await git('init', '--quiet');
  await write('.dockerignore', '# what ships\n*\n!src\n!models\nmodels/training\n**/*.test.ts\n');
});

describe('an upgrade is tried from', () => {
  test('the commit before the last one that changed what ships', async () => {
    const before = await commit('src/main.ts', 'one');
    await commit('src/main.ts', 'two');
    await commit('docs/page.md', 'words');
    await commit('models/training/fit.py', 'pass');
    await commit('src/main.test.ts', 'a test');
    expect(await lastDifferentCommit(root)).toBe(before);
    const docker = await commit('infra/docker/gateway.Dockerfile', 'FROM node');
    await write('models/catalog.json', '[]');
    expect(await lastDifferentCommit(root), 'a change that is not committed').toBe(docker);
  });

  test('none, if all commits have the same images', async () => {
    await commit('src/main.ts', 'one');
    await commit('docs/page.md', 'words');
    expect(await lastDifferentCommit(root)).toBeUndefined();
  });
});

test('all that a Dockerfile copies decides', async () => {
  const paths = imagePathspecs(await readFile(join(ROOT, '.dockerignore'), 'utf8'));
  expect(paths).toEqual(expect.arrayContaining(['infra/docker', 'src', 'workers', 'models']));
  expect(paths).toContain('package-lock.json');
  expect(paths).toContain(':(exclude)models/training');
});
