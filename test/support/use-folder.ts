import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

async function makeFolder(atEnd: (remove: () => Promise<void>) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'selvage-tests-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a folder for the tests of a file, and deletes it after the last test. */
export const useFolder = (): Promise<string> => makeFolder(afterAll);

/** Makes a folder for a test, in it or in `beforeEach`, and deletes it after the test. */
export const testFolder = (): Promise<string> => makeFolder(onTestFinished);
