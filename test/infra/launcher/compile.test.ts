import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeOldChunks } from '../../../infra/launcher/compile.mjs';
import { testFolder } from '../../support/use-folder.ts';

const DAY_SECONDS = 24 * 3600;

test('chunks stay for a week, for programs that were started before the sources changed', async () => {
  const folder = await testFolder();
  const daysAgo = { 'new.js': 0, 'recent.js': 6, 'old.js': 8 };
  for (const [name, days] of Object.entries(daysAgo)) {
    const seconds = Date.now() / 1000 - days * DAY_SECONDS;
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), seconds, seconds);
  }
  removeOldChunks(folder);
  expect(await readdir(folder)).toEqual(['new.js', 'recent.js']);
});
