import type { Redis } from 'ioredis';
import { PREFIX } from '../../platform/redis.ts';
import { defineScripts, readLua } from '../../platform/redis-script.ts';

/** The lease of the one worker that hands out rows. */
export const DISPATCH_LEASE = `${PREFIX}:pump-lease`;
/** Ids of sealed batches that have not ended, by when they were sealed. */
export const UNDER_WAY = `${PREFIX}:batches`;
/** Ids of batches by the time at which the sweeper looks at them next. */
export const DUE_TIMES = `${PREFIX}:batches-due`;

/** Fields of a record that count its rows by reason begin with it. */
export const REASON_FIELD = 'reason:';

/** Set: ids of a client's batches that have not ended, open ones included; no runs of feeds. */
export const unendedKey = (client: string): string => `${PREFIX}:batches-unended:${client}`;

export const batchKey = (id: string): string => `${PREFIX}:batch:${id}`;

/** Keys of what Redis holds of one batch. */
export const batchRedisKeys = (id: string) => {
  const record = batchKey(id);
  return {
    record,
    /** List: number of each chunk's first row. */
    chunkStarts: `${record}:chunks`,
    /** Bitmap: chunks whose results are in object storage. */
    writtenChunks: `${record}:written`,
    /** Set: chunks whose rows have all ended and whose results are not in object storage yet. */
    fullChunks: `${record}:full`,
    /** Hash: quota units reserved for rows, by the key they were counted under. */
    heldQuota: `${record}:held`,
    uploadLease: `${record}:upload`,
    /**
     * Hash: decisions by row (`d:`), pending rows that need a review by thousandths of confidence (`p:`), bulk
     * approvals (`rules`), the number of decided `rows` and of `versions` of mended ones, the last `sequence`.
     */
    review: `${record}:review`,
    /** Hash: mended cut-outs by row. */
    refined: `${record}:refined`,
    /** Hash: results of a chunk that are not in object storage yet, by row. */
    results: (chunk: number) => `${record}:results:${chunk}`,
  };
};

/**
 * Writes a new record. No effect if its client has its maximum of batches that have not ended.
 * KEYS: record, due times, the client's batches that have not ended. ARGV: id, due at ms, maximum or '' if the batch
 * is not counted, field, value, …
 */
const CREATE = `
if ARGV[3] ~= '' then
  if redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[3]) then return 0 end
  redis.call('SADD', KEYS[3], ARGV[1])
end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1
`;

/**
 * Writes the record of a batch with its progress as object storage has it: in one step, so that two processes may do it at
 * once and each may end at any moment. KEYS: record, due times, chunk starts, written chunks. ARGV: id, due at ms, state
 * that the record may have, or '' if there must be none, first row of each chunk as JSON, written chunks as JSON,
 * field, value, …
 */
const RESTORE = `
local status = redis.call('HGET', KEYS[1], 'status') or ''
if status ~= ARGV[3] then return 0 end
redis.call('DEL', KEYS[3], KEYS[4])
for _, first in ipairs(cjson.decode(ARGV[4])) do redis.call('RPUSH', KEYS[3], first) end
for _, chunk in ipairs(cjson.decode(ARGV[5])) do redis.call('SETBIT', KEYS[4], chunk, 1) end
redis.call('HSET', KEYS[1], unpack(ARGV, 6))
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1
`;

/** KEYS: record, batches under way, due times. ARGV: id, sealed at (JSON), the same in ms, due at ms. */
const SEAL = `
local before = redis.call('HGET', KEYS[1], 'status')
if before ~= 'open' and before ~= 'held' then return 0 end
local status = redis.call('HGET', KEYS[1], 'accepted') == '0' and 'finalizing' or 'sealed'
redis.call('HSET', KEYS[1], 'status', status, 'sealedAt', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
return 1
`;

/** KEYS: record. ARGV: cursor as it was, cursor as it is, rows handed out. */
const ADVANCE = `
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'sealed' and status ~= 'running' then return 0 end
if redis.call('HGET', KEYS[1], 'cursor') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'status', 'running', 'cursor', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('HINCRBY', KEYS[1], 'issued', ARGV[3])
return 1
`;

/**
 * Returns 1 if a row has not ended and its batch is running, else 0.
 * KEYS: record, results of its chunk, written chunks. ARGV: row, chunk.
 */
const IS_PENDING = `
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'sealed' and status ~= 'running' then return 0 end
if redis.call('GETBIT', KEYS[3], ARGV[2]) == 1 then return 0 end
return 1 - redis.call('HEXISTS', KEYS[2], ARGV[1])
`;

/** KEYS: results of a chunk, written chunks, full chunks. ARGV: chunk. */
const MARK_WRITTEN = `
redis.call('SETBIT', KEYS[2], ARGV[1], 1)
redis.call('SREM', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1])
`;

/** The scripts of batches on a connection; those in files say there what their KEYS and ARGV are. */
export const defineBatchScripts = (redis: Redis) =>
  defineScripts(redis, 'Batch', {
    create: CREATE,
    restore: RESTORE,
    append: readLua('batch-append', { REASON_FIELD }),
    seal: SEAL,
    advance: ADVANCE,
    finish: readLua('batch-finish-row', { REASON_FIELD }),
    isPending: IS_PENDING,
    markWritten: MARK_WRITTEN,
    move: readLua('batch-move', { UNENDED: unendedKey('') }),
  });
