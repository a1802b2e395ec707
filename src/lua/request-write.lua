-- Adds a line to the requests of a day, before those with the same client and id. When the day or the client's share
-- is full, the client's oldest makes room; a client that has none is left out.
-- KEYS: the day's requests, the client's fields of them in order. ARGV: field, line, lifetime s.
-- Constants: MAX_OF_DAY, MAX_OF_CLIENT, MAX_ATTEMPTS. Returns 1 if added, else 0.

local lines = { ARGV[2] }
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then
  for line in string.gmatch(known, '[^\n]+') do
    if #lines < MAX_ATTEMPTS then lines[#lines + 1] = line end
  end
else
  if redis.call('LLEN', KEYS[2]) >= MAX_OF_CLIENT or redis.call('HLEN', KEYS[1]) >= MAX_OF_DAY then
    local oldest = redis.call('LPOP', KEYS[2])
    if not oldest then return 0 end
    redis.call('HDEL', KEYS[1], oldest)
  end
  redis.call('RPUSH', KEYS[2], ARGV[1])
end
redis.call('HSET', KEYS[1], ARGV[1], table.concat(lines, '\n'))
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1
