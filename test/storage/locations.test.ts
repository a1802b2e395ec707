import { chmod, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { folderLocation } from '../../src/storage/locations/folder-location.ts';
import {
  type Location,
  LocationUnavailable,
  ObjectGone,
} from '../../src/storage/locations/location.ts';
import { s3Location } from '../../src/storage/locations/s3-location.ts';
import { startBucketServer } from '../support/bucket-server.ts';
import { useFolder } from '../support/use-folder.ts';
import { listAll, locationContract } from './locations.contract.ts';

const { signal } = new AbortController();

const root = await useFolder();
const server = await startBucketServer('photos');
afterAll(() => server.close());

/** Writes a file that was changed a while ago. */
async function putFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await utimes(path, 1_000_000_000, 1_000_000_000 + content.length);
}

const bucket = (prefix = '', endpoint = server.endpoint): Location =>
  s3Location({
    bucket: 'photos',
    prefix,
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });

locationContract('a folder', async () => {
  const path = join(root, 'same');
  const put = (name: string, content: string) => putFile(join(path, name), content);
  return { location: folderLocation(path), put, remove: (name) => rm(join(path, name)) };
});

locationContract('a bucket', async () => {
  const put = async (name: string, content: string) =>
    server.put('photos', `same/${name}`, Buffer.from(content));
  const remove = async (name: string) => server.delete('photos', `same/${name}`);
  return { location: bucket('same/'), put, remove };
});

test('a bucket lists all of its pages, and results are marked', async () => {
  for (let i = 0; i < 2500; i++) server.put('photos', `many/${i}`, Buffer.from('x'));
  const location = bucket('many/');
  expect(await listAll(location)).toHaveLength(2500);
  await location.write('made/result.png', Buffer.from('cut'), 'image/png', signal);
  const made = await location.head('made/result.png', signal);
  if (!made) throw new Error('nothing written');
  expect((await location.read(made, signal)).isResult).toBe(true);
});

describe('a bucket that fails', () => {
  test.each([
    [403, 'AccessDenied', 'the bucket answers 403 AccessDenied'],
    [404, 'NoSuchBucket', 'the bucket answers 404 NoSuchBucket'],
  ])('%i %s', async (status, code, reason) => {
    server.spoil(() => ({ status, code }));
    const location = bucket('same/');
    const object = { name: 'a.jpg', version: '"1"', bytes: 1 };
    await expect(listAll(location)).rejects.toThrow(new LocationUnavailable(reason));
    await expect(location.read(object, signal)).rejects.toThrow(LocationUnavailable);
    const written = location.write('a.png', Buffer.from('x'), 'image/png', signal);
    await expect(written).rejects.toThrow(LocationUnavailable);
    server.spoil(() => undefined);
  });

  test('a server that is away is not named', async () => {
    await expect(listAll(bucket('', 'http://127.0.0.1:9'))).rejects.toThrow(
      new LocationUnavailable('the bucket does not respond (ECONNREFUSED)'),
    );
  });
});

