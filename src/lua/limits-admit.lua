-- Applies rate limit and quota in one step: both are charged or neither.
--
-- The rate limit is GCRA (generic cell rate algorithm): the key holds the theoretical arrival time of
-- the next request, in microseconds; a request is rejected if it is early by more than the burst.
-- KEYS: arrival time, quota of the day. ARGV: interval µs, burst µs, quota, cost, quota TTL s.
-- Returns {verdict 0 admitted | 1 rate | 2 quota, µs to a full bucket, µs to wait, quota used}.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local quota, cost = tonumber(ARGV[3]), tonumber(ARGV[4])
local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local used = tonumber(redis.call('GET', KEYS[2]) or 0)
local early = arrival + interval - now - burst
if early > 0 then return {1, arrival - now, early, used} end
if cost > 0 and used + cost > quota then return {2, arrival - now, 0, used} end
arrival = arrival + interval
redis.call('SET', KEYS[1], string.format('%.0f', arrival), 'PX', math.ceil((arrival - now) / 1000) + 1)
if cost > 0 then
  used = redis.call('INCRBY', KEYS[2], cost)
  redis.call('EXPIRE', KEYS[2], ARGV[5])
end
return {0, arrival - now, 0, used}
