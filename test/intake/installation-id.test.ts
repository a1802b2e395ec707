import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  adoptInstallationId,
  checkInstallationId,
  INSTALLATION_ID_KEY,
  sharedInstallationId,
} from '../../src/intake/installation-id.ts';
import type { Logger } from '../../src/platform/log.ts';
import { createLog } from '../../src/platform/log.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

let server: RedisServer;
let redis: Redis;
let dir: string;
let blobs: Blobs;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  dir = await mkdtemp(join(tmpdir(), 'selvage-epoch-'));
});
beforeEach(async () => {
  await redis.flushall();
  blobs = await createFsBlobs({ dir: await mkdtemp(join(dir, 'store-')) });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(dir, { recursive: true, force: true });
});

/** What a start warns of. */
async function warnings(): Promise<string[]> {
  const said: string[] = [];
  const log: Logger = createLog('test', 'silent');
  log.warn = (...words: unknown[]) => void said.push(words.join(' '));
  await checkInstallationId(redis, blobs, log);
  return said;
}

describe('Redis and a store', () => {
  test('that are both new are marked, however many processes start at once', async () => {
    const said = await Promise.all(Array.from({ length: 12 }, warnings));
    expect(said.flat()).toEqual([]);
    const epoch = await sharedInstallationId(redis, blobs);
    expect(epoch).toMatch(/^[0-9a-f-]{36}$/);
    expect(await warnings()).toEqual([]);
    expect(await sharedInstallationId(redis, blobs)).toBe(epoch);
  });

  test('keep the mark of the first where another was about to make one', async () => {
    let goOn = () => {};
    const first = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow: Blobs = {
      ...blobs,
      async head(key) {
        const seen = await blobs.head(key);
        await first;
        return seen;
      },
    };
    const late = checkInstallationId(redis, slow, createLog('test', 'silent'));
    await warnings();
    const epoch = await sharedInstallationId(redis, blobs);
    goOn();
    await late;
    expect(await sharedInstallationId(redis, blobs)).toBe(epoch);
  });

  const losses: [what: string, lose: () => Promise<unknown>][] = [
    ['Redis lost its data', () => redis.flushall()],
    ['the store lost its data', () => blobs.delete('epoch')],
    ['Redis is of another installation', () => redis.set(INSTALLATION_ID_KEY, 'another')],
  ];
  test.each(losses)('have nothing in common where %s, until they are joined', async (_, lose) => {
    await warnings();
    await lose();
    expect(await sharedInstallationId(redis, blobs)).toBeUndefined();
    expect(await warnings()).toEqual([expect.stringContaining('npm run recover')]);
    expect(await sharedInstallationId(redis, blobs)).toBeUndefined();
    await adoptInstallationId(redis, blobs);
    expect(await sharedInstallationId(redis, blobs)).toBeDefined();
    expect(await warnings()).toEqual([]);
  });

  test('that were never marked have nothing in common', async () => {
    expect(await sharedInstallationId(redis, blobs)).toBeUndefined();
  });
});
