import { afterAll, expect, test } from 'vitest';
import { entriesOf } from '../storage/blobs.contract.ts';
import { isMissing } from '../support/requirement.ts';
import { useFolder } from '../support/use-folder.ts';
import { makeStore } from './stores.ts';

const home = await useFolder();
const { blobs, disk, close } = await makeStore('fs', home);
afterAll(close);

const withoutDisk = isMissing(
  'mount',
  disk !== undefined,
  'there is no permission to mount a disk',
);

const image = Buffer.alloc(100_000, 'x');

const BROKEN = [
  { what: 'full', code: 'ENOSPC', begin: 'fill', end: 'free' },
  { what: 'locked', code: 'EROFS', begin: 'lock', end: 'unlock' },
] as const;

test.skipIf(withoutDisk).each(BROKEN)(
  'a disk that is $what rejects writes and serves reads',
  async (row) => {
    await blobs.put('in/before', image);
    await disk?.[row.begin]();
    await expect(blobs.put(`in/${row.what}`, image)).rejects.toMatchObject({ code: row.code });
    expect(await blobs.get('in/before')).toHaveLength(image.length);
    await disk?.[row.end]();
    expect((await entriesOf(blobs, 'in/')).map(({ key }) => key)).toEqual(['in/before']);
    await blobs.put(`in/${row.what}`, image);
    await blobs.delete(`in/${row.what}`);
  },
);
