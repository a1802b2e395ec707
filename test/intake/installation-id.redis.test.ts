import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  adoptInstallationId,
  checkInstallationId,
  INSTALLATION_ID_KEY,
  sharedInstallationId,
} from '../../src/intake/installation.ts';
import { createLog, type Logger } from '../../src/platform/log.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { useFolder } from '../support/use-folder.ts';
import { useRedis } from '../support/use-redis.ts';

const { redis } = await useRedis();
const dir = await useFolder();
let blobs: Blobs;
beforeEach(async () => {
  await redis.flushall();
  blobs = await createFsBlobs({ dir: await mkdtemp(join(dir, 'store-')) });
});

/** Returns the warnings of a process start. */
async function warnings(): Promise<string[]> {
  const warned: string[] = [];
  const log: Logger = createLog('test', 'silent');
  log.warn = (...words: unknown[]) => void warned.push(words.join(' '));
  await checkInstallationId(redis, blobs, log);
  return warned;
}

describe('Redis and object storage', () => {
  test('that are both new get one id, however many processes start at once', async () => {
    const warned = await Promise.all(Array.from({ length: 12 }, warnings));
    expect(warned.flat()).toEqual([]);
    const id = await sharedInstallationId(redis, blobs);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await warnings()).toEqual([]);
    expect(await sharedInstallationId(redis, blobs)).toBe(id);
  });

  test('keep the id of the first process if another was about to create one', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Blobs = {
      ...blobs,
      async head(key) {
        const head = await blobs.head(key);
        await released;
        return head;
      },
    };
    const late = checkInstallationId(redis, slow, createLog('test', 'silent'));
    await warnings();
    const id = await sharedInstallationId(redis, blobs);
    release();
    await late;
    expect(await sharedInstallationId(redis, blobs)).toBe(id);
  });

  const losses: [what: string, lose: () => Promise<unknown>][] = [
    ['Redis lost its data', () => redis.flushall()],
    ['object storage lost its data', () => blobs.delete('epoch')],
    ['Redis is from another installation', () => redis.set(INSTALLATION_ID_KEY, 'another')],
  ];
  test.each(losses)('share no id if %s, until it is adopted', async (_, lose) => {
    await warnings();
    await lose();
    expect(await sharedInstallationId(redis, blobs)).toBeUndefined();
    expect(await warnings()).toEqual([expect.stringContaining('npm run recover')]);
    expect(await sharedInstallationId(redis, blobs)).toBeUndefined();
    await adoptInstallationId(redis, blobs);
    expect(await sharedInstallationId(redis, blobs)).toBeDefined();
    expect(await warnings()).toEqual([]);
  });

  test('that never had an id share none', async () => {
    expect(await sharedInstallationId(redis, blobs)).toBeUndefined();
  });
});
