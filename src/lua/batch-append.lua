-- Appends a chunk of rows and reserves their quota, or does nothing. Returns 1 if appended, 0 if the batch is
-- not open or another upload was faster, -1 if the quota is too small.
-- A chunk without accepted rows has no results to wait for.
-- KEYS: record, chunk starts, held quota, quota of the day, written chunks. ARGV: chunk, its first row, accepted,
-- rejected, upload, quota per day or '', lifetime of the quota s, rejected rows by reason as JSON.
-- Constants: REASON_FIELD.

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
for code, count in pairs(cjson.decode(ARGV[8])) do
  redis.call('HINCRBY', KEYS[1], REASON_FIELD .. code, count)
end
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('HSET', KEYS[1], 'upload', ARGV[5])
return 1
