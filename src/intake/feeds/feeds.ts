import { randomUUID } from 'node:crypto';
import type { Redis, Result } from 'ioredis';
import { z } from 'zod';
import { CutOutOptions } from '../../output/quality.ts';
import { PREFIX } from '../../platform/redis.ts';
import { OPERATIONS } from '../../queue/job-data.ts';

/** How a feed may be written; `auto` goes by its bytes. */
export const FEED_FORMATS = ['auto', 'rss', 'atom', 'tsv', 'csv', 'ndjson'] as const;

/** What of a feed does not change once it is there; kept in the store too. */
export const FeedManifest = z.object({
  id: z.string(),
  client: z.string(),
  requestId: z.string(),
  /** Where each run reads it; a feed that is sent to us comes with each run. */
  source: z.union([z.object({ url: z.string() }), z.object({ uploaded: z.literal(true) })]),
  format: z.enum(FEED_FORMATS),
  operations: z.array(z.enum(OPERATIONS)),
  options: CutOutOptions.optional(),
  /** Five fields of cron, in UTC. */
  schedule: z.string().optional(),
  /** What marketplaces are given: on this colour (`#rrggbb`), else transparent. */
  export: z.object({ background: z.string().optional() }),
  /** How long each run is kept, as of a batch; its images as long as the last one is. */
  outputSeconds: z.number(),
  inputSeconds: z.number().optional(),
  recordSeconds: z.number().optional(),
  webhook: z.object({ url: z.string() }).optional(),
  /** Whose quota the images take that have to be worked on. */
  meter: z.object({ meter: z.string(), quotaPerDay: z.number() }),
  createdAt: z.iso.datetime(),
});
export type FeedManifest = z.infer<typeof FeedManifest>;

/** The feed as it was last read to its end. */
const FeedDocument = z.object({
  /** The run that keeps it. */
  runId: z.string(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** Hex. */
  sha256: z.string(),
});
export type FeedDocument = z.infer<typeof FeedDocument>;

const FeedRecord = FeedManifest.extend({
  document: FeedDocument.optional(),
  /** The newest first; a run that is not in here is forgotten, or about to be. */
  runs: z.array(z.string()).default([]),
  lastRunId: z.string().optional(),
  lastCompletedRunId: z.string().optional(),
  /** The client's own wish; how many blobs went is told when all are gone. */
  erasure: z.object({ erasedAt: z.iso.datetime(), blobs: z.number().optional() }).optional(),
});
/** A feed as Redis knows it. */
export type FeedRecord = z.infer<typeof FeedRecord>;

export type FeedChanges = Partial<Omit<FeedRecord, keyof FeedManifest>>;

/** Ids are letters and digits: BullMQ has no colons in them, and no numbers. */
const newId = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`;
export const newFeedId = (): string => newId('feed');
export const newRunId = (): string => newId('run');

/** How to read a feed's document: as the client said, or as it shows itself. */
export const readingOf = (
  { format }: Pick<FeedManifest, 'format'>,
  { mediaType, fileName }: { mediaType?: string | undefined; fileName?: string | undefined },
) => ({
  ...(format !== 'auto' && { format }),
  ...(mediaType !== undefined && { mediaType }),
  ...(fileName !== undefined && { fileName }),
});

/** Runs that a record lists at most; those that are kept are fewer. */
const LISTED_RUNS = 20;
/** How long it is remembered that there was a feed. */
const TOMBSTONE_SECONDS = 86_400;

/** Not where the feed is erased, nor where another run is its latest. KEYS: record. ARGV: latest run
 * as JSON, '' for none, '*' for any; field, value, … */
const CHANGE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HEXISTS', KEYS[1], 'erasure') == 1 then return 0 end
local latest = redis.call('HGET', KEYS[1], 'lastRunId') or ''
if ARGV[1] ~= '*' and ARGV[1] ~= latest then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
return 1
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    selvageFeedChange(record: string, latest: string, ...fields: string[]): Result<number, Context>;
  }
}

export const feedKey = (id: string): string => `${PREFIX}:feed-record:${id}`;
const listOf = (client: string): string => `${PREFIX}:feeds-of:${client}`;

const asJson = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name, JSON.stringify(value)],
  );

/** Feeds in Redis: what they are, and which runs they had. A run itself is a batch. */
export function createFeeds(redis: Redis) {
  redis.defineCommand('selvageFeedChange', { numberOfKeys: 1, lua: CHANGE });

  async function get(id: string): Promise<FeedRecord | undefined> {
    const fields = Object.entries(await redis.hgetall(feedKey(id)));
    if (fields.length === 0) return undefined;
    return FeedRecord.parse(
      Object.fromEntries(fields.map(([name, json]) => [name, JSON.parse(json)])),
    );
  }

  return {
    get,

    async create(feed: FeedManifest): Promise<void> {
      await redis
        .multi()
        .hset(feedKey(feed.id), ...asJson({ ...feed, runs: [] }))
        .zadd(listOf(feed.client), Date.parse(feed.createdAt), feed.id)
        .exec();
    },

    /** A client's feeds, the newest first. */
    async ofClient(client: string, most: number): Promise<FeedRecord[]> {
      const ids = await redis.zrevrange(listOf(client), 0, most - 1);
      const found = await Promise.all(ids.map(get));
      return found.filter((feed) => feed !== undefined);
    },

    /** Makes a run the feed's latest; false where another was faster, or the feed is erased. */
    async claimRun({ id, lastRunId, runs }: FeedRecord, runId: string): Promise<boolean> {
      const fields = asJson({ lastRunId: runId, runs: [runId, ...runs].slice(0, LISTED_RUNS) });
      const latest = lastRunId === undefined ? '' : JSON.stringify(lastRunId);
      return (await redis.selvageFeedChange(feedKey(id), latest, ...fields)) === 1;
    },

    /** Notes something; false where the feed is erased. */
    change: async (id: string, fields: FeedChanges): Promise<boolean> =>
      (await redis.selvageFeedChange(feedKey(id), '*', ...asJson(fields))) === 1,

    /** Makes of a feed a tombstone, which nothing but this changes any more. */
    async bury({ id, client }: FeedRecord, erasure: FeedRecord['erasure']): Promise<void> {
      await redis
        .multi()
        .hset(feedKey(id), 'erasure', JSON.stringify(erasure))
        .expire(feedKey(id), TOMBSTONE_SECONDS)
        .zrem(listOf(client), id)
        .exec();
    },

    /** Forgets a feed as if it had never been. */
    async remove({ id, client }: Pick<FeedManifest, 'id' | 'client'>): Promise<void> {
      await redis.multi().del(feedKey(id)).zrem(listOf(client), id).exec();
    },
  };
}

export type Feeds = ReturnType<typeof createFeeds>;
