-- Gives jobs their turns, by fair queueing in virtual time (after Golestani, 1994): a client's next tag is its last one,
-- or the current time if that is later, and a step for the job's work. The current time is when the turn of the first
-- waiting job began, whose data tell its step: so a job with little work comes before those with much that wait.
-- A job's tag is its priority in BullMQ, whose score is `priority * PRIORITY_UNIT + counter`.
-- KEYS: turns, wait, prioritized, delayed. ARGV: client, step, count, prefix of job keys, 1 for a retry.
-- Constants: TURN, LOWER_AT, MAX_TAG, PRIORITY_UNIT.

local turns, wait, prioritized, delayed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local client = 'client:' .. ARGV[1]

local function lower(by)
  local waiting = redis.call('ZRANGE', prioritized, 0, -1, 'WITHSCORES')
  for i = 1, #waiting, 2 do
    local score = math.max(tonumber(waiting[i + 1]) - by * PRIORITY_UNIT, PRIORITY_UNIT)
    redis.call('ZADD', prioritized, score, waiting[i])
  end
  for _, id in ipairs(redis.call('ZRANGE', delayed, 0, -1)) do
    local job = ARGV[4] .. id
    local tag = tonumber(redis.call('HGET', job, 'priority') or 0)
    if tag > 0 then redis.call('HSET', job, 'priority', math.max(tag - by, 1)) end
  end
  local fields = redis.call('HGETALL', turns)
  for i = 1, #fields, 2 do
    local left = tonumber(fields[i + 1]) - by
    if left > 0 then redis.call('HSET', turns, fields[i], left) else redis.call('HDEL', turns, fields[i]) end
  end
end

-- In JSON, quotes within a text are escaped, so no text of a client can look like a number of the job.
local function stepOf(id)
  local data = redis.call('HGET', ARGV[4] .. id, 'data') or ''
  local work = tonumber(string.match(data, '"work":([%d.]+)') or 1)
  return TURN * work / tonumber(string.match(data, '"weight":([%d.]+)') or 1)
end

local current
local first = redis.call('ZRANGE', prioritized, 0, 0, 'WITHSCORES')
if first[1] then
  local start = math.floor(first[2] / PRIORITY_UNIT) - math.ceil(stepOf(first[1]))
  current = math.max(tonumber(redis.call('HGET', turns, 'current') or 0), start)
elseif redis.call('LLEN', wait) == 0 and redis.call('ZCARD', delayed) == 0 then
  redis.call('DEL', turns)
  current = 0
else
  current = tonumber(redis.call('HGET', turns, 'last') or 0)
end
if current >= LOWER_AT then
  lower(current)
  current = 0
end
local tag = math.max(current, tonumber(redis.call('HGET', turns, client) or 0))
local tags = {}
for i = 1, tonumber(ARGV[3]) do
  tag = math.min(tag + ARGV[2], MAX_TAG)
  tags[i] = math.ceil(tag)
end
redis.call('HSET', turns, client, tag, 'current', current)
-- When nothing waits, all jobs but the delayed ones have started, and the last of their turns is the current one.
local last = tonumber(redis.call('HGET', turns, 'last') or 0)
if ARGV[5] ~= '1' then redis.call('HSET', turns, 'last', math.max(tag, last)) end
return tags
