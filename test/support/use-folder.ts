import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder for the tests of a file, and deletes it after the last test. */
export async function useFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'selvage-tests-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