describe('a folder', () => {
  test('leaves out links, hidden files, new files and folders of results', async () => {
    const path = join(root, 'listed');
    await putFile(join(path, 'a.jpg'), 'x');
    await putFile(join(path, '.hidden.jpg'), 'x');
    await putFile(join(path, '.git/a.jpg'), 'x');
    await putFile(join(root, 'outside/secret.jpg'), 'secret');
    await symlink(join(root, 'outside'), join(path, 'linked'));
    await symlink(join(root, 'outside/secret.jpg'), join(path, 'link.jpg'));
    await writeFile(join(path, 'new.jpg'), 'still written');
    await folderLocation(join(path)).write('x/y.png', Buffer.from('x'), 'image/png', signal);
    expect(await listAll(folderLocation(path))).toEqual([]); // results are written here
    await rm(join(path, '.selvage-results'));
    expect((await listAll(folderLocation(path))).map(({ name }) => name)).toEqual(['a.jpg']);
  });

  test('is read and written through no link', async () => {
    const path = join(root, 'linked');
    await putFile(join(path, 'sub/a.jpg'), 'inside');
    await putFile(join(root, 'elsewhere/a.jpg'), 'secret');
    const location = folderLocation(path);
    const object = await location.head('sub/a.jpg', signal);
    if (!object) throw new Error('nothing found');
    // Its folder is replaced by a link between the listing and the reading.
    await rm(join(path, 'sub'), { recursive: true });
    await symlink(join(root, 'elsewhere'), join(path, 'sub'));
    await expect(location.read(object, signal)).rejects.toThrow(ObjectGone);
    const written = location.write('sub/new/b.png', Buffer.from('x'), 'image/png', signal);
    await expect(written).rejects.toThrow(LocationUnavailable);
    expect(await readdir(join(root, 'elsewhere'))).toEqual(['a.jpg']);
  });

  /** Runs work without the rights of root, which may read everything. */
  async function withoutRights<T>(work: () => Promise<T>): Promise<T> {
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      return await work();
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  }

  test('names what in it cannot be read, and lists the rest', async () => {
    const path = join(root, 'rights');
    for (const name of ['a.jpg', 'closed/b.jpg', 'names/c.jpg', 'z.jpg']) {
      await putFile(join(path, name), name);
    }
    await chmod(root, 0o755);
    await chmod(join(path, 'a.jpg'), 0o000);
    await chmod(join(path, 'closed'), 0o000);
    await chmod(join(path, 'names'), 0o644);
    const location = folderLocation(path);
    await withoutRights(async () => {
      const listed = await listAll(location);
      expect(new Map(listed.map(({ name, unreadable }) => [name, unreadable]))).toEqual(
        new Map([
          ['a.jpg', undefined],
          ['z.jpg', undefined],
          ['closed/', 'the folder cannot be used (EACCES, no rights)'],
          ['names/', 'the folder cannot be used (EACCES, no rights)'],
        ]),
      );
      const denied = listed.find(({ name }) => name === 'a.jpg')!;
      await expect(location.read(denied, signal)).rejects.toThrow(
        'the file cannot be read (EACCES, no rights)',
      );
    });
    for (const name of ['a.jpg', 'closed', 'names']) await chmod(join(path, name), 0o755);
  });

  test('has no result where a folder has its name, and says so', async () => {
    const location = folderLocation(join(root, 'taken'));
    await putFile(join(root, 'taken/x.png/y.png'), 'a result');
    await expect(location.write('x.png', Buffer.from('x'), 'image/png', signal)).rejects.toThrow(
      'the result cannot be written (EISDIR, a folder has this name)',
    );
  });

  test('that is missing is unavailable, and is not created', async () => {
    const location = folderLocation(join(root, 'missing'));
    const object = { name: 'a.jpg', version: '1', bytes: 1 };
    await expect(listAll(location)).rejects.toThrow('the folder cannot be used (ENOENT)');
    await expect(location.read(object, signal)).rejects.toThrow(LocationUnavailable);
    const written = location.write('a.png', Buffer.from('x'), 'image/png', signal);
    await expect(written).rejects.toThrow(LocationUnavailable);
    expect(await readdir(root)).not.toContain('missing');
  });

  test('has whole results only: parts of dead processes are removed', async () => {
    const path = join(root, 'results');
    await putFile(join(path, '.selvage-parts/dead'), 'half of');
    const location = folderLocation(path);
    await location.write('a/b.png', Buffer.from('one'), 'image/png', signal);
    await location.write('a/b.png', Buffer.from('two'), 'image/png', signal);
    expect(await readFile(join(path, 'a/b.png'), 'utf8')).toBe('two');
    expect(await readdir(join(path, '.selvage-parts'))).toEqual([]);
    expect((await listAll(location, 'a/')).map(({ name }) => name)).toEqual(['a/b.png']);
  });
});
