import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');

/** The files of the walk: a row of its table has a folder, and the names of files in it. */
const walk = [
  ...page.matchAll(/^\| [\w ,]* \| `((?:src|workers|models)(?:\/[\w-]+)*)\/` \| ([^|]+) \|$/gm),
].flatMap(([, folder = '', names = '']) =>
  [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => `${folder}/${name}.ts`),
);

test('the walk of a removal names files that exist, each once', () => {
  expect(walk.length).toBeGreaterThan(30);
  expect(walk.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(walk).toEqual([...new Set(walk)]);
  expect(page).toContain(`passes ${walk.length} files`);
});
