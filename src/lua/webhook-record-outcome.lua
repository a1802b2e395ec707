-- KEYS: event, attempts. ARGV: round, status, attempt or '', next at or '', first attempt kept, lifetime s.

local known = redis.call('HMGET', KEYS[1], 'status', 'round')
if known[1] ~= 'pending' or known[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[2])
redis.call('HDEL', KEYS[1], 'nextAttemptAt')
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'nextAttemptAt', ARGV[4]) end
if ARGV[3] ~= '' then
  redis.call('HINCRBY', KEYS[1], 'tries', 1)
  redis.call('RPUSH', KEYS[2], ARGV[3])
  redis.call('LTRIM', KEYS[2], ARGV[5], -1)
  redis.call('EXPIRE', KEYS[2], ARGV[6])
end
return 1
