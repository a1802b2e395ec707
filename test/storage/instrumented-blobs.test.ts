import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { BlobMissing, StorageError } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { diskSpace, instrumentBlobs } from '../../src/storage/open-storage.ts';
import { useFolder } from '../support/use-folder.ts';
import { entriesOf } from './blobs.contract.ts';

const dir = await useFolder();
let observed: string[];
beforeEach(() => {
  observed = [];
});
const blobs = instrumentBlobs(await createFsBlobs({ dir }), {
  done: (operation) => observed.push(operation),
  failed: (operation) => observed.push(`${operation} failed`),
});

const bytes = new TextEncoder().encode('a picture');

test('calls are observed, and their results unchanged', async () => {
  await blobs.put('a/b', bytes);
  expect(Buffer.from(await blobs.get('a/b')).toString()).toBe('a picture');
  expect(await blobs.head('a/c')).toBeUndefined();
  expect((await entriesOf(blobs, 'a/')).map(({ key }) => key)).toEqual(['a/b']);
  await blobs.delete('a/b');
  expect(observed).toEqual(['put', 'get', 'head', 'delete']);
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
  expect(observed).toEqual([]);
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
  expect(observed).toEqual(['put failed', 'check failed']);
});

test('a disk has a size and free space', async () => {
  const { freeBytes, sizeBytes } = await diskSpace(tmpdir());
  expect(freeBytes).toBeGreaterThan(0);
  expect(sizeBytes).toBeGreaterThanOrEqual(freeBytes);
});
