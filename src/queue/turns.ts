import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';
import { defineScript } from '../platform/redis-script.ts';
import type { QueueName } from './catalog.ts';

/** Whose turn a job takes. */
export interface TurnOwner {
  client: string;
  /** Turns for each turn of a client with weight 1; 1 to 16. */
  weight: number;
  /** Predicted work of the job, in turns; see `turnsOf`. 1 by default. */
  work?: number | undefined;
}

/** What a turn's work adds to the tag of a client with weight 1. One of weight 16 adds 1, the smallest step there is. */
const TURN = 16;
/** The highest priority that BullMQ accepts. */
const MAX_TAG = 2 ** 21 - 1;
/** All tags are lowered when the first waiting one has reached this. */
const LOWER_AT = 2 ** 20;

/**
 * Gives jobs their turns, by fair queueing in virtual time (after Golestani, 1994): a client's next tag is its last one,
 * or the current time if that is later, and a step for the job's work. The current time is when the turn of the first
 * waiting job began, whose data tell its step: so a job with little work comes before those with much that wait.
 * A job's tag is its priority in BullMQ, whose score is `priority * 2^32 + counter`.
 * KEYS: turns, wait, prioritized, delayed. ARGV: client, step, count, prefix of job keys, 1 for a retry.
 */
const NEXT = `
local turns, wait, prioritized, delayed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local client = 'client:' .. ARGV[1]
local priorityUnit = 4294967296

local function lower(by)
  local waiting = redis.call('ZRANGE', prioritized, 0, -1, 'WITHSCORES')
  for i = 1, #waiting, 2 do
    local score = math.max(tonumber(waiting[i + 1]) - by * priorityUnit, priorityUnit)
    redis.call('ZADD', prioritized, score, waiting[i])
  end
  for _, id in ipairs(redis.call('ZRANGE', delayed, 0, -1)) do
    local job = ARGV[4] .. id
    local tag = tonumber(redis.call('HGET', job, 'priority') or 0)
    if tag > 0 then redis.call('HSET', job, 'priority', math.max(tag - by, 1)) end
  end
  local fields = redis.call('HGETALL', turns)
  for i = 1, #fields, 2 do
    local left = tonumber(fields[i + 1]) - by
    if left > 0 then redis.call('HSET', turns, fields[i], left) else redis.call('HDEL', turns, fields[i]) end
  end
end

-- In JSON, quotes within a text are escaped, so no text of a client can look like a number of the job.
local function stepOf(id)
  local data = redis.call('HGET', ARGV[4] .. id, 'data') or ''
  local work = tonumber(string.match(data, '"work":([%d.]+)') or 1)
  return ${TURN} * work / tonumber(string.match(data, '"weight":([%d.]+)') or 1)
end

local current
local first = redis.call('ZRANGE', prioritized, 0, 0, 'WITHSCORES')
if first[1] then
  local start = math.floor(first[2] / priorityUnit) - math.ceil(stepOf(first[1]))
  current = math.max(tonumber(redis.call('HGET', turns, 'current') or 0), start)
elseif redis.call('LLEN', wait) == 0 and redis.call('ZCARD', delayed) == 0 then
  redis.call('DEL', turns)
  current = 0
else
  current = tonumber(redis.call('HGET', turns, 'last') or 0)
end
if current >= ${LOWER_AT} then
  lower(current)
  current = 0
end
local tag = math.max(current, tonumber(redis.call('HGET', turns, client) or 0))
local tags = {}
for i = 1, tonumber(ARGV[3]) do
  tag = math.min(tag + ARGV[2], ${MAX_TAG})
  tags[i] = math.ceil(tag)
end
redis.call('HSET', turns, client, tag, 'current', current)
-- When nothing waits, all jobs but the delayed ones have started, and the last of their turns is the current one.
local last = tonumber(redis.call('HGET', turns, 'last') or 0)
if ARGV[5] ~= '1' then redis.call('HSET', turns, 'last', math.max(tag, last)) end
return tags
`;

/** Counts the clients whose last turn has not come. KEYS: turns, prioritized. */
const WAITING_CLIENTS = `
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if not first then return 0 end
local count = 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local isClient = string.sub(fields[i], 1, 7) == 'client:'
  if isClient and tonumber(fields[i + 1]) > math.floor(first / 4294967296) - 1 then count = count + 1 end
end
return count
`;

/** What a job adds to its client's tag. */
const stepOf = ({ weight, work = 1 }: TurnOwner): number => (TURN * work) / weight;

/**
 * The turns of clients in one queue. A job with a lower tag starts first, so a client with many jobs, or with much work
 * in each, delays no other by more than its share.
 */
export function createTurns(redis: Redis, queue: QueueName) {
  const next = defineScript<number[]>(redis, 'selvageTurns', NEXT);
  const waitingClients = defineScript<number>(redis, 'selvageTurnClients', WAITING_CLIENTS);
  const prefix = `${PREFIX}:${queue}:`;
  const turns = `${PREFIX}:turns:${queue}`;
  const keys = [turns, `${prefix}wait`, `${prefix}prioritized`, `${prefix}delayed`];
  return {
    /** Returns the tags of a client's next jobs, each from 1 to 2,097,151. */
    next: (owner: TurnOwner, count: number): Promise<number[]> =>
      next(keys, [owner.client, stepOf(owner), count, prefix, 0]),
    /** Returns a new tag for a job that will be retried after a delay. */
    async nextForRetry(owner: TurnOwner): Promise<number> {
      const [tag = 1] = await next(keys, [owner.client, stepOf(owner), 1, prefix, 1]);
      return tag;
    },
    /** Returns how many clients have jobs waiting; one that canceled its jobs may still count. */
    waitingClients: (): Promise<number> => waitingClients([turns, `${prefix}prioritized`], []),
  };
}

export type Turns = ReturnType<typeof createTurns>;
