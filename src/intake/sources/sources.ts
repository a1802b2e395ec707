import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { findLiveByMeter, type KeyRecord } from '../../auth/key-record.ts';
import { CutOutOptions } from '../../output/options.ts';
import type { Clock } from '../../platform/clock.ts';
import { PREFIX } from '../../platform/redis.ts';
import { defineScript, defineScripts } from '../../platform/redis-script.ts';
import type { SourceObject } from '../../queue/job-data.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Batches } from '../batches/batches.ts';
import { Lease } from '../leases.ts';
import { copySetting, type SettingsKind } from '../named-settings.ts';
import { parseHashFields, toHashFields } from '../record-fields.ts';
import { SourceFailures } from './failures.ts';

/** What a client has set: without it, nothing is imported. */
const SourceSettings = z.object({
  options: CutOutOptions.optional(),
  paused: z.boolean(),
  /** Whose quota the rows use: that of the key that has set this. */
  meter: z.string(),
  /** How long the results of a batch are retained whose manifest cannot be written. */
  outputSeconds: z.number(),
  requestId: z.string(),
  changedAt: z.iso.datetime(),
});
export type SourceSettings = z.infer<typeof SourceSettings>;

/** The key that pays for the rows of a source. */
export type Payer = Pick<KeyRecord, 'meter' | 'quotaPerDay' | 'weight'>;

const SourceProblem = z.object({
  type: z.enum(['upstream-unavailable', 'quota-exceeded', 'unauthorized']),
  detail: z.string(),
  since: z.iso.datetime(),
});
export type SourceProblem = z.infer<typeof SourceProblem>;

/** Objects whose batch has ended, by outcome. */
const SOURCE_COUNTS = ['succeeded', 'failed', 'rejected'] as const;
export type SourceCounts = Record<(typeof SOURCE_COUNTS)[number], number>;

const JsonFields = z.object({
  settings: SourceSettings.optional(),
  /** The batch with its rows, until its manifest is written. */
  batch: z.string().optional(),
  /** Whether the objects of earlier manifests are known. */
  isFilled: z.boolean().default(false),
  /** When all objects had been listed for the last time, epoch milliseconds. */
  listedAtMillis: z.number().default(0),
  /** Why nothing is imported now. */
  problem: SourceProblem.nullable().default(null),
  /** Consecutive failures; the next attempt is at `retryAtMillis`. */
  failures: z.number().default(0),
  retryAtMillis: z.number().default(0),
  /** A listing that a client or an event has requested, and that has not begun. */
  isScanRequested: z.boolean().default(false),
  /** The last handshake of SNS. */
  subscription: z
    .object({ topicArn: z.string(), token: z.string(), receivedAt: z.iso.datetime() })
    .optional(),
  /** What the last whole listing has named without being able to read it: the first of them. */
  unlisted: z.array(z.object({ name: z.string(), reason: z.string() })).default([]),
});

export interface SourceRecord extends z.infer<typeof JsonFields> {
  counts: SourceCounts;
}
type SourceChanges = Partial<Omit<z.infer<typeof JsonFields>, 'settings'>>;

/** Names in events that have not been looked up. Beyond, everything is listed instead. */
const MAX_HINTS = 10_000;
/** Names that are added at once. */
const MAX_NEW_HINTS = 1000;

const sourceKeys = (id: string) => {
  const record = `${PREFIX}:source:${id}`;
  return {
    record,
    lease: `${record}:lease`,
    /** Hash: the version of each object that was taken, by a hash of its name. */
    taken: `${record}:taken`,
    /** Hash: whose result a name is, both hashed. */
    outputs: `${record}:outputs`,
    /** Set: names in events. */
    hints: `${record}:hints`,
  };
};

/** What clients have set, with its copy in object storage. */
export const SOURCE_SETTINGS: SettingsKind<SourceSettings> = {
  kind: 'sources',
  schema: SourceSettings,
  max: Number.POSITIVE_INFINITY,
  place: (_client, id) => [sourceKeys(id).record, 'settings'],
};

/** A short hash: 96 bits for names, 48 for the versions of one name. */
const digest = (text: string, bytes: number): string =>
  createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url');
const nameHash = (name: string): string => digest(name, 12);
const versionHash = (version: string): string => digest(version, 6);

type Version = Pick<SourceObject, 'name' | 'version'>;

