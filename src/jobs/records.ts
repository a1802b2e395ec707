import type { Redis, Result } from 'ioredis';
import { z } from 'zod';
import { JOBS } from './catalog.ts';
import { PREFIX } from './redis.ts';

/** Where a job can be. The last four are ends; `expired` is what is left of a job, a tombstone. */
export const STATUSES = ['queued', 'active', 'succeeded', 'failed', 'canceled', 'expired'] as const;
export type JobStatus = (typeof STATUSES)[number];

export const UNDER_WAY: readonly JobStatus[] = ['queued', 'active'];
export const ENDED: readonly JobStatus[] = ['succeeded', 'failed', 'canceled'];

/** What can be asked for. */
export const OPERATIONS = ['remove-background', 'classify'] as const;
export type Operation = (typeof OPERATIONS)[number];

const Input = z.object({
  /** Hex. */
  sha256: z.string(),
  bytes: z.number(),
  /** Pixels, as the header says. */
  width: z.number(),
  height: z.number(),
});

const CutOut = z.object({
  /** Pixels, upright. */
  width: z.number(),
  height: z.number(),
  bytes: z.number(),
  /** Hex, of the PNG. */
  sha256: z.string(),
  /** `id@version` */
  model: z.string(),
  /** 0..1 */
  confidence: z.number(),
});
export type KeptCutOut = z.infer<typeof CutOut>;

const Results = z.object({
  cutout: CutOut.optional(),
  /** What can be seen of the garment, before words are put to it. */
  view: JOBS['classify-garment'].result.omit({ millis: true }).optional(),
});
export type JobResults = z.infer<typeof Results>;

const JobRecord = z.object({
  id: z.string(),
  status: z.enum(STATUSES),
  /** How often a worker took it up. */
  attempt: z.number(),
  client: z.string(),
  requestId: z.string(),
  operations: z.array(z.enum(OPERATIONS)),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  /** Until the end of the job a forecast. */
  expiresAt: z.iso.datetime(),
  /** How long results are kept after the end. */
  outputSeconds: z.number(),
  /** The blob that was handed in: an image, or the address of one. */
  inputKey: z.string(),
  /** Absent until an image given by its address was fetched. */
  input: Input.optional(),
  /** The blob a worker writes or found; known before it is there. */
  outputKey: z.string().optional(),
  /** What to give back where the job does not succeed. */
  quota: z.object({ key: z.string(), cost: z.number() }).optional(),
  results: Results.optional(),
  problem: z.object({ type: z.string(), detail: z.string() }).optional(),
  /** When it became a tombstone. */
  buriedAt: z.iso.datetime().optional(),
  /** The client's own wish, and how many blobs went. */
  erasure: z.object({ erasedAt: z.iso.datetime(), blobs: z.number() }).optional(),
});
export type JobRecord = z.infer<typeof JobRecord>;

/** A job as it is accepted. */
export type NewJob = Omit<JobRecord, 'status' | 'attempt'>;

/** Fields that change, each kept as JSON. */
export type Changes = Partial<Omit<JobRecord, 'id' | 'status' | 'attempt'>>;

export interface Ending {
  from: readonly JobStatus[];
  to: JobStatus;
  /** Only where this attempt is still the latest. */
  attempt?: number;
  fields: Changes;
  /** When the sweeper looks at it next, epoch milliseconds. */
  dueAtMillis: number;
}

const BEGIN = `
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'queued' and status ~= 'active' then return 0 end
redis.call('HSET', KEYS[1], 'status', 'active', 'startedAt', ARGV[1])
return redis.call('HINCRBY', KEYS[1], 'attempt', 1)
`;

/** KEYS: record. ARGV: attempt, field, value, … */
const NOTE = `
if redis.call('HGET', KEYS[1], 'status') ~= 'active' then return 0 end
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
return 1
`;

/**
 * Compare and set: all that must happen exactly once happens in the step that wins. A job that
 * leaves the way without success gives its quota back, and whoever waits for a job is told.
 * KEYS: record, due times, quota of the day. ARGV: id, from (`,a,b,`), to, attempt or '', due at,
 * cost, channel, field, value, …
 */
const END = `
local status = redis.call('HGET', KEYS[1], 'status')
if not status or not string.find(ARGV[2], ',' .. status .. ',', 1, true) then return 0 end
if ARGV[4] ~= '' and redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[4] then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[3], unpack(ARGV, 8))
if ARGV[3] == 'expired' then redis.call('HDEL', KEYS[1], 'results', 'problem') end
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
if status == 'queued' or status == 'active' then
  local back = math.min(tonumber(redis.call('GET', KEYS[3]) or 0), tonumber(ARGV[6]))
  if ARGV[3] ~= 'succeeded' and back > 0 then redis.call('DECRBY', KEYS[3], back) end
  redis.call('PUBLISH', ARGV[7], ARGV[1])
end
return 1
`;

