-- Begins a review, once. KEYS: record, review, outbox.
-- ARGV: needed, approved, rejected, outbox entry or "", time (JSON), thousandths, rows, …

local status = redis.call('HGET', KEYS[1], 'status')
if not status or status == 'expired' then return 0 end
if redis.call('HEXISTS', KEYS[1], 'review') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'review', '{"needed":' .. ARGV[1] .. '}')
redis.call('HSET', KEYS[1], 'reviewApproved', ARGV[2], 'reviewRejected', ARGV[3])
for i = 6, #ARGV, 2 do redis.call('HSET', KEYS[2], 'p:' .. ARGV[i], ARGV[i + 1]) end
endIfDone(ARGV[4], ARGV[5])
return 1
