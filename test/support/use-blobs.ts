import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';

/** Opens a store in a folder of its own for the tests of a file, and deletes it after the last test. */
export async function useBlobs(): Promise<Blobs> {
  const dir = await mkdtemp(join(tmpdir(), 'selvage-blobs-'));
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return createFsBlobs({ dir });
}
