import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScripts, readLua } from '../platform/redis-script.ts';
import { Input, Results, StoredCutOut } from '../queue/job-data.ts';
import { clientIndexKey } from './client-index.ts';
import { defineRecordUpdate, parseHashFields, toHashFields } from './record-fields.ts';
import { Accepted, Erasure } from './retention.ts';
import { OUTBOX, outboxEntry } from './webhooks/outbox.ts';

export const STATUSES = ['queued', 'active', 'succeeded', 'failed', 'canceled', 'expired'] as const;
type JobStatus = (typeof STATUSES)[number];

export const PENDING_STATUSES: readonly JobStatus[] = ['queued', 'active'];
export const TERMINAL_STATUSES: readonly JobStatus[] = ['succeeded', 'failed', 'canceled'];

export const JOBS_PATH = '/intake/v1/jobs';
export const jobGarmentsPath = (id: string): string => `${JOBS_PATH}/${id}/garments`;

export const jobLinks = (id: string) => ({
  self: `${JOBS_PATH}/${id}`,
  result: `${JOBS_PATH}/${id}/result`,
  cancel: `${JOBS_PATH}/${id}/cancel`,
});
export const refinementsPath = (id: string): string => `${JOBS_PATH}/${id}/refinements`;

export const JobRecord = Accepted.extend({
  status: z.enum(STATUSES),
  /** How many times a worker has started it. */
  attempt: z.number(),
  startedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  /** An estimate until the job ends. */
  expiresAt: z.iso.datetime(),
  /** The uploaded blob: an image, or the address of one. */
  inputKey: z.string(),
  /** The same for the background. */
  backgroundKey: z.string().optional(),
  /** Absent until an image given by its address is downloaded. */
  input: Input.optional(),
  /** The cut-out a worker writes or finds; set before the blob exists. */
  outputKey: z.string().optional(),
  /** Counts the bytes of an image that is given by its address. */
  meter: z.string().optional(),
  /** What to refund if the job does not succeed. */
  quota: z.object({ key: z.string(), cost: z.number() }).optional(),
  /** What its classification takes into account besides the image, as `api` wrote it. */
  classification: z.record(z.string(), z.unknown()).optional(),
  results: Results.optional(),
  /** The cut-outs before each refinement, the oldest first; `outputKey` and `results` have the newest. */
  earlierCutOuts: z.array(StoredCutOut).optional(),
  /** Whether there may be blobs of refinements: set before the first is written. */
  hasRefinements: z.boolean().optional(),
  problem: z.object({ type: z.string(), detail: z.string() }).optional(),
  /** When it became a tombstone. */
  buriedAt: z.iso.datetime().optional(),
  erasure: Erasure.optional(),
});
export type JobRecord = z.infer<typeof JobRecord>;

/** A job as it is accepted. */
export type NewJob = Omit<JobRecord, 'status' | 'attempt'>;

/** Fields that change, each stored as JSON. */
type JobChanges = Partial<Omit<JobRecord, 'id' | 'status' | 'attempt'>>;

interface Completion {
  from: readonly JobStatus[];
  to: JobStatus;
  /** If given, the job ends only if this attempt is still the latest. */
  attempt?: number;
  fields: JobChanges;
  /** When the sweeper looks at it next, epoch milliseconds. */
  dueAtMillis: number;
}

/** Where the ends of all jobs are published, by job id. */
export const JOB_ENDED_CHANNEL = `${PREFIX}:job-ended`;
/** Job ids by the time at which the sweeper looks at them next. */
const DUE_TIMES = `${PREFIX}:jobs-due`;
export const jobKey = (id: string): string => `${PREFIX}:job:${id}`;
const NO_QUOTA = { key: `${PREFIX}:quota:none`, cost: 0 };

/** How long after its acceptance, and then how often, the sweeper checks that a job is in its queue. */
export const RECHECK_MILLIS = 300_000;
const MAX_DUE = 500;

/** How long the input of a job may wait for the work to begin, ms. */
export const inputMillis = ({ inputSeconds }: Pick<JobRecord, 'inputSeconds'>): number =>
  inputSeconds === undefined ? Number.POSITIVE_INFINITY : inputSeconds * 1000;

