-- Before other scripts of reviews: marks a review as done once no needed row is pending, and says so once.
-- KEYS: record, review, outbox. Called with the outbox entry or '', and the time (JSON).

local function endIfDone(outbox, at)
  local counts = redis.call('HMGET', KEYS[1], 'review', 'reviewApproved', 'reviewRejected')
  local needed = cjson.decode(counts[1]).needed
  if needed > 0 and tonumber(counts[2]) + tonumber(counts[3]) >= needed then
    if redis.call('HSETNX', KEYS[1], 'reviewedAt', at) == 1 and outbox ~= '' then
      redis.call('RPUSH', KEYS[3], outbox)
    end
  end
end
