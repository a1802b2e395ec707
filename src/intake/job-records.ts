import type { Redis, Result } from 'ioredis';
import { z } from 'zod';
import { CutOutOptions } from '../output/quality.ts';
import { PREFIX } from '../platform/redis.ts';
import { Input, OPERATIONS, Results } from '../queue/job-data.ts';
import { OUTBOX, outboxEntry } from './webhooks/outbox.ts';

/** Where a job can be. The last four are ends; `expired` is what is left of a job, a tombstone. */
export const STATUSES = ['queued', 'active', 'succeeded', 'failed', 'canceled', 'expired'] as const;
export type JobStatus = (typeof STATUSES)[number];

export const PENDING_STATUSES: readonly JobStatus[] = ['queued', 'active'];
export const TERMINAL_STATUSES: readonly JobStatus[] = ['succeeded', 'failed', 'canceled'];

export const JOBS_PATH = '/intake/v1/jobs';
/** Where to go from a job. */
export const jobLinks = (id: string) => ({
  self: `${JOBS_PATH}/${id}`,
  result: `${JOBS_PATH}/${id}/result`,
  cancel: `${JOBS_PATH}/${id}/cancel`,
});

const JobRecord = z.object({
  id: z.string(),
  status: z.enum(STATUSES),
  /** How often a worker took it up. */
  attempt: z.number(),
  client: z.string(),
  requestId: z.string(),
  operations: z.array(z.enum(OPERATIONS)),
  options: CutOutOptions.optional(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  /** Until the end of the job a forecast. */
  expiresAt: z.iso.datetime(),
  /** How long the input may wait, results are kept after the end, and the job is known after that. */
  inputSeconds: z.number().optional(),
  outputSeconds: z.number(),
  recordSeconds: z.number().optional(),
  /** The blob that was handed in: an image, or the address of one. */
  inputKey: z.string(),
  /** The same of what goes behind the subject. */
  backgroundKey: z.string().optional(),
  /** Absent until an image given by its address was fetched. */
  input: Input.optional(),
  /** The blob a worker writes or found; known before it is there. */
  outputKey: z.string().optional(),
  /** What to give back where the job does not succeed. */
  quota: z.object({ key: z.string(), cost: z.number() }).optional(),
  /** Where the client wants to hear of the end. */
  webhook: z.object({ url: z.string() }).optional(),
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
export type JobChanges = Partial<Omit<JobRecord, 'id' | 'status' | 'attempt'>>;

export interface Completion {
  from: readonly JobStatus[];
  to: JobStatus;
  /** Only where this attempt is still the latest. */
  attempt?: number;
  fields: JobChanges;
  /** When the sweeper looks at it next, epoch milliseconds. */
  dueAtMillis: number;
}

/** KEYS: record, due times. ARGV: due at, id, field, value, … */
const CREATE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'status', 'queued', 'attempt', 0, unpack(ARGV, 3))
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[2])
return 1
`;

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
 * KEYS: record, due times, quota of the day, outbox. ARGV: id, from (`,a,b,`), to, attempt or '',
 * due at, cost, channel, entry of the outbox or '', field, value, …
 */
const END = `
local status = redis.call('HGET', KEYS[1], 'status')
if not status or not string.find(ARGV[2], ',' .. status .. ',', 1, true) then return 0 end
if ARGV[4] ~= '' and redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[4] then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[3], unpack(ARGV, 9))
if ARGV[3] == 'expired' then redis.call('HDEL', KEYS[1], 'results', 'problem') end
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
if status == 'queued' or status == 'active' then
  local back = math.min(tonumber(redis.call('GET', KEYS[3]) or 0), tonumber(ARGV[6]))
  if ARGV[3] ~= 'succeeded' and back > 0 then redis.call('DECRBY', KEYS[3], back) end
  redis.call('PUBLISH', ARGV[7], ARGV[1])
end
if ARGV[8] ~= '' then redis.call('RPUSH', KEYS[4], ARGV[8]) end
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
    selvageCreate(
      ...keysAndArguments: [record: string, due: string, at: number, id: string, ...string[]]
    ): Result<number, Context>;
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
/** How long the input of a job may wait for the work to begin, ms. */
export const inputMillis = ({ inputSeconds }: Pick<JobRecord, 'inputSeconds'>): number =>
  inputSeconds === undefined ? Number.POSITIVE_INFINITY : inputSeconds * 1000;