/** KEYS: record, due times, the client's jobs. ARGV: due at, id, created at ms, field, value, … */
const CREATE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'status', 'queued', 'attempt', 0, unpack(ARGV, 4))
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2])
return 1
`;

/** KEYS: record. ARGV: started at (JSON). */
const BEGIN = `
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'queued' and status ~= 'active' then return 0 end
redis.call('HSET', KEYS[1], 'status', 'active', 'startedAt', ARGV[1])
return redis.call('HINCRBY', KEYS[1], 'attempt', 1)
`;

/** No effect if the job has ended meanwhile, which set another time. KEYS: due times. ARGV: id, now, due at. */
const POSTPONE = `
local due = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]))
if not due or due > tonumber(ARGV[2]) then return 0 end
return redis.call('ZADD', KEYS[1], 'XX', 'CH', ARGV[3], ARGV[1])
`;

/** The webhook event of a job's end as an outbox entry; empty if the client gave no webhook. */
function completionEntry(
  { id, client, webhook }: JobRecord,
  { to, fields }: Completion,
  now: Clock,
): string {
  if (!webhook || (to !== 'succeeded' && to !== 'failed')) return '';
  return outboxEntry({
    client,
    url: webhook.url,
    type: `job.${to}`,
    id,
    status: to,
    links: jobLinks(id),
    atMillis: fields.finishedAt ? Date.parse(fields.finishedAt) : now(),
  });
}

/** Job records in Redis: what clients read, and the authority for a job's state. */
export class JobRecords {
  readonly #redis: Redis;
  readonly #now: Clock;
  readonly #scripts;
  readonly #update;

  /** @param now when a job ended that says nothing else */
  constructor(redis: Redis, now: Clock) {
    this.#redis = redis;
    this.#now = now;
    this.#scripts = defineScripts(redis, 'Job', {
      create: CREATE,
      begin: BEGIN,
      postpone: POSTPONE,
      end: readLua('job-end'),
    });
    this.#update = defineRecordUpdate(redis);
  }

  /**
   * Writes a new record, `queued`, attempt 0, and schedules the sweeper's first look at it. Returns
   * false if there is a record already, which stays as it is.
   */
  async create({ id, ...job }: NewJob): Promise<boolean> {
    const createdAtMillis = Date.parse(job.createdAt);
    const dueAtMillis = createdAtMillis + Math.min(RECHECK_MILLIS, inputMillis(job));
    const reply = await this.#scripts.create(
      [jobKey(id), DUE_TIMES, clientIndexKey('jobs', job.client)],
      [dueAtMillis, id, createdAtMillis, ...toHashFields(job)],
    );
    return reply === 1;
  }

  async get(id: string): Promise<JobRecord | undefined> {
    const { status, attempt, ...fields } = await this.#redis.hgetall(jobKey(id));
    if (!status) return undefined;
    return JobRecord.parse({ ...parseHashFields(fields), id, status, attempt: Number(attempt) });
  }

  /** Starts a job, or starts it again after a crash. Returns the attempt's number, or nothing if the job has ended. */
  async begin(id: string, startedAt: string): Promise<number | undefined> {
    return (await this.#scripts.begin([jobKey(id)], [JSON.stringify(startedAt)])) || undefined;
  }

  /** Adds fields to an active job; returns false if this attempt is no longer the latest. */
  update(id: string, attempt: number, fields: JobChanges): Promise<boolean> {
    return this.#update(jobKey(id), fields, { status: 'active', attempt });
  }

  /** Adds fields to a job whose cut-out is still the one at `outputKey`; returns false if it is not. */
  replaceCutOut(id: string, outputKey: string, fields: JobChanges): Promise<boolean> {
    const expected = { status: 'succeeded', outputKey: JSON.stringify(outputKey) };
    return this.#update(jobKey(id), fields, expected);
  }

  /** Ends a job; returns false if it was in none of the states, or at another attempt. */
  async end(job: JobRecord, completion: Completion): Promise<boolean> {
    const { id, client, quota = NO_QUOTA } = job;
    const { from, to, attempt = '', dueAtMillis, fields } = completion;
    const entry = completionEntry(job, completion, this.#now);
    const reply = await this.#scripts.end(
      [jobKey(id), DUE_TIMES, quota.key, OUTBOX, clientIndexKey('jobs', client)],
      [
        ...[id, `,${from.join(',')},`, to, attempt, dueAtMillis],
        ...[quota.cost, JOB_ENDED_CHANNEL, entry, ...toHashFields(fields)],
      ],
    );
    return reply === 1;
  }

  updateTombstone(id: string, fields: JobChanges): Promise<boolean> {
    return this.#update(jobKey(id), fields);
  }

  /** Sets when the sweeper looks at a job next, if it was due by `nowMillis`. */
  async postpone(id: string, nowMillis: number, dueAtMillis: number): Promise<void> {
    await this.#scripts.postpone([DUE_TIMES], [id, nowMillis, dueAtMillis]);
  }

  /** Returns ids of due jobs, the oldest first, at most 500. */
  due(nowMillis: number): Promise<string[]> {
    return this.#redis.zrangebyscore(DUE_TIMES, '-inf', nowMillis, 'LIMIT', 0, MAX_DUE);
  }

  /** Yields the ids of all jobs, page by page; a job that moves meanwhile may come twice. */
  async *pages(): AsyncGenerator<string[]> {
    let cursor = '0';
    do {
      const [next, found] = await this.#redis.zscan(DUE_TIMES, cursor, 'COUNT', MAX_DUE);
      yield found.filter((_, i) => i % 2 === 0); // each is followed by its score
      cursor = next;
    } while (cursor !== '0');
  }

  async remove(id: string): Promise<void> {
    const client: string = JSON.parse((await this.#redis.hget(jobKey(id), 'client')) ?? '""');
    const index = clientIndexKey('jobs', client);
    await this.#redis.multi().del(jobKey(id)).zrem(DUE_TIMES, id).zrem(index, id).exec();
  }
}
