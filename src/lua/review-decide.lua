-- Decides about a row, and with the decision changes which mended cut-outs it has. Returns {1, sequence}; {0} if the
-- batch has no review, {-1, present decision or ''} if it has another revision, {-2} if too many rows are decided,
-- {-3} if too many are mended.
-- KEYS: record, review, outbox, mended cut-outs. ARGV: row, revision it must have or '', decision as JSON, outbox entry or '', time
-- (JSON), is needed 0 | 1, thousandths, decision of the run before or '', sequence or '', maximum of rows, mended
-- cut-outs as JSON or '', how many more these are than before, their maximum in the batch.

local status = redis.call('HGET', KEYS[1], 'status')
if not status or status == 'expired' then return {0} end
if redis.call('HEXISTS', KEYS[1], 'review') == 0 then return {0} end
local field = 'd:' .. ARGV[1]
local known = redis.call('HGET', KEYS[2], field)
local old = known and cjson.decode(known)
local decision = cjson.decode(ARGV[3])
if ARGV[9] ~= '' and old and old.revision >= decision.revision then
  return {1, tostring(old.sequence)}
end
if ARGV[2] ~= '' and tonumber(ARGV[2]) ~= (old and old.revision or 0) then
  return {-1, known or ''}
end
if ARGV[11] ~= '' and tonumber(ARGV[12]) > 0 then
  local versions = tonumber(redis.call('HGET', KEYS[2], 'versions') or 0)
  if versions + tonumber(ARGV[12]) > tonumber(ARGV[13]) then return {-3} end
end
if not old then
  if tonumber(redis.call('HGET', KEYS[2], 'rows') or 0) >= tonumber(ARGV[10]) then return {-2} end
  redis.call('HINCRBY', KEYS[2], 'rows', 1)
end
local min = tonumber(ARGV[7])
local before = old and old.decision or ARGV[8]
if before == '' or before == 'pending' then
  before = 'pending'
  local since = old and old.sequence or 0
  for _, rule in ipairs(cjson.decode(redis.call('HGET', KEYS[2], 'rules') or '[]')) do
    if rule.sequence > since and rule.min <= min then before = 'approved' end
  end
end
local sequence
if ARGV[9] ~= '' then
  sequence = tonumber(ARGV[9])
  local latest = tonumber(redis.call('HGET', KEYS[2], 'sequence') or 0)
  redis.call('HSET', KEYS[2], 'sequence', math.max(sequence, latest))
else
  sequence = redis.call('HINCRBY', KEYS[2], 'sequence', 1)
end
local json = string.sub(ARGV[3], 1, -2) .. ',"sequence":' .. sequence .. '}'
redis.call('HSET', KEYS[2], field, json)
if ARGV[11] ~= '' then
  redis.call('HSET', KEYS[4], ARGV[1], ARGV[11])
  redis.call('HINCRBY', KEYS[2], 'versions', ARGV[12])
end
if ARGV[6] == '1' then
  local function count(name, change)
    if name == 'pending' then redis.call('HINCRBY', KEYS[2], 'p:' .. min, change) end
    if name == 'approved' then redis.call('HINCRBY', KEYS[1], 'reviewApproved', change) end
    if name == 'rejected' then redis.call('HINCRBY', KEYS[1], 'reviewRejected', change) end
  end
  count(before, -1)
  count(decision.decision, 1)
end
endIfDone(ARGV[4], ARGV[5])
return {1, tostring(sequence)}
