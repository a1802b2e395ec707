-- Stores a session, and ends the oldest of its key beyond the maximum.
-- KEYS: session, index of the key's sessions. ARGV: session as JSON, seconds it lasts, maximum.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - ARGV[2] * 1000000))
redis.call('ZADD', KEYS[2], string.format('%.0f', now), KEYS[1])
redis.call('EXPIRE', KEYS[2], ARGV[2])
local excess = redis.call('ZCARD', KEYS[2]) - ARGV[3]
if excess <= 0 then return 0 end
for _, oldest in ipairs(redis.call('ZRANGE', KEYS[2], 0, excess - 1)) do
  redis.call('DEL', oldest)
  redis.call('ZREM', KEYS[2], oldest)
end
return excess