const DUE_AT_ONCE = 500;
const NO_QUOTA = { key: `${PREFIX}:quota:none`, cost: 0 };

export const jobKey = (id: string): string => `${PREFIX}:job:${id}`;

/** What the client is told when a job comes to this end; nothing unless it asked for it. */
function entryOf({ id, client, webhook }: JobRecord, { to, fields }: Completion): string {
  if (!webhook || (to !== 'succeeded' && to !== 'failed')) return '';
  const atMillis = fields.finishedAt ? Date.parse(fields.finishedAt) : Date.now();
  const type = `job.${to}` as const;
  return outboxEntry({
    ...{ client, url: webhook.url, type, id, status: to, links: jobLinks(id), atMillis },
  });
}

const asJson = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name, JSON.stringify(value)],
  );

/** Job records in Redis: what clients ask for, and the one truth about a job's state. */
export function createJobRecords(redis: Redis) {
  redis.defineCommand('selvageCreate', { numberOfKeys: 2, lua: CREATE });
  redis.defineCommand('selvageBegin', { numberOfKeys: 1, lua: BEGIN });
  redis.defineCommand('selvageNote', { numberOfKeys: 1, lua: NOTE });
  redis.defineCommand('selvagePostpone', { numberOfKeys: 1, lua: POSTPONE });
  redis.defineCommand('selvageEnd', { numberOfKeys: 4, lua: END });

  return {
    /**
     * Writes a new record, `queued`, attempt 0, that the sweeper will look after; false where there
     * is one already, which stays as it is.
     */
    async create({ id, ...job }: NewJob): Promise<boolean> {
      const lookAt = Date.parse(job.createdAt) + Math.min(LOOK_AFTER_MILLIS, inputMillis(job));
      return (await redis.selvageCreate(jobKey(id), DUE, lookAt, id, ...asJson(job))) === 1;
    },

    async get(id: string): Promise<JobRecord | undefined> {
      const { status, attempt, ...fields } = await redis.hgetall(jobKey(id));
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
      return (await redis.selvageBegin(jobKey(id), JSON.stringify(startedAt))) || undefined;
    },

    /** Adds to a job under way; false where this attempt is not the latest any more. */
    async note(id: string, attempt: number, fields: JobChanges): Promise<boolean> {
      return (await redis.selvageNote(jobKey(id), attempt, ...asJson(fields))) === 1;
    },

    /** Ends a job; false where it was in none of the states, or at another attempt. */
    async end(job: JobRecord, ending: Completion): Promise<boolean> {
      const { from, to, attempt, fields, dueAtMillis } = ending;
      const { key, cost } = job.quota ?? NO_QUOTA;
      const won = await redis.selvageEnd(
        ...[jobKey(job.id), DUE, key, OUTBOX],
        ...[job.id, `,${from.join(',')},`, to, attempt ?? '', dueAtMillis, cost, ENDED_CHANNEL],
        entryOf(job, ending),
        ...asJson(fields),
      );
      return won === 1;
    },

    /** Writes on a tombstone. */
    async inscribe(id: string, fields: JobChanges): Promise<void> {
      await redis.hset(jobKey(id), ...asJson(fields));
    },

    /** Says when the sweeper looks at a job next, where it would have by `nowMillis`. */
    async postpone(id: string, nowMillis: number, dueAtMillis: number): Promise<void> {
      await redis.selvagePostpone(DUE, id, nowMillis, dueAtMillis);
    },

    /** Jobs whose time has come, the oldest first; some of them where they are many. */
    due: (nowMillis: number): Promise<string[]> =>
      redis.zrangebyscore(DUE, '-inf', nowMillis, 'LIMIT', 0, DUE_AT_ONCE),

    /** The ids of all jobs there are, some at a time; one that moves meanwhile may come twice. */
    async *pages(): AsyncGenerator<string[]> {
      let cursor = '0';
      do {
        const [next, found] = await redis.zscan(DUE, cursor, 'COUNT', DUE_AT_ONCE);
        yield found.filter((_, i) => i % 2 === 0); // each is followed by its time
        cursor = next;
      } while (cursor !== '0');
    },

    async remove(id: string): Promise<void> {
      await redis.multi().del(jobKey(id)).zrem(DUE, id).exec();
    },
  };
}

export type JobRecords = ReturnType<typeof createJobRecords>;
