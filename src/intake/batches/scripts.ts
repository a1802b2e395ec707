import type { Redis, Result } from 'ioredis';

/**
 * Takes rows in, with their quota, or nothing: 1 taken, 0 where the batch is not open or another
 * upload was faster, -1 where the quota has no room.
 * A chunk without accepted rows has no results to wait for.
 * KEYS: record, starts of chunks, held quota, quota of the day, written chunks. ARGV: chunk, its first row, accepted,
 * rejected, upload, quota a day, life of the quota s.
 */
const APPEND = `
if redis.call('HGET', KEYS[1], 'status') ~= 'open' then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'chunks')) ~= tonumber(ARGV[1]) then return 0 end
local accepted = tonumber(ARGV[3])
if ARGV[6] ~= '' and accepted > 0 then
  local used = tonumber(redis.call('GET', KEYS[4]) or 0)
  if used + accepted > tonumber(ARGV[6]) then return -1 end
  redis.call('INCRBY', KEYS[4], accepted)
  redis.call('EXPIRE', KEYS[4], ARGV[7])
  redis.call('HINCRBY', KEYS[3], KEYS[4], accepted)
end
redis.call('RPUSH', KEYS[2], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'chunks', 1)
if accepted == 0 then redis.call('SETBIT', KEYS[5], ARGV[1], 1) end
redis.call('HINCRBY', KEYS[1], 'accepted', accepted)
redis.call('HINCRBY', KEYS[1], 'rejected', ARGV[4])
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('HSET', KEYS[1], 'upload', ARGV[5])
return 1
`;

/** Takes or keeps a lease. KEYS: lease. ARGV: holder, ms. */
const HOLD = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;

/** KEYS: lease. ARGV: holder. */
const DROP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

/** KEYS: record, batches under way, due times. ARGV: id, sealed at (JSON), the same in ms, look at ms. */
const SEAL = `
if redis.call('HGET', KEYS[1], 'status') ~= 'open' then return 0 end
local status = redis.call('HGET', KEYS[1], 'accepted') == '0' and 'finalizing' or 'sealed'
redis.call('HSET', KEYS[1], 'status', status, 'sealedAt', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
return 1
`;

/** KEYS: record. ARGV: chunk and line of the cursor as it was, as it is, rows handed out. */
const ADVANCE = `
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'sealed' and status ~= 'running' then return 0 end
if redis.call('HGET', KEYS[1], 'cursor') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'status', 'running', 'cursor', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('HINCRBY', KEYS[1], 'issued', ARGV[3])
return 1
`;

/**
 * A row's end, which happens once: 1 for whoever was first while the batch is under way, else 0.
 * KEYS: record, results of its chunk, written chunks, full chunks, held quota, quota of the day.
 * ARGV: row, chunk, accepted rows of the chunk, succeeded | failed, result, unchanged 0 | 1,
 * held | charge | free, life of the quota s.
 */
const FINISH = `
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'sealed' and status ~= 'running' then return 0 end
if redis.call('GETBIT', KEYS[3], ARGV[2]) == 1 then return 0 end
if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[5]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], ARGV[4], 1)
redis.call('HINCRBY', KEYS[1], 'unchanged', ARGV[6])
redis.call('HINCRBY', KEYS[1], 'revision', 1)
if redis.call('HLEN', KEYS[2]) == tonumber(ARGV[3]) then redis.call('SADD', KEYS[4], ARGV[2]) end
if ARGV[7] == 'charge' then
  redis.call('INCR', KEYS[6])
  redis.call('EXPIRE', KEYS[6], ARGV[8])
end
if ARGV[7] == 'held' then
  local held = redis.call('HGETALL', KEYS[5])
  for i = 1, #held, 2 do
    if tonumber(held[i + 1]) > 0 then
      redis.call('HINCRBY', KEYS[5], held[i], -1)
      if ARGV[4] == 'failed' and tonumber(redis.call('GET', held[i]) or 0) > 0 then
        redis.call('DECR', held[i])
      end
      break
    end
  end
end
local counts = redis.call('HMGET', KEYS[1], 'succeeded', 'failed', 'accepted')
if counts[1] + counts[2] == tonumber(counts[3]) then
  redis.call('HSET', KEYS[1], 'status', 'finalizing')
end
return 1
`;

/** KEYS: results of a chunk, written chunks, full chunks. ARGV: chunk. */
const WRITTEN = `
redis.call('SETBIT', KEYS[2], ARGV[1], 1)
redis.call('SREM', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1])
`;

/**
 * Compare and set of a batch's state. What it still holds of quotas is given back where it ends.
 * KEYS: record, batches under way, due times, held quota, outbox. ARGV: id, from (`,a,b,`), to,
 * due at, is an end 0 | 1, entry of the outbox or '', field, value, …
 */
const MOVE = `
local status = redis.call('HGET', KEYS[1], 'status')
if not status or not string.find(ARGV[2], ',' .. status .. ',', 1, true) then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[3], unpack(ARGV, 7))
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
if ARGV[3] == 'canceling' then redis.call('ZADD', KEYS[2], 'NX', ARGV[4], ARGV[1]) end
if ARGV[5] == '1' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  local held = redis.call('HGETALL', KEYS[4])
  for i = 1, #held, 2 do
    local back = math.min(tonumber(redis.call('GET', held[i]) or 0), tonumber(held[i + 1]))
    if back > 0 then redis.call('DECRBY', held[i], back) end
  end
  redis.call('DEL', KEYS[4])
end
if ARGV[6] ~= '' then redis.call('RPUSH', KEYS[5], ARGV[6]) end
return 1
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    selvageBatchAppend(...keysAndArguments: (string | number)[]): Result<number, Context>;
    selvageBatchSeal(...keysAndArguments: (string | number)[]): Result<number, Context>;
    selvageBatchAdvance(...keysAndArguments: (string | number)[]): Result<number, Context>;
    selvageBatchFinish(...keysAndArguments: (string | number)[]): Result<number, Context>;
    selvageBatchWritten(...keysAndArguments: (string | number)[]): Result<number, Context>;
    selvageBatchHold(lease: string, holder: string, millis: number): Result<number, Context>;
    selvageBatchDrop(lease: string, holder: string): Result<number, Context>;
    selvageBatchMove(...keysAndArguments: (string | number)[]): Result<number, Context>;
  }
}

// biome-ignore format: a table reads best aligned
const SCRIPTS = [
  { name: 'selvageBatchAppend',   numberOfKeys: 5, lua: APPEND },
  { name: 'selvageBatchSeal',     numberOfKeys: 3, lua: SEAL },
  { name: 'selvageBatchAdvance',  numberOfKeys: 1, lua: ADVANCE },
  { name: 'selvageBatchFinish',   numberOfKeys: 6, lua: FINISH },
  { name: 'selvageBatchWritten',  numberOfKeys: 3, lua: WRITTEN },
  { name: 'selvageBatchMove',     numberOfKeys: 5, lua: MOVE },
  { name: 'selvageBatchHold',     numberOfKeys: 1, lua: HOLD },
  { name: 'selvageBatchDrop',     numberOfKeys: 1, lua: DROP },
] as const;

/** Teaches a connection the steps that batches take as one. */
export function defineBatchScripts(redis: Redis): void {
  for (const { name, numberOfKeys, lua } of SCRIPTS)
    redis.defineCommand(name, { numberOfKeys, lua });
}