/** Counts the objects of a batch, once. KEYS: record. ARGV: batch as JSON, succeeded, failed, rejected. */
const FINISH = `
if redis.call('HGET', KEYS[1], 'batch') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'batch')
redis.call('HINCRBY', KEYS[1], 'succeeded', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'failed', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'rejected', ARGV[4])
return 1
`;

/** Forgets versions that are still the latest ones taken. KEYS: taken. ARGV: name, version, … */
const FORGET = `
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then redis.call('HDEL', KEYS[1], ARGV[i]) end
end
return 1
`;

/** Adds names, unless there are too many. KEYS: hints. ARGV: maximum, name, … */
const ADD_HINTS = `
if redis.call('SCARD', KEYS[1]) + #ARGV - 1 > tonumber(ARGV[1]) then return 0 end
redis.call('SADD', KEYS[1], unpack(ARGV, 2))
return 1
`;

/**
 * Claims names of results; replies 1 for each that the object has or gets, else 0.
 * KEYS: outputs. ARGV: output, object, …
 */
const CLAIM = `
local replies = {}
for i = 1, #ARGV, 2 do
  local isNew = redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) == 1
  local isOwn = isNew or redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1]
  replies[#replies + 1] = isOwn and 1 or 0
end
return replies
`;

/** A result's name, without extension, and the object that wants it. */
interface OutputClaim {
  output: string;
  name: string;
}

function readRecord(fields: Record<string, string>): SourceRecord {
  const count = (name: keyof SourceCounts) => Number(fields[name] ?? 0);
  const json = Object.entries(fields).filter(([name]) => name in JsonFields.shape);
  return {
    ...JsonFields.parse(parseHashFields(Object.fromEntries(json))),
    counts: { succeeded: count('succeeded'), failed: count('failed'), rejected: count('rejected') },
  };
}

/**
 * Sources in Redis: what clients have set, their state, and which version of each object was taken: about 200 bytes
 * for each object. The manifests in the place of results are the authority; `isFilled` says whether they were read.
 */
export class Sources {
  readonly #redis;
  readonly #blobs;
  readonly #now;
  readonly #scripts;
  readonly #claim;
  /** Objects that fail by themselves. */
  readonly failures;

  constructor(redis: Redis, blobs: Pick<Blobs, 'put' | 'delete'>, now: Clock) {
    this.#redis = redis;
    this.#blobs = blobs;
    this.#now = now;
    const scripts = { finish: FINISH, forget: FORGET, addHints: ADD_HINTS };
    this.#scripts = defineScripts(redis, 'Source', scripts);
    this.#claim = defineScript<number[]>(redis, 'selvageSourceClaim', CLAIM);
    this.failures = new SourceFailures(redis);
  }

  async update(id: string, fields: SourceChanges): Promise<void> {
    await this.#redis.hset(sourceKeys(id).record, ...toHashFields(fields));
  }

