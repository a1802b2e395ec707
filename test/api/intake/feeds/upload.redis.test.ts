import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { FeedQuery } from '../../../../src/api/intake/feeds/request.ts';
import { storeDocument } from '../../../../src/api/intake/feeds/upload.ts';
import { createStoredBytes } from '../../../../src/intake/stored-bytes.ts';
import { hostClock } from '../../../../src/platform/clock.ts';
import { createLog } from '../../../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../../../src/platform/redis.ts';
import { createFsBlobs } from '../../../../src/storage/fs-blobs.ts';
import { startRedis } from '../../../support/redis-server.ts';
import { listStoredFiles } from '../../../support/stored-files.ts';

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

async function startServices() {
  const redisServer = await startRedis();
  const redis = commandConnection(redisServer.url, createLog('test', 'silent'));
  await untilReady(redis, AbortSignal.timeout(5000));
  const folder = await mkdtemp(join(tmpdir(), 'selvage-uploads-'));
  onTestFinished(async () => {
    redis.disconnect();
    await Promise.all([redisServer.stop(), rm(folder, { recursive: true })]);
  });
  const blobs = await createFsBlobs({ dir: folder });
  return { folder, blobs, storedBytes: createStoredBytes(redis, hostClock) };
}

/** Returns the path of the only file whose name has a word. */
async function findFile(folder: string, word: string): Promise<string> {
  const files = (await listStoredFiles(folder)).filter((file) => basename(file).includes(word));
  expect(files).toHaveLength(1);
  return files[0]!;
}

test('an upload that cannot be deleted again is no longer counted, and no error', async () => {
  const { folder, ...deps } = await startServices();
  const body = Readable.from([Buffer.alloc(1000, 'x')]);
  const document = await storeDocument(
    deps,
    'feeds/shop/feed_1/runs/run_1/source',
    {
      kind: 'bytes',
      mediaType: 'text/csv',
      charset: undefined,
      stream: body,
      hold: () => {},
    },
    { caller: CALLER, query: FeedQuery.parse({}), signal: new AbortController().signal },
  );
  expect(await deps.storedBytes.used(CALLER)).toBe(1000);
  const path = await findFile(folder, 'source');
  await rm(path);
  await mkdir(path); // a folder is no file that could be deleted
  await document.discard();
  expect(await deps.storedBytes.used(CALLER)).toBe(0);
});
