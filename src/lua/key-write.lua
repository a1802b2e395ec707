-- Writes records, or none of them. Each must still be as it was read: a key that was revoked meanwhile is not
-- written over. No effect either if the client would then have more live keys than it may, and than before, or if the
-- last one is to stay and would not: the last of all, or the last that is no test key and has no end.
-- Reads all records: keys are created rarely, and the client's are in no index that earlier versions have kept.
-- KEYS: all records, hashes of the first record's meter, of the second's … ARGV: time as in records, maximum,
-- the client's member as in records, 1 if the last one stays, then for each record its hash, what was read or '', and the new JSON.
-- Returns 1 if written, 0 if another process was faster, -1 if the client has too many live keys, -2 if it is the last.

local function isLive(json)
  if not string.find(json, ARGV[3], 1, true) then return false end
  local record = cjson.decode(json)
  local isLive = not record.revokedAt and (not record.expiresAt or record.expiresAt > ARGV[1])
  return isLive, isLive and not record.expiresAt and not record.test
end
for i = 5, #ARGV, 3 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
end
local live, lasting = 0, 0
local function count(json, sign)
  local isCounted, isLasting = isLive(json)
  if isCounted then live = live + sign end
  if isLasting then lasting = lasting + sign end
end
local all = redis.call('HGETALL', KEYS[1])
for i = 2, #all, 2 do count(all[i], 1) end
local before, lastingBefore = live, lasting
for i = 5, #ARGV, 3 do
  if ARGV[i + 1] ~= '' then count(ARGV[i + 1], -1) end
  count(ARGV[i + 2], 1)
end
if live > before and live > tonumber(ARGV[2]) then return -1 end
if ARGV[4] == '1' and ((live < before and live == 0) or (lasting < lastingBefore and lasting == 0)) then return -2 end
for i = 5, #ARGV, 3 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
  redis.call('SADD', KEYS[2 + (i - 5) / 3], ARGV[i])
end
return 1