  async get(id: string): Promise<SourceRecord> {
    return readRecord(await this.#redis.hgetall(sourceKeys(id).record));
  }

  async putSettings(
    { id: name, client }: { id: string; client: string },
    settings: Omit<SourceSettings, 'changedAt'>,
  ): Promise<void> {
    const stored = { ...settings, changedAt: new Date(this.#now()).toISOString() };
    await this.#redis.hset(sourceKeys(name).record, ...toHashFields({ settings: stored }));
    await copySetting(this.#redis, this.#blobs, SOURCE_SETTINGS, { client, name }, this.#now);
  }

  /** The lease of the one worker that imports a source. */
  lease(id: string): Lease {
    return new Lease(this.#redis, sourceKeys(id).lease);
  }

  /** Returns the key that pays for a source, unless all keys of its meter are revoked or expired. */
  payerOf({ meter }: SourceSettings): Promise<Payer | undefined> {
    return findLiveByMeter(this.#redis, meter, this.#now());
  }

  /** Returns those whose version was not taken yet. */
  async untaken<T extends Version>(id: string, objects: readonly T[]): Promise<T[]> {
    if (objects.length === 0) return [];
    const names = objects.map(({ name }) => nameHash(name));
    const taken = await this.#redis.hmget(sourceKeys(id).taken, ...names);
    return objects.filter(({ version }, i) => taken[i] !== versionHash(version));
  }

  async take(id: string, objects: readonly Version[]): Promise<void> {
    if (objects.length === 0) return;
    const fields = objects.flatMap(({ name, version }) => [nameHash(name), versionHash(version)]);
    await this.#redis.hset(sourceKeys(id).taken, ...fields);
  }

  /** Lets versions be taken again. */
  async forget(id: string, objects: readonly Version[]): Promise<void> {
    if (objects.length === 0) return;
    const args = objects.flatMap(({ name, version }) => [nameHash(name), versionHash(version)]);
    await this.#scripts.forget([sourceKeys(id).taken], args);
  }

  /** Lets objects be taken again, in whatever version. */
  async forgetNames(id: string, names: readonly string[]): Promise<void> {
    await this.#redis.hdel(sourceKeys(id).taken, ...names.map(nameHash));
  }

  /** Claims names of results for objects; returns for each whether it has the name now. */
  async claimOutputs(id: string, claims: readonly OutputClaim[]): Promise<boolean[]> {
    if (claims.length === 0) return [];
    const args = claims.flatMap(({ output, name }) => [nameHash(output), nameHash(name)]);
    return (await this.#claim([sourceKeys(id).outputs], args)).map((reply) => reply === 1);
  }

  /** Adds names from events, which are looked up; if there are too many, everything is listed instead. */
  async addHints(id: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const isAdded =
      names.length <= MAX_NEW_HINTS &&
      (await this.#scripts.addHints([sourceKeys(id).hints], [MAX_HINTS, ...names])) === 1;
    if (!isAdded) await this.update(id, { isScanRequested: true });
  }

  /** Returns some names from events; they stay until `dropHints`. */
  hints(id: string, count: number): Promise<string[]> {
    return this.#redis.srandmember(sourceKeys(id).hints, count);
  }

  async dropHints(id: string, names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.#redis.srem(sourceKeys(id).hints, ...names);
  }

  /** Gives a source its batch; returns false if it has one. */
  async startBatch(id: string, batch: string): Promise<boolean> {
    return (await this.#redis.hsetnx(sourceKeys(id).record, 'batch', JSON.stringify(batch))) === 1;
  }

  /** Ends the batch of a source and adds its counts; does nothing if it has ended before. */
  async finish(id: string, batch: string, counts: SourceCounts): Promise<void> {
    const args = SOURCE_COUNTS.map((name) => counts[name]);
    await this.#scripts.finish([sourceKeys(id).record], [JSON.stringify(batch), ...args]);
  }
}

export const SOURCE_STATUSES = [
  'off',
  'paused',
  'waiting',
  'unreachable',
  'working',
  'watching',
] as const;
type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** Versions of objects, by what became of them. */
interface ObjectCounts extends SourceCounts {
  found: number;
  pending: number;
}

/** Returns what a source does at present. */
export function statusOfSource({ settings, problem, batch }: SourceRecord): SourceStatus {
  if (!settings) return 'off';
  if (problem?.type === 'upstream-unavailable') return 'unreachable';
  if (settings.paused) return 'paused';
  if (problem) return 'waiting';
  return batch === undefined ? 'watching' : 'working';
}

export async function countObjects(
  batches: Pick<Batches, 'get'>,
  { batch: id, counts }: SourceRecord,
): Promise<ObjectCounts> {
  const batch = id === undefined ? undefined : await batches.get(id);
  const { accepted = 0, rejected = 0, succeeded = 0, failed = 0 } = batch ?? {};
  const all = {
    pending: Math.max(0, accepted - succeeded - failed),
    succeeded: counts.succeeded + succeeded,
    failed: counts.failed + failed,
    rejected: counts.rejected + rejected,
  };
  return { found: all.pending + all.succeeded + all.failed + all.rejected, ...all };
}

export async function readSourceFigures(
  sources: Pick<Sources, 'get'>,
  batches: Pick<Batches, 'get'>,
  ids: readonly string[],
) {
  const records = await Promise.all(ids.map((id) => sources.get(id)));
  const statuses = records.map(statusOfSource);
  const counts = await Promise.all(records.map((record) => countObjects(batches, record)));
  const sum = (state: keyof ObjectCounts) => counts.reduce((all, each) => all + each[state], 0);
  return {
    sources: SOURCE_STATUSES.map((status) => ({
      status,
      count: statuses.filter((each) => each === status).length,
    })),
    objects: (['pending', 'succeeded', 'failed', 'rejected'] as const).map((state) => ({
      state,
      count: sum(state),
    })),
  };
}
