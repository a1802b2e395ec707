-- Compare and set: whatever must happen exactly once happens in the call that wins. A pending job that
-- does not succeed gets its quota refunded, and its end is published. One that expires leaves its client's list. One
-- that was canceled before Redis lost that may have results.
-- KEYS: record, due times, quota of the day, outbox, the client's jobs. ARGV: id, from (`,a,b,`), to, attempt or '',
-- due at, cost, channel, outbox entry or '', field, value, …

local status = redis.call('HGET', KEYS[1], 'status')
if not status or not string.find(ARGV[2], ',' .. status .. ',', 1, true) then return 0 end
if ARGV[4] ~= '' and redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[4] then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[3], unpack(ARGV, 9))
if ARGV[3] == 'canceled' then redis.call('HDEL', KEYS[1], 'results', 'problem') end
if ARGV[3] == 'expired' then
  redis.call('HDEL', KEYS[1], 'results', 'problem', 'classification')
  redis.call('ZREM', KEYS[5], ARGV[1])
end
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
if status == 'queued' or status == 'active' then
  local back = math.min(tonumber(redis.call('GET', KEYS[3]) or 0), tonumber(ARGV[6]))
  if ARGV[3] ~= 'succeeded' and back > 0 then redis.call('DECRBY', KEYS[3], back) end
  redis.call('PUBLISH', ARGV[7], ARGV[1])
end
if ARGV[8] ~= '' then redis.call('RPUSH', KEYS[4], ARGV[8]) end
return 1
