import type { Redis } from 'ioredis';
import { createJobRecords } from '../../src/intake/job-records.ts';
import { createJobRetention } from '../../src/intake/job-retention.ts';
import { createLog } from '../../src/platform/log.ts';
import { settleOrphans } from '../../workers/orphans.ts';
import { sweepOrphans } from '../../workers/sweeper.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { inRedis } from './fault.ts';
import type { Store } from './stores.ts';

const PREFIX = '{selvage}';
const LATER_MILLIS = 2 * 3_600_000;

/** Sweeps for blobs and records that lost each other, as workers do every hour, as if it were later. */
export async function sweepLater({ redis, store }: Kept): Promise<void> {
  const { blobs } = store;
  const now = Date.now() + LATER_MILLIS;
  await inRedis({ redis }, async (connection) => {
    const records = createJobRecords(connection);
    const keeping = createJobRetention(records, blobs);
    const parts = { redis: connection, blobs, records, keeping, log: createLog('test', 'warn') };
    await settleOrphans(parts, now, AbortSignal.timeout(120_000));
  });
  await sweepOrphans(blobs, now);
}

/** What is looked at. */
export interface Kept {
  redis: RedisServer;
  store: Pick<Store, 'blobs'>;
}

async function keysOf({ store }: Kept): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { key } of store.blobs.list('')) keys.add(key);
  return keys;
}

/** Where the record of a holder is, by what its id begins with. */
const RECORDS: Readonly<Record<string, string>> = {
  job: 'job',
  batch: 'batch',
  run: 'batch',
  feed: 'feed-record',
};

const OF_WORK = /^(in|out|batches|feeds|sync)\//;
/** The first id in a key is its holder's. */
const HOLDER = /\b(job|batch|run|feed)_[A-Za-z0-9]+/;

/** Whether somebody still holds what lies under a key: a tombstone holds nothing. */
async function isHeld(redis: Redis, key: string): Promise<boolean> {
  const [id, kind] = HOLDER.exec(key) ?? [];
  if (!id || !kind) return false;
  const { status, erasure, ...facts } = await redis.hgetall(`${PREFIX}:${RECORDS[kind]}:${id}`);
  const isGone = status === 'expired' || erasure !== undefined;
  return !isGone && Object.keys(facts).length > 0;
}

/** Blobs of work whose holder is not there any more. */
export async function blobsWithoutRecord(kept: Kept): Promise<string[]> {
  const stray: string[] = [];
  await inRedis(kept, async (redis) => {
    for (const key of await keysOf(kept)) {
      if (OF_WORK.test(key) && !(await isHeld(redis, key))) stray.push(key);
    }
  });
  return stray;
}

/** Jobs that have succeeded, by their records, and whose cut-out is not in the store. */
export async function recordsWithoutBlob(kept: Kept): Promise<string[]> {
  const lost: string[] = [];
  const keys = await keysOf(kept);
  await inRedis(kept, async (redis) => {
    for await (const names of redis.scanStream({ match: `${PREFIX}:job:*` })) {
      for (const name of names) {
        const { status, results, outputKey = '""' } = await redis.hgetall(name);
        const isMade = status === 'succeeded' && results?.includes('"cutout"');
        if (isMade && !keys.has(JSON.parse(outputKey))) lost.push(name);
      }
    }
  });
  return lost;
}
