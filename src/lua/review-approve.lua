-- Approves what is pending from a confidence on. Returns {sequence, approved rows that needed a review}, or {0}.
-- A rule that the new one includes is dropped: there are at most 1001.
-- KEYS: record, review, outbox. ARGV: rule as JSON, its minimum, outbox entry or '', time (JSON), sequence or ''.

local status = redis.call('HGET', KEYS[1], 'status')
if not status or status == 'expired' then return {0} end
if redis.call('HEXISTS', KEYS[1], 'review') == 0 then return {0} end
local min = tonumber(ARGV[2])
local known = cjson.decode(redis.call('HGET', KEYS[2], 'rules') or '[]')
local sequence
if ARGV[5] ~= '' then
  sequence = tonumber(ARGV[5])
  for _, rule in ipairs(known) do
    if rule.min <= min and rule.sequence >= sequence then return {sequence, 0} end
  end
  local latest = tonumber(redis.call('HGET', KEYS[2], 'sequence') or 0)
  redis.call('HSET', KEYS[2], 'sequence', math.max(sequence, latest))
else
  sequence = redis.call('HINCRBY', KEYS[2], 'sequence', 1)
end
local rules = {}
for _, rule in ipairs(known) do
  if rule.min < min then rules[#rules + 1] = rule end
end
local rule = cjson.decode(ARGV[1])
rule.sequence = sequence
rules[#rules + 1] = rule
redis.call('HSET', KEYS[2], 'rules', cjson.encode(rules))
local approved = 0
for thousandths = min, 1000 do
  local rows = tonumber(redis.call('HGET', KEYS[2], 'p:' .. thousandths) or 0)
  if rows > 0 then redis.call('HDEL', KEYS[2], 'p:' .. thousandths) end
  approved = approved + rows
end
redis.call('HINCRBY', KEYS[1], 'reviewApproved', approved)
endIfDone(ARGV[3], ARGV[4])
return {sequence, approved}
