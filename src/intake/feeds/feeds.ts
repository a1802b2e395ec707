import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Problem } from '../../platform/problem.ts';
import { PREFIX } from '../../platform/redis.ts';
import { defineScripts } from '../../platform/redis-script.ts';
import { StoredAccess } from '../../queue/job-data.ts';
import { parseHashFields, toHashFields } from '../record-fields.ts';
import { Accepted, Erasure, ExportPolicy } from '../retention.ts';
import { seal, unseal } from '../seal.ts';
import { FeedReading } from './plan.ts';

const Headers = z.record(z.string(), z.string());
type Headers = z.infer<typeof Headers>;

export interface AccessRequest {
  username?: string | undefined;
  password?: string | undefined;
  headers?: Headers | undefined;
  origin?: string | undefined;
  userAgent?: string | undefined;
  referer?: string | undefined;
}

/** What is sent with the request for a link. */
interface LinkAccess {
  /** Secrets: not sent to another origin. */
  headers?: Headers;
  userAgent?: string | undefined;
  referer?: string | undefined;
}

const ownerOf = (client: string): string => `feed-access:${client}`;

/** Encrypts what protected feeds are read with, and reads it for the links that may have it. */
export class FeedAccess {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** @param url of the feed; its origin gets the secrets unless another is named */
  async store(client: string, request: AccessRequest, url?: string): Promise<StoredAccess> {
    const { username, password = '', headers: own = {}, userAgent, referer } = request;
    const link = request.origin ?? url;
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const headers = { ...own, ...(username !== undefined && { authorization: `Basic ${basic}` }) };
    const names = Object.keys(headers);
    if (names.length > 0 && link === undefined) {
      const detail = 'Name the origin that gets the password or the headers: https://shop.example';
      throw new Problem('invalid-request', detail, {
        errors: [{ pointer: '/access/origin', detail: 'is required: the feed has no URL' }],
      });
    }
    const sealed =
      names.length > 0 && (await seal(this.#redis, ownerOf(client), JSON.stringify(headers)));
    return {
      origin: link === undefined ? '' : new URL(link).origin,
      headers: names,
      ...(sealed && { sealed }),
      ...(userAgent !== undefined && { userAgent }),
      ...(referer !== undefined && { referer }),
    };
  }

  /** @throws Problem if the secrets cannot be read any more */
  async forLink(
    client: string,
    access: StoredAccess | undefined,
    url: string,
  ): Promise<LinkAccess> {
    if (!access) return {};
    const { sealed, userAgent, referer } = access;
    const open = { userAgent, referer };
    if (sealed === undefined || new URL(url).origin !== access.origin) return open;
    const text = await unseal(this.#redis, ownerOf(client), sealed);
    if (text !== undefined) return { ...open, headers: Headers.parse(JSON.parse(text)) };
    const detail = 'The password of the feed can no longer be read; set its access again';
    throw new Problem('invalid-request', detail);
  }
}

/** Where each run reads a feed; an uploaded one comes with each run, its name with the first. */
export const FeedSource = z.union([
  z.object({ url: z.string() }),
  z.object({ uploaded: z.literal(true), fileName: z.string().optional() }),
]);

/**
 * The part of a feed that is also in object storage, first. `meter` may change in the record alone. Retention is that of
 * each run; images are retained with the last run.
 */
export const FeedManifest = Accepted.extend({
  ...FeedReading.shape,
  source: FeedSource,
  access: StoredAccess.optional(),
  exportPolicy: ExportPolicy,
  /** Five fields of cron, in UTC. */
  schedule: z.string().optional(),
  /** Background of pictures for marketplaces, `#rrggbb`; transparent without it. */
  export: z.object({ background: z.string().optional() }),
  /**
   * Whose quota the images use that have to be processed: that of the key that created the feed, or of
   * the one that took it over.
   */
  meter: z.object({ meter: z.string(), quotaPerDay: z.number() }),
});
export type FeedManifest = z.infer<typeof FeedManifest>;

/** The feed document that was last read to its end. */
const FeedDocument = z.object({
  /** The run that has it. */
  runId: z.string(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** Hex. */
  sha256: z.string(),
});
export type FeedDocument = z.infer<typeof FeedDocument>;

export const FeedRecord = FeedManifest.extend({
  document: FeedDocument.optional(),
  /** The newest first; a run that is not listed is removed, or about to be. */
  runs: z.array(z.string()).default([]),
  lastRunId: z.string().optional(),
  lastCompletedRunId: z.string().optional(),
  /** When the schedule was due at which the latest scheduled run started, epoch milliseconds. */
  lastDueAtMillis: z.number().optional(),
  /** Since when no live key has the feed's meter: scheduled runs do not start. */
  schedulePausedAt: z.iso.datetime().nullable().optional(),
  /** `blobs` is set when all are deleted. */
  erasure: Erasure.partial({ blobs: true }).optional(),
});
export type FeedRecord = z.infer<typeof FeedRecord>;

const EDITABLE = ['format', 'mapping', 'access', 'options', 'schedule', 'webhook'] as const;
/** What a client may change of its feed. */
type Editable = Pick<FeedManifest, (typeof EDITABLE)[number]>;

type FeedChanges = Partial<Omit<FeedRecord, Exclude<keyof FeedManifest, 'meter'>>>;

/** Ids are letters and digits: BullMQ has no colons in them, and no numbers. */
const newId = (kind: string, ref = randomUUID().replaceAll('-', '')): string => `${kind}_${ref}`;
/** @param ref of an idempotent request */
export const newFeedId = (ref?: string): string => newId('feed', ref);
export const newRunId = (ref?: string): string => newId('run', ref);

/** Options for parsing a feed document: the format that the client chose, or hints to detect it. */
export const toParseOptions = (
  { format, mapping }: FeedReading,
  { mediaType, fileName }: { mediaType?: string | undefined; fileName?: string | undefined },
) => ({
  ...(format !== 'auto' && { format }),
  ...(mapping && { mapping }),
  ...(mediaType !== undefined && { mediaType }),
  ...(fileName !== undefined && { fileName }),
});

/** Runs that a record lists at most; fewer are retained. */
const MAX_LISTED_RUNS = 20;
/** How long the record of an erased feed lasts. */
const TOMBSTONE_SECONDS = 86_400;

/**
 * No effect if the client has its maximum of feeds.
 * KEYS: record, index of the client's feeds. ARGV: maximum, time of creation, id, field, value, …
 */
const CREATE = `
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])
return 1
`;

/**
 * No effect if the feed is erased, or if another run is its latest.
 * KEYS: record. ARGV: latest run as JSON, '' for none, '*' for any; field, value or '' to remove it, …
 */
const UPDATE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HEXISTS', KEYS[1], 'erasure') == 1 then return 0 end
local latest = redis.call('HGET', KEYS[1], 'lastRunId') or ''
if ARGV[1] ~= '*' and ARGV[1] ~= latest then return 0 end
for i = 2, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[i])
  else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return 1
`;

const ANY_RUN = '*';

export const feedKey = (id: string): string => `${PREFIX}:feed-record:${id}`;
const indexKey = (client: string): string => `${PREFIX}:feeds-of:${client}`;

/** Feed records in Redis. A run of a feed is a batch. */
export class Feeds {
  readonly access: FeedAccess;
  readonly #redis: Redis;
  readonly #scripts;

  constructor(redis: Redis) {
    this.access = new FeedAccess(redis);
    this.#redis = redis;
    this.#scripts = defineScripts(redis, 'Feed', { create: CREATE, update: UPDATE });
  }

  async get(id: string): Promise<FeedRecord | undefined> {
    const fields = await this.#redis.hgetall(feedKey(id));
    if (Object.keys(fields).length === 0) return undefined;
    return FeedRecord.parse(parseHashFields(fields));
  }

  /** Creates a feed; returns false if its client has `maxFeeds` already. */
  async create(feed: FeedManifest, maxFeeds: number): Promise<boolean> {
    const reply = await this.#scripts.create(
      [feedKey(feed.id), indexKey(feed.client)],
      [maxFeeds, Date.parse(feed.createdAt), feed.id, ...toHashFields({ ...feed, runs: [] })],
    );
    return reply === 1;
  }

  async list(client: string, limit: number): Promise<FeedRecord[]> {
    const ids = await this.#redis.zrevrange(indexKey(client), 0, limit - 1);
    const found = await Promise.all(ids.map((id) => this.get(id)));
    return found.filter((feed) => feed !== undefined);
  }

  /** Makes a run the feed's latest; returns false if another was faster, or if the feed is erased. */
  claimRun({ id, lastRunId, runs }: FeedRecord, runId: string): Promise<boolean> {
    const latest = lastRunId === undefined ? '' : JSON.stringify(lastRunId);
    const fields = { lastRunId: runId, runs: [runId, ...runs].slice(0, MAX_LISTED_RUNS) };
    return this.#update(id, latest, toHashFields(fields));
  }

  /** Updates fields; returns false if the feed is erased. */
  update(id: string, fields: FeedChanges): Promise<boolean> {
    return this.#update(id, ANY_RUN, toHashFields(fields));
  }

  /** Replaces all that a client may change; returns false if the feed is erased. */
  edit(feed: Pick<FeedManifest, 'id'> & Editable): Promise<boolean> {
    const fields = EDITABLE.flatMap((name) =>
      feed[name] === undefined ? [name, ''] : toHashFields({ [name]: feed[name] }),
    );
    return this.#update(feed.id, ANY_RUN, fields);
  }

  /** Turns a record into a tombstone, which only this function updates. */
  async markErased({ id, client }: FeedRecord, erasure: FeedRecord['erasure']): Promise<void> {
    await this.#redis
      .multi()
      .hset(feedKey(id), 'erasure', JSON.stringify(erasure))
      .expire(feedKey(id), TOMBSTONE_SECONDS)
      .zrem(indexKey(client), id)
      .exec();
  }

  /** Removes a record without a tombstone. */
  async remove({ id, client }: Pick<FeedManifest, 'id' | 'client'>): Promise<void> {
    await this.#redis.multi().del(feedKey(id)).zrem(indexKey(client), id).exec();
  }

  async #update(id: string, latestRun: string, fields: readonly string[]): Promise<boolean> {
    return (await this.#scripts.update([feedKey(id)], [latestRun, ...fields])) === 1;
  }
}
