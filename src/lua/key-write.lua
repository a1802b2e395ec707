-- Writes records, or none of them. Each must still be as it was read: a key that was revoked meanwhile is not
-- written over. No effect either if the client would then have more live keys than it may, and than before.
-- Reads all records: keys are created rarely, and the client's are in no index that earlier versions have kept.
-- KEYS: all records, hashes of the first record's meter, of the second's … ARGV: time as in records, maximum,
-- the client's member as in records, then for each record its hash, what was read or '', and the new JSON.
-- Returns 1 if written, 0 if another process was faster, -1 if the client has too many live keys.

local function isLive(json)
  if not string.find(json, ARGV[3], 1, true) then return false end
  local record = cjson.decode(json)
  return not record.revokedAt and (not record.expiresAt or record.expiresAt > ARGV[1])
end
for i = 4, #ARGV, 3 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
end
local before, after = 0, 0
local all = redis.call('HGETALL', KEYS[1])
for i = 2, #all, 2 do
  if isLive(all[i]) then before = before + 1 end
end
after = before
for i = 4, #ARGV, 3 do
  if ARGV[i + 1] ~= '' and isLive(ARGV[i + 1]) then after = after - 1 end
  if isLive(ARGV[i + 2]) then after = after + 1 end
end
if after > before and after > tonumber(ARGV[2]) then return -1 end
for i = 4, #ARGV, 3 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
  redis.call('SADD', KEYS[2 + (i - 4) / 3], ARGV[i])
end
return 1
