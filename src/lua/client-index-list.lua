-- Returns one page of ids, the newest first. The last entry of the previous page may have left the list
-- since: its time of creation finds its place again.
-- KEYS: index. ARGV: maximum, id of that entry or '', its time of creation or ''.

local from = 0
if ARGV[2] ~= '' then
  local rank = redis.call('ZREVRANK', KEYS[1], ARGV[2])
  if rank then from = rank + 1
  elseif ARGV[3] == '' then return {}
  else
    redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
    from = redis.call('ZREVRANK', KEYS[1], ARGV[2])
    redis.call('ZREM', KEYS[1], ARGV[2])
  end
end
return redis.call('ZREVRANGE', KEYS[1], from, from + ARGV[1] - 1)
