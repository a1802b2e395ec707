-- Ends a row, once: returns 1 to the first caller while the batch is under way, else 0.
-- KEYS: record, results of its chunk, written chunks, full chunks, held quota, quota of the day.
-- ARGV: row, chunk, accepted rows of the chunk, succeeded | failed, result, unchanged 0 | 1,
-- held | charge | free, lifetime of the quota s, stale 0 | 1, reason or ''.
-- Constants: REASON_FIELD.

local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'sealed' and status ~= 'running' then return 0 end
if redis.call('GETBIT', KEYS[3], ARGV[2]) == 1 then return 0 end
if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[5]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], ARGV[4], 1)
redis.call('HINCRBY', KEYS[1], 'unchanged', ARGV[6])
redis.call('HINCRBY', KEYS[1], 'stale', ARGV[9])
if ARGV[10] ~= '' then redis.call('HINCRBY', KEYS[1], REASON_FIELD .. ARGV[10], 1) end
redis.call('HINCRBY', KEYS[1], 'revision', 1)
if redis.call('HLEN', KEYS[2]) == tonumber(ARGV[3]) then redis.call('SADD', KEYS[4], ARGV[2]) end
if ARGV[7] == 'charge' then
  redis.call('INCR', KEYS[6])
  redis.call('EXPIRE', KEYS[6], ARGV[8])
  redis.call('HINCRBY', KEYS[1], 'units', 1)
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
