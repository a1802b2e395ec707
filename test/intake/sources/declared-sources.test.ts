import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDeclaredSources } from '../../../src/intake/sources/declared-sources.ts';
import { useFolder } from '../../support/use-folder.ts';

const home = await useFolder();

const s3 = (prefix: string, bucket = 'photos') => ({ kind: 's3', bucket, prefix });
const folder = (path: string) => ({ kind: 'folder', path });
const source = (id: string, from: object, to: object) => ({ id, client: 'acme', from, to });

async function read(content: unknown) {
  const file = join(home, 'sources.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readDeclaredSources({ SOURCES_FILE: undefined, SELVAGE_HOME: home });
}

/** Returns the errors without the path of the file. */
async function errorsOf(sources: unknown): Promise<string[]> {
  const error = await read({ sources }).then(
    () => new Error('accepted'),
    (thrown) => thrown,
  );
  const lines: string[] = error.message.split('\n').slice(1);
  return lines.map((line) => line.trim().replace(`${join(home, 'sources.json')}: `, ''));
}

test('sources are declared in a file of the operator; without one there are none', async () => {
  expect(readDeclaredSources({ SOURCES_FILE: undefined, SELVAGE_HOME: home })).toEqual([]);
  const [first] = await read({ sources: [source('shop', s3('in/'), folder('/data/out'))] });
  expect(first).toMatchObject({ id: 'shop', everySeconds: 30, to: { path: '/data/out' } });
  const missing = { SOURCES_FILE: join(home, 'none.json'), SELVAGE_HOME: home };
  expect(() => readDeclaredSources(missing)).toThrow('cannot be read');
  await expect(read('{')).rejects.toThrow('is not JSON');
});

test('every error is reported by pointer', async () => {
  expect(
    await errorsOf([
      source('Shop!', s3('in/'), s3('out/')),
      { ...source('b', s3('b/'), folder('relative')), everySeconds: 0, secret: 1 },
    ]),
  ).toEqual([
    '/sources/0/id: must be 1 to 63 of a-z, 0-9 and hyphens',
    '/sources/1/to/path: must be an absolute path',
    '/sources/1/everySeconds: Too small: expected number to be >=1',
    '/sources/1: Unrecognized key: "secret"',
  ]);
  const [one, two] = [s3('a/'), s3('b/')];
  expect(await errorsOf([source('a', one, two), source('a', s3('c/'), s3('d/'))])).toEqual([
    '/sources/1/id: "a" is the id of another source',
  ]);
});

test.each([
  ['a folder of results in that of photos', folder('/data'), folder('/data/out')],
  ['a folder of photos in that of results', folder('/data/in'), folder('/data/in/../')],
  ['the whole disk', folder('/'), folder('/data/out')],
  ['the same folder', folder('/data'), folder('/data/')],
  ['a prefix of results in that of photos', s3('in/'), s3('in/out/')],
  ['a prefix of results that starts like that of photos', s3('in'), s3('in-results/')],
  ['the whole bucket', s3(''), s3('out/')],
  ['results in the whole bucket', s3('in/'), s3('')],
])('a loop is rejected: %s', async (_, from, to) => {
  expect(await errorsOf([source('a', from, to)])).toEqual([
    '/sources/0/to: overlaps its own "from": results would be taken for photos; use a place beside it',
  ]);
});

test('so are loops through a link, through another source, and results that would mix', async () => {
  await mkdir(join(home, 'photos'));
  await symlink(join(home, 'photos'), join(home, 'link'));
  const linked = source('a', folder(join(home, 'photos')), folder(join(home, 'link', 'out')));
  expect((await errorsOf([linked]))[0]).toContain('/sources/0/to: overlaps its own "from"');
  const [first, second] = [source('a', s3('1/'), s3('2/')), source('b', s3('2/'), s3('3/'))];
  expect((await errorsOf([first, second]))[0]).toContain('/sources/0/to: overlaps "from" of');
  const mixed = [source('a', s3('1/'), s3('out/')), source('b', s3('2/'), s3('out/b/'))];
  const expected = ['/sources/1/to: overlaps "to" of /sources/0: results would replace each other'];
  expect(await errorsOf(mixed)).toEqual(expected);
  const apart = [source('a', s3('in/'), s3('out/')), source('b', s3('in/'), s3('out/', 'other'))];
  expect(await read({ sources: apart })).toHaveLength(2);
});