/** Not where the job ended meanwhile, which set another time. KEYS: due times. ARGV: id, now, due at. */
const POSTPONE = `
local due = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]))
if not due or due > tonumber(ARGV[2]) then return 0 end
return redis.call('ZADD', KEYS[1], 'XX', 'CH', ARGV[3], ARGV[1])
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    selvagePostpone(due: string, id: string, now: number, at: number): Result<number, Context>;
    selvageBegin(record: string, startedAt: string): Result<number, Context>;
    selvageNote(record: string, attempt: number, ...fields: string[]): Result<number, Context>;
    selvageEnd(...keysAndArguments: (string | number)[]): Result<number, Context>;
  }
}

/** Where the end of every job is told, by its id. */
export const ENDED_CHANNEL = `${PREFIX}:job-ended`;
const DUE = `${PREFIX}:jobs-due`;
/** So long after its acceptance, and again and again, it is seen to that a job waits in its queue. */
export const LOOK_AFTER_MILLIS = 300_000;
const DUE_AT_ONCE = 500;
const NO_QUOTA = { key: `${PREFIX}:quota:none`, cost: 0 };

const keyOf = (id: string) => `${PREFIX}:job:${id}`;
const asJson = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name, JSON.stringify(value)],
  );

/** Job records in Redis: what clients ask for, and the one truth about a job's state. */
export function createRecords(redis: Redis) {
  redis.defineCommand('selvageBegin', { numberOfKeys: 1, lua: BEGIN });
  redis.defineCommand('selvageNote', { numberOfKeys: 1, lua: NOTE });
  redis.defineCommand('selvagePostpone', { numberOfKeys: 1, lua: POSTPONE });
  redis.defineCommand('selvageEnd', { numberOfKeys: 3, lua: END });

  return {
    /** Writes a new record, `queued`, attempt 0, that the sweeper will look after. */
    async create({ id, ...job }: NewJob): Promise<void> {
      const fields = ['status', 'queued', 'attempt', 0, ...asJson(job)];
      const lookAt = Date.parse(job.createdAt) + LOOK_AFTER_MILLIS;
      await redis
        .multi()
        .hset(keyOf(id), ...fields)
        .zadd(DUE, lookAt, id)
        .exec();
    },

    async get(id: string): Promise<JobRecord | undefined> {
      const { status, attempt, ...fields } = await redis.hgetall(keyOf(id));
      if (!status) return undefined;
      const parsed = Object.entries(fields).map(([name, json]) => [name, JSON.parse(json)]);
      return JobRecord.parse({
        ...Object.fromEntries(parsed),
        id,
        status,
        attempt: Number(attempt),
      });
    },

    /** Takes a job up, or up again after a crash: the attempt's number, or nothing where it ended. */
    async begin(id: string, startedAt: string): Promise<number | undefined> {
      return (await redis.selvageBegin(keyOf(id), JSON.stringify(startedAt))) || undefined;
    },

    /** Adds to a job under way; false where this attempt is not the latest any more. */
    async note(id: string, attempt: number, fields: Changes): Promise<boolean> {
      return (await redis.selvageNote(keyOf(id), attempt, ...asJson(fields))) === 1;
    },

    /** Ends a job; false where it was in none of the states, or at another attempt. */
    async end(
      job: JobRecord,
      { from, to, attempt, fields, dueAtMillis }: Ending,
    ): Promise<boolean> {
      const { key, cost } = job.quota ?? NO_QUOTA;
      const won = await redis.selvageEnd(
        ...[keyOf(job.id), DUE, key],
        ...[job.id, `,${from.join(',')},`, to, attempt ?? '', dueAtMillis, cost, ENDED_CHANNEL],
        ...asJson(fields),
      );
      return won === 1;
    },

    /** Writes on a tombstone. */
    async inscribe(id: string, fields: Changes): Promise<void> {
      await redis.hset(keyOf(id), ...asJson(fields));
    },

    /** Says when the sweeper looks at a job next, where it would have by `nowMillis`. */
    async postpone(id: string, nowMillis: number, dueAtMillis: number): Promise<void> {
      await redis.selvagePostpone(DUE, id, nowMillis, dueAtMillis);
    },

    /** Jobs whose time has come, the oldest first; some of them where they are many. */
    due: (nowMillis: number): Promise<string[]> =>
      redis.zrangebyscore(DUE, '-inf', nowMillis, 'LIMIT', 0, DUE_AT_ONCE),

    async remove(id: string): Promise<void> {
      await redis.multi().del(keyOf(id)).zrem(DUE, id).exec();
    },
  };
}

export type Records = ReturnType<typeof createRecords>;
