import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../src/platform/log.ts';
import { OWNED_PREFIXES } from '../src/storage/blob-keys.ts';
import { type BlobEntry, type Blobs, ifPresent } from '../src/storage/blobs.ts';

const HOUR_MILLIS = 3_600_000;
/** Each hour one of these parts is read, so every blob once a week. */
const PARTS = 168;
/** How fast blobs are read, so that it disturbs nobody; 28 GB an hour. */
const BYTES_PER_SECOND = 8 * 1024 * 1024;

interface Scrubbed {
  blobs: Blobs;
  log: Logger;
  /** Called for each damaged blob. */
  onDamaged(): void;
}

/** Needs no cursor: which part a blob is in depends on its key alone. */
const partOf = (key: string): number =>
  createHash('sha256').update(key).digest().readUInt32BE() % PARTS;

async function sha256Of(blobs: Blobs, key: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await blobs.open(key, signal)) hash.update(chunk);
  return hash.digest('hex');
}

/** Returns whether a blob that says its digest has another. One without a digest cannot be checked. */
async function isDamaged(
  blobs: Blobs,
  { key, bytes }: BlobEntry,
  signal: AbortSignal,
): Promise<boolean> {
  const head = await blobs.head(key, signal);
  // Listed without bytes and not there: a file that was cut short. Otherwise it was deleted just now.
  if (!head) return bytes === 0;
  const { sha256 } = head.meta;
  if (sha256 === undefined) return false;
  const digest = await ifPresent(sha256Of(blobs, key, signal));
  return digest !== undefined && digest !== sha256;
}

/**
 * Reads the part of all results that is due in this hour, slowly, and names those whose bytes are not those that were
 * written. Deletes nothing. Returns how many are damaged.
 */
export async function scrubBlobs(
  { blobs, log, onDamaged }: Scrubbed,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  const part = Math.floor(nowMillis / HOUR_MILLIS) % PARTS;
  let damaged = 0;
  for (const prefix of OWNED_PREFIXES) {
    for await (const entry of blobs.list(prefix, signal)) {
      if (partOf(entry.key) !== part) continue;
      if (await isDamaged(blobs, entry, signal)) {
        damaged++;
        onDamaged();
        log.error({ key: entry.key }, 'a stored file is damaged');
      }
      await sleep((entry.bytes / BYTES_PER_SECOND) * 1000, undefined, { signal });
    }
  }
  return damaged;
}
