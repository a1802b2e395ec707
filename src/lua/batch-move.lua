-- Compare and set of a batch's state. The quota it still holds is refunded when it ends.
-- KEYS: record, batches under way, due times, held quota, outbox. ARGV: id, from (`,a,b,`), to,
-- due at, is terminal 0 | 1, outbox entry or '', field, value, …
-- Constants: UNENDED.

local status = redis.call('HGET', KEYS[1], 'status')
if not status or not string.find(ARGV[2], ',' .. status .. ',', 1, true) then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[3], unpack(ARGV, 7))
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
if ARGV[3] == 'canceling' then redis.call('ZADD', KEYS[2], 'NX', ARGV[4], ARGV[1]) end
if ARGV[5] == '1' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  local client = cjson.decode(redis.call('HGET', KEYS[1], 'client'))
  redis.call('SREM', UNENDED .. client, ARGV[1])
  local held = redis.call('HGETALL', KEYS[4])
  for i = 1, #held, 2 do
    local back = math.min(tonumber(redis.call('GET', held[i]) or 0), tonumber(held[i + 1]))
    if back > 0 then redis.call('DECRBY', held[i], back) end
  end
  redis.call('DEL', KEYS[4])
end
if ARGV[6] ~= '' then redis.call('RPUSH', KEYS[5], ARGV[6]) end
return 1
