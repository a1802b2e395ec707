import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LocationUnavailable } from '../../../src/storage/locations/location.ts';
import { openSources } from '../../../workers/sources/source-objects.ts';
import { useFolder } from '../../support/use-folder.ts';

const { signal } = new AbortController();
const root = await useFolder();
const place = (name: string) => ({ kind: 'folder' as const, path: join(root, name) });
const [from, to] = [place('photos'), place('results')];
for (const { path } of [from, to]) await mkdir(path);
const sources = openSources([{ id: 'shop', client: 'acme', from, to, everySeconds: 60 }]);
afterAll(() => sources.close());

/** A photo that has lain there for a while, as it is listed. */
async function photo(name: string) {
  const path = join(root, 'photos', name);
  await writeFile(path, `bytes of ${name}`);
  await utimes(path, 1_000_000_000, 1_000_000_000);
  const listed = await sources.places.get('shop')?.from.head(name, signal);
  return { source: 'shop', name, version: listed?.version ?? '', bytes: listed?.bytes ?? 0 };
}

test('reads the version that was listed, and writes its result beside others', async () => {
  const object = await photo('shirt.jpg');
  expect(Buffer.from(await sources.objects.read(object, signal)).toString()).toBe(
    'bytes of shirt.jpg',
  );
  await sources.objects.deliver(object, Buffer.from('cut out'), 'image/png', signal);
  expect(await readFile(join(root, 'results/shirt.jpg.png'), 'utf8')).toBe('cut out');
});

test('an object that was replaced or deleted since is gone', async () => {
  const object = await photo('hat.jpg');
  await writeFile(join(root, 'photos/hat.jpg'), 'another hat');
  await expect(sources.objects.read(object, signal)).rejects.toMatchObject({ type: 'gone' });
  await rm(join(root, 'photos/hat.jpg'));
  await expect(sources.objects.read(object, signal)).rejects.toMatchObject({ type: 'gone' });
});

test('an object of a source that is not declared any more waits', async () => {
  const object = { ...(await photo('tie.jpg')), source: 'closed-shop' };
  await expect(sources.objects.read(object, signal)).rejects.toThrow(LocationUnavailable);
});
