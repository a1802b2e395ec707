import { mkdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { FeedQuery } from '../../../../src/api/intake/feeds/request.ts';
import { storeDocument } from '../../../../src/api/intake/feeds/upload.ts';
import { StoredBytes } from '../../../../src/intake/stored-bytes.ts';
import { hostClock } from '../../../../src/platform/clock.ts';
import { createFsBlobs } from '../../../../src/storage/fs-blobs.ts';
import { listStoredFiles } from '../../../support/stored-files.ts';
import { useFolder } from '../../../support/use-folder.ts';
import { useRedis } from '../../../support/use-redis.ts';

const CALLER = {
  keyId: 'key_1',
  client: 'shop',
  rights: [],
  scopes: [],
  allowBase64: false,
  meter: 'key_1',
  quotaPerDay: 10,
  rate: { count: 60, periodSeconds: 60 },
  bytesPerDay: 1_000_000,
  weight: 1,
  maxFeeds: 1,
  feedIntervalSeconds: 900,
};

const { redis } = await useRedis();
const folder = await useFolder();
const blobs = await createFsBlobs({ dir: folder });
const storedBytes = new StoredBytes(redis, hostClock);

test('an upload that cannot be deleted again is no longer counted, and no error', async () => {
  const stream = Readable.from([Buffer.alloc(1000, 'x')]);
  const document = await storeDocument(
    { blobs, storedBytes },
    'feeds/shop/feed_1/runs/run_1/source',
    { kind: 'bytes', contentType: 'text/csv', stream, hold: () => {} },
    { caller: CALLER, query: FeedQuery.parse({}), signal: new AbortController().signal },
  );
  expect(await storedBytes.used(CALLER)).toBe(1000);
  const files = (await listStoredFiles(folder)).filter((file) => basename(file).includes('source'));
  expect(files).toHaveLength(1);
  await rm(files[0]!);
  await mkdir(files[0]!); // a folder is no file that could be deleted
  await document.discard();
  expect(await storedBytes.used(CALLER)).toBe(0);
});
