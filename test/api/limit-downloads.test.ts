import { expect, test } from 'vitest';
import { openBlob } from '../../src/api/common-problems.ts';
import { limitDownloads } from '../../src/api/send-blob.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { useBlobs } from '../support/use-blobs.ts';

const MAX = 8;
const blobs = await useBlobs();
for (const client of ['greedy', 'honest']) await blobs.put(`out/${client}/a`, Buffer.from('a'));

const { signal } = new AbortController();
const gone = () => new Problem('gone', 'It is gone');
const download = (limited: Blobs, client: string, name = 'a') =>
  openBlob(limited, `out/${client}/${name}`, signal, gone);

test('one client has half of the open downloads at most, until a reader ends', async () => {
  const limited = limitDownloads(blobs, MAX);
  const open = await Promise.all(
    Array.from({ length: MAX / 2 }, () => download(limited, 'greedy')),
  );
  await expect(download(limited, 'greedy')).rejects.toMatchObject({
    type: 'upstream-unavailable',
    detail: expect.stringContaining('ask for fewer'),
    headers: { 'retry-after': '1' },
  });
  const honest = await download(limited, 'honest');
  const [first, second, ...others] = open;
  expect(await first?.toArray()).toHaveLength(1);
  for (const stream of [honest, second]) stream?.destroy();
  await expect.poll(() => [first, second, honest].every((stream) => stream?.closed)).toBe(true);
  const again = [await download(limited, 'greedy'), await download(limited, 'greedy')];
  for (const stream of [...others, ...again]) stream.destroy();
});

test('a file that does not exist takes no place', async () => {
  const limited = limitDownloads(blobs, MAX);
  for (let count = 0; count < 2 * MAX; count++) {
    await expect(download(limited, 'greedy', 'none')).rejects.toMatchObject({ type: 'gone' });
  }
  (await download(limited, 'greedy')).destroy();
});
