import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linkFile } from '../../src/storage/fs-blobs.ts';
import { isMissing } from '../support/requirement.ts';
import { testFolder } from '../support/use-folder.ts';

const createFolderIn = async (parent: string): Promise<string> => {
  const folder = await mkdtemp(join(parent, 'selvage-link-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

test('a file is copied if it cannot be linked across devices', async ({ skip }) => {
  const near = await testFolder();
  const far = await createFolderIn('/dev/shm').catch(() => near);
  const isOtherDevice = (await stat(near)).dev !== (await stat(far)).dev;
  skip(isMissing('two-devices', isOtherDevice, 'no second device is writable'));
  const bytes = Buffer.alloc(100_000, 7);
  await writeFile(join(far, 'from'), bytes);
  await linkFile(join(far, 'from'), join(near, 'to'));
  expect((await readFile(join(near, 'to'))).equals(bytes)).toBe(true);
  await expect(linkFile(join(far, 'from'), join(near, 'to'))).rejects.toThrow('EEXIST');
  await expect(linkFile(join(far, 'none'), join(near, 'other'))).rejects.toThrow('ENOENT');
});

test('a file is linked on its own device', async () => {
  const folder = await testFolder();
  await writeFile(join(folder, 'from'), 'x');
  await linkFile(join(folder, 'from'), join(folder, 'to'));
  expect((await stat(join(folder, 'to'))).nlink).toBe(2);
});
