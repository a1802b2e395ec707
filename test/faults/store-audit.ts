import type { Redis } from 'ioredis';
import { createLog } from '../../src/platform/log.ts';
import { reconcileOrphans } from '../../workers/orphans.ts';
import { sweepOrphans } from '../../workers/sweeper.ts';
import { servicesOn } from '../support/recovery.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { inRedis } from './fault.ts';
import type { Store } from './stores.ts';

const PREFIX = '{selvage}';
const LATER_MILLIS = 2 * 3_600_000;

/** Runs the workers' hourly sweep of orphan blobs and records, with a later time. */
export async function sweepLater({ redis, store }: AuditSources): Promise<void> {
  const { blobs } = store;
  const now = Date.now() + LATER_MILLIS;
  await inRedis({ redis }, async (connection) => {
    const recover = servicesOn(connection, blobs, createLog('test', 'warn'));
    await reconcileOrphans(recover, now, AbortSignal.timeout(120_000));
    await recover.close();
  });
  await sweepOrphans(blobs, now);
}

/** Where the audit reads from. */
export interface AuditSources {
  redis: RedisServer;
  store: Pick<Store, 'blobs'>;
}

async function keysOf({ store }: AuditSources): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { key } of store.blobs.list('')) keys.add(key);
  return keys;
}

/** The kind of record of an owner, by the prefix of its id. */
const RECORDS: Readonly<Record<string, string>> = {
  job: 'job',
  batch: 'batch',
  run: 'batch',
  feed: 'feed-record',
};

const OF_WORK = /^(in|out|batches|feeds|sync)\//;
/** The first id in a key is its owner's. */
const OWNER = /\b(job|batch|run|feed)_[A-Za-z0-9]+/;

/** Returns whether a blob has an owner: a tombstone owns nothing. */
async function hasOwner(redis: Redis, key: string): Promise<boolean> {
  const [id, kind] = OWNER.exec(key) ?? [];
  if (!id || !kind) return false;
  const { status, erasure, ...facts } = await redis.hgetall(`${PREFIX}:${RECORDS[kind]}:${id}`);
  const isGone = status === 'expired' || erasure !== undefined;
  return !isGone && Object.keys(facts).length > 0;
}

/** Returns the blobs of work without an owner. */
export async function blobsWithoutRecord(sources: AuditSources): Promise<string[]> {
  const orphans: string[] = [];
  await inRedis(sources, async (redis) => {
    for (const key of await keysOf(sources)) {
      if (OF_WORK.test(key) && !(await hasOwner(redis, key))) orphans.push(key);
    }
  });
  return orphans;
}

/** Returns the jobs whose records say succeeded but whose cut-out is not in storage. */
export async function recordsWithoutBlob(sources: AuditSources): Promise<string[]> {
  const lost: string[] = [];
  const keys = await keysOf(sources);
  await inRedis(sources, async (redis) => {
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
