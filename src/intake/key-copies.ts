import type { Redis } from 'ioredis';
import { z } from 'zod';
import { KEYS, KeyRecord, meterKey } from '../auth/key-record.ts';
import type { KeyCopy } from '../auth/keys.ts';
import { defineSwap } from '../platform/redis-script.ts';
import { KEYS_PREFIX, keyCopyKey } from '../storage/blob-keys.ts';
import type { Blobs } from '../storage/blobs.ts';
import { putJson } from './batches/batch-files.ts';

const Copy = z.object({ hash: z.string(), record: KeyRecord });

const earlier = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;

/**
 * Restores from its copy a key that Redis has lost, and the end of one whose revocation or rotation it has lost: of two
 * ends the earlier one holds, and a revoked key stays revoked. Returns whether there was something to restore.
 * @throws ZodError if the copy is none
 */
export async function restoreKey(redis: Redis, copy: unknown): Promise<boolean> {
  const { hash, record } = Copy.parse(copy);
  const swap = defineSwap(redis);
  for (;;) {
    const known = await redis.hget(KEYS, hash);
    const old = known === null ? record : KeyRecord.parse(JSON.parse(known));
    const expiresAt = earlier(old.expiresAt, record.expiresAt);
    const revokedAt = earlier(old.revokedAt, record.revokedAt);
    if (known !== null && expiresAt === old.expiresAt && revokedAt === old.revokedAt) return false;
    const restored = KeyRecord.parse({ ...old, expiresAt, revokedAt });
    await redis.sadd(meterKey(restored.meter), hash);
    if (await swap(KEYS, hash, known, JSON.stringify(restored))) return true;
  }
}

async function* keyCopies(redis: Redis): AsyncGenerator<KeyCopy> {
  for (const [hash, json] of Object.entries(await redis.hgetall(KEYS)))
    yield { hash, record: KeyRecord.parse(JSON.parse(json)) };
}

/** Copies keys that have no copy in object storage, as those of earlier releases. */
export async function copyKeys(redis: Redis, blobs: Blobs, signal: AbortSignal): Promise<void> {
  const copied = new Set<string>();
  for await (const { key } of blobs.list(KEYS_PREFIX, signal)) copied.add(key);
  for await (const copy of keyCopies(redis)) {
    const key = keyCopyKey(copy.hash);
    if (!copied.has(key)) await putJson(blobs, key, copy);
  }
}
