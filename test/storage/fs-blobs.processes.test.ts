import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BlobMissing } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { isMissing } from '../support/requirement.ts';
import { useFolder } from '../support/use-folder.ts';
import { blobsContract, entriesOf } from './blobs.contract.ts';

const home = await useFolder();

/** A folder that does not exist yet, in one that is checked for files written outside it. */
const freshDir = () => join(home, randomUUID(), 'store');
const run = promisify(execFile);

describe('blobs in the file system', () => {
  blobsContract(() => createFsBlobs({ dir: freshDir() }));
});

describe('files', () => {
  test('are readable by this user only, and start with the bytes of the blob', async () => {
    const dir = freshDir();
    const blobs = await createFsBlobs({ dir });
    await blobs.put('in/acme/1.png', Buffer.from('pixels'), { mediaType: 'image/png' });
    const file = join(dir, 'blobs/in~/acme~/1.png');
    expect((await readFile(file, 'latin1')).startsWith('pixels{"mediaType":"image/png"')).toBe(
      true,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(dir, 'blobs/in~'))).mode & 0o777).toBe(0o700);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  test('deleting the last blob of a folder deletes the folder', async () => {
    const dir = freshDir();
    const blobs = await createFsBlobs({ dir });
    await blobs.put('a/b/c/1', Buffer.from('x'));
    await blobs.put('a/b/2', Buffer.from('x'));
    await blobs.delete('a/b/c/1');
    expect(await readdir(join(dir, 'blobs/a~/b~'))).toEqual(['2']);
    await blobs.delete('a/b/2');
    expect(await readdir(join(dir, 'blobs'))).toEqual([]);
  });

  test('are put while their folders come and go', async () => {
    const blobs = await createFsBlobs({ dir: freshDir() });
    const errors: unknown[] = [];
    async function putAndDelete(writer: number): Promise<void> {
      for (let i = 0; i < 500; i++) {
        const key = `sync/acme/${writer}-${i}/input`;
        await blobs.put(key, new Uint8Array(1), { durable: false }).then(
          () => blobs.delete(key),
          (error) => errors.push(error),
        );
      }
    }
    await Promise.all(Array.from({ length: 6 }, (_, writer) => putAndDelete(writer)));
    expect(errors).toEqual([]);
  });

  test('of a copy are one file with two hard links', async () => {
    const dir = freshDir();
    const blobs = await createFsBlobs({ dir });
    await blobs.put('a/1', Buffer.alloc(100_000, 1));
    await blobs.copy('a/1', 'b/2');
    await blobs.copy('b/2', 'a/1');
    const [one, two] = await Promise.all(
      ['a~/1', 'b~/2'].map((at) => stat(join(dir, 'blobs', at))),
    );
    expect(one?.ino).toBe(two?.ino);
    expect(one?.nlink).toBe(2);
    expect(await readdir(join(dir, 'unfinished'))).toEqual([]);
  });

  test('deleted while they are copied are copied or missing', async () => {
    const blobs = await createFsBlobs({ dir: freshDir() });
    const outcomes = new Set<string>();
    for (let turn = 0; turn < 200; turn++) {
      await blobs.put('a/from', Buffer.from('x'), { durable: false });
      const copy = blobs.copy('a/from', 'a/to').then(
        () => 'copied',
        (error) => (error instanceof BlobMissing ? 'missing' : `${error}`),
      );
      for (let ticks = turn % 40; ticks > 0; ticks--) await new Promise(setImmediate);
      await blobs.delete('a/from');
      outcomes.add(await copy);
    }
    expect(['copied', 'missing']).toEqual(expect.arrayContaining([...outcomes]));
  });

  test('are visible to a second process with the same folder', async () => {
    const dir = freshDir();
    const [writer, reader] = [await createFsBlobs({ dir }), await createFsBlobs({ dir })];
    await writer.put('shared', Buffer.from('x'));
    expect(await reader.head('shared')).toMatchObject({ bytes: 1 });
  });

  test('no text used as a key writes outside the folder', async () => {
    const dir = freshDir();
    const blobs = await createFsBlobs({ dir });
    const parts = fc.constantFrom('..', '%2e', '%2f', ...'./\\~a\0 -é');
    const texts = fc.oneof(
      fc.array(parts, { maxLength: 8 }).map((all) => all.join('')),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (key) => {
        const isRejected = await blobs.put(key, Buffer.from('x')).then(
          () => false,
          (error) => error instanceof TypeError,
        );
        expect(isRejected || (await blobs.head(key)) !== undefined).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(await readdir(join(dir, '..'))).toEqual(['store']);
    expect((await readdir(dir)).sort()).toEqual(['blobs', 'unfinished']);
    expect(await readdir(join(dir, 'unfinished'))).toEqual([]);
  });
});

describe('errors', () => {
  test.each([
    { title: 'cut short', bytes: 3 },
    { title: 'emptied', bytes: 0 },
  ])('a file $title by a power cut is missing, but is listed and can be replaced', async (row) => {
    const dir = freshDir();
    const blobs = await createFsBlobs({ dir });
    await blobs.put('a/damaged', Buffer.from('pixels'));
    await truncate(join(dir, 'blobs/a~/damaged'), row.bytes);
    await expect(blobs.get('a/damaged')).rejects.toBeInstanceOf(BlobMissing);
    await expect(blobs.open('a/damaged')).rejects.toBeInstanceOf(BlobMissing);
    expect(await blobs.head('a/damaged')).toBeUndefined();
    await expect(blobs.copy('a/damaged', 'a/copy')).rejects.toBeInstanceOf(BlobMissing);
    const entries = await entriesOf(blobs, '');
    expect(entries).toMatchObject([{ key: 'a/damaged', bytes: 0 }]);
    await blobs.put('a/damaged', Buffer.from('repaired'));
    expect(Buffer.from(await blobs.get('a/damaged')).toString()).toBe('repaired');
  });

  test('unfinished files of dead processes are deleted, files being written are not', async () => {
    const dir = freshDir();
    await createFsBlobs({ dir });
    const [old, young] = ['old', 'young'].map((name) => join(dir, 'unfinished', name));
    for (const file of [old, young]) await writeFile(file!, 'half');
    const yesterday = new Date(Date.now() - 86_400_000);
    await utimes(old!, yesterday, yesterday);
    await createFsBlobs({ dir });
    expect(await readdir(join(dir, 'unfinished'))).toEqual(['young']);
  });

  test('files being written are not deleted by a host whose clock is ahead', async () => {
    const dir = freshDir();
    await createFsBlobs({ dir });
    await writeFile(join(dir, 'unfinished', 'young'), 'half');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    await createFsBlobs({ dir });
    expect(await readdir(join(dir, 'unfinished'))).toEqual(['young']);
  });

  test('unfinished files are swept hourly, until the storage is closed', async () => {
    const dir = freshDir();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const blobs = await createFsBlobs({ dir });
    const leave = async (name: string) => {
      const file = join(dir, 'unfinished', name);
      await writeFile(file, 'x');
      await utimes(file, 0, 0);
    };
    const left = () => readdir(join(dir, 'unfinished'));
    for (const name of ['first', 'second']) {
      await leave(name);
      vi.advanceTimersByTime(3_599_000);
      expect(await left()).toEqual([name]);
      vi.advanceTimersByTime(1000);
      while ((await left()).length > 0);
    }
    blobs.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a folder that cannot be created is reported at once', async () => {
    const file = join(home, randomUUID());
    await writeFile(file, '');
    await expect(createFsBlobs({ dir: join(file, 'store') })).rejects.toThrow('ENOTDIR');
  });

  test('a full disk fails the put and leaves the disk as it was', async ({ skip }) => {
    const dir = freshDir();
    await mkdir(dir, { recursive: true });
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', dir]).then(
      () => true,
      () => false,
    );
    skip(isMissing('mount', mounted, 'there is no permission to mount a small disk'));
    onTestFinished(async () => void (await run('umount', [dir])));
    const blobs = await createFsBlobs({ dir });
    await blobs.put('small', Buffer.alloc(500_000, 1));
    await expect(blobs.put('large/one', Buffer.alloc(4_000_000))).rejects.toThrow('ENOSPC');
    await expect(blobs.put('small', Buffer.alloc(4_000_000))).rejects.toThrow('ENOSPC');
    expect(await readdir(join(dir, 'unfinished'))).toEqual([]);
    expect(Buffer.from(await blobs.get('small')).equals(Buffer.alloc(500_000, 1))).toBe(true);
    await blobs.check();
    await writeFile(join(dir, 'other'), Buffer.alloc(4_000_000)).catch(() => {});
    await expect(blobs.check()).rejects.toThrow('ENOSPC');
  });
});

test('STORE=fs opens the folder of STORE_DIR', async () => {
  const STORE_DIR = freshDir();
  const blobs = await openStorage({ STORE: 'fs', STORE_DIR, S3_BUCKET: 'unused' });
  await blobs.put('here', Buffer.from('x'));
  expect(await readdir(join(STORE_DIR, 'blobs'))).toEqual(['here']);
});
