import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { Registry } from 'prom-client';
import { beforeEach, expect, test } from 'vitest';
import { BlobMissing, instrumentBlobs, StorageError } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { diskSpace } from '../../src/storage/open-storage.ts';
import { useFolder } from '../support/use-folder.ts';
import { entriesOf } from './blobs.contract.ts';

const dir = await useFolder();
const registry = new Registry();
beforeEach(() => registry.resetMetrics());
const blobs = instrumentBlobs(await createFsBlobs({ dir }), registry);

/** The operations of the calls that succeeded, and of those that failed. */
async function observed() {
  const text = await registry.metrics();
  const called = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}{operation="(.+)"} 1$`, 'gm'))].map(([, each]) => each);
  return {
    done: called('selvage_store_seconds_count'),
    failed: called('selvage_store_errors_total'),
  };
}

const bytes = new TextEncoder().encode('a picture');

test('calls are observed, and their results unchanged', async () => {
  await blobs.put('a/b', bytes);
  expect(Buffer.from(await blobs.get('a/b')).toString()).toBe('a picture');
  expect(await blobs.head('a/c')).toBeUndefined();
  expect((await entriesOf(blobs, 'a/')).map(({ key }) => key)).toEqual(['a/b']);
  await blobs.delete('a/b');
  expect(await observed()).toEqual({ done: ['put', 'get', 'head', 'delete'], failed: [] });
});

test('a missing blob, an aborted call and an interrupted upload are no failures', async () => {
  await expect(blobs.get('no/such')).rejects.toBeInstanceOf(BlobMissing);
  await expect(blobs.get('../no')).rejects.toBeInstanceOf(TypeError);
  await expect(blobs.get('no/such', AbortSignal.abort(new Error('left')))).rejects.toThrow();
  const broken = new Readable({
    read() {
      this.destroy(new Error('the client hung up'));
    },
  });
  await expect(blobs.put('c/d', broken)).rejects.toThrow('the client hung up');
  expect(await observed()).toEqual({ done: [], failed: [] });
});

test('a missing storage folder is a failure', async () => {
  await rm(dir, { recursive: true });
  await expect(blobs.put('e/f', bytes)).rejects.toBeInstanceOf(StorageError);
  await expect(blobs.check()).rejects.toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    message: expect.stringMatching(/^storage, check: ENOENT/),
    detail: expect.not.stringContaining('ENOENT'),
  });
  expect(await observed()).toEqual({ done: [], failed: ['put', 'check'] });
});

test('a disk has a size and free space', async () => {
  const { freeBytes, sizeBytes } = await diskSpace(tmpdir());
  expect(freeBytes).toBeGreaterThan(0);
  expect(sizeBytes).toBeGreaterThanOrEqual(freeBytes);
});
