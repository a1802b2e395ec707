import type { Redis } from 'ioredis';
import { QUOTA_TTL_SECONDS } from '../../auth/quota.ts';
import { defineScript } from '../../platform/redis-script.ts';
import { toHashFields } from '../hash-fields.ts';
import { OUTBOX } from '../webhooks/outbox.ts';
import { batchRedisKeys, DUE_TIMES, REASON_FIELD, UNDER_WAY, unendedKey } from './redis-keys.ts';

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

/**
 * Appends a chunk of rows and reserves their quota, or does nothing. Returns 1 if appended, 0 if the batch is
 * not open or another upload was faster, -1 if the quota is too small.
 * A chunk without accepted rows has no results to wait for.
 * KEYS: record, chunk starts, held quota, quota of the day, written chunks. ARGV: chunk, its first row, accepted,
 * rejected, upload, quota per day or '', lifetime of the quota s, rejected rows by reason as JSON.
 */
const APPEND = `
if redis.call('HGET', KEYS[1], 'status') ~= 'open' then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'chunks')) ~= tonumber(ARGV[1]) then return 0 end
local accepted = tonumber(ARGV[3])
if ARGV[6] ~= '' and accepted > 0 then
  local used = tonumber(redis.call('GET', KEYS[4]) or 0)
  if used + accepted > tonumber(ARGV[6]) then return -1 end
  redis.call('INCRBY', KEYS[4], accepted)
  redis.call('EXPIRE', KEYS[4], ARGV[7])
  redis.call('HINCRBY', KEYS[3], KEYS[4], accepted)
end
redis.call('RPUSH', KEYS[2], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'chunks', 1)
if accepted == 0 then redis.call('SETBIT', KEYS[5], ARGV[1], 1) end
redis.call('HINCRBY', KEYS[1], 'accepted', accepted)
redis.call('HINCRBY', KEYS[1], 'rejected', ARGV[4])
for code, count in pairs(cjson.decode(ARGV[8])) do
  redis.call('HINCRBY', KEYS[1], '${REASON_FIELD}' .. code, count)
end
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('HSET', KEYS[1], 'upload', ARGV[5])
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
 * Ends a row, once: returns 1 to the first caller while the batch is under way, else 0.
 * KEYS: record, results of its chunk, written chunks, full chunks, held quota, quota of the day.
 * ARGV: row, chunk, accepted rows of the chunk, succeeded | failed, result, unchanged 0 | 1,
 * held | charge | free, lifetime of the quota s, stale 0 | 1, reason or ''.
 */
const FINISH = `
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'sealed' and status ~= 'running' then return 0 end
if redis.call('GETBIT', KEYS[3], ARGV[2]) == 1 then return 0 end
if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[5]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], ARGV[4], 1)
redis.call('HINCRBY', KEYS[1], 'unchanged', ARGV[6])
redis.call('HINCRBY', KEYS[1], 'stale', ARGV[9])
if ARGV[10] ~= '' then redis.call('HINCRBY', KEYS[1], '${REASON_FIELD}' .. ARGV[10], 1) end
redis.call('HINCRBY', KEYS[1], 'revision', 1)
if redis.call('HLEN', KEYS[2]) == tonumber(ARGV[3]) then redis.call('SADD', KEYS[4], ARGV[2]) end
if ARGV[7] == 'charge' then
  redis.call('INCR', KEYS[6])
  redis.call('EXPIRE', KEYS[6], ARGV[8])
  redis.call('HINCRBY', KEYS[1], 'units', 1)
end
if ARGV[7] == 'held' then
  local held = redis.call('HGETALL', KEYS[5])
  for i = 1, #held, 2 do
    if tonumber(held[i + 1]) > 0 then
      redis.call('HINCRBY', KEYS[5], held[i], -1)
      if ARGV[4] == 'failed' and tonumber(redis.call('GET', held[i]) or 0) > 0 then
        redis.call('DECR', held[i])
      end
      break
    end
  end
end
local counts = redis.call('HMGET', KEYS[1], 'succeeded', 'failed', 'accepted')
if counts[1] + counts[2] == tonumber(counts[3]) then
  redis.call('HSET', KEYS[1], 'status', 'finalizing')
end
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

/**
 * Compare and set of a batch's state. The quota it still holds is refunded when it ends.
 * KEYS: record, batches under way, due times, held quota, outbox. ARGV: id, from (`,a,b,`), to,
 * due at, is terminal 0 | 1, outbox entry or '', field, value, …
 */
const MOVE = `
local status = redis.call('HGET', KEYS[1], 'status')
if not status or not string.find(ARGV[2], ',' .. status .. ',', 1, true) then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[3], unpack(ARGV, 7))
redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
if ARGV[3] == 'canceling' then redis.call('ZADD', KEYS[2], 'NX', ARGV[4], ARGV[1]) end
if ARGV[5] == '1' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  local client = cjson.decode(redis.call('HGET', KEYS[1], 'client'))
  redis.call('SREM', '${unendedKey('')}' .. client, ARGV[1])
  local held = redis.call('HGETALL', KEYS[4])
  for i = 1, #held, 2 do
    local back = math.min(tonumber(redis.call('GET', held[i]) or 0), tonumber(held[i + 1]))
    if back > 0 then redis.call('DECRBY', held[i], back) end
  end
  redis.call('DEL', KEYS[4])
end
if ARGV[6] ~= '' then redis.call('RPUSH', KEYS[5], ARGV[6]) end
return 1
`;

interface CreateArgs {
  id: string;
  client: string;
  dueAtMillis: number;
  /** Maximum of the client's batches that have not ended; without it the batch is not counted. */
  maxUnended: number | undefined;
  /** Field, value, … */
  fields: readonly (string | number)[];
}

interface RestoreArgs {
  id: string;
  from: '' | 'open';
  dueAtMillis: number;
  firstRows: readonly number[];
  written: readonly number[];
  fields: (string | number)[];
}

interface AppendArgs {
  id: string;
  chunk: number;
  /** Number of the chunk's first row. */
  firstRow: number;
  accepted: number;
  rejected: number;
  /** JSON. */
  upload: string;
  /** Where the day's units are counted. */
  quotaKey: string;
  /** Without it no quota is reserved. */
  quotaPerDay: number | undefined;
  /** Rejected rows by reason, as JSON. */
  reasons: string;
}

interface FinishArgs {
  id: string;
  row: number;
  chunk: number;
  /** Accepted rows of the chunk. */
  chunkRows: number;
  status: 'succeeded' | 'failed';
  /** JSON. */
  result: string;
  isUnchanged: boolean;
  isStale: boolean;
  reason: string;
  quotaKey: string;
  quota: 'held' | 'charge' | 'free';
}

interface MoveArgs {
  id: string;
  from: readonly string[];
  to: string;
  dueAtMillis: number;
  isTerminal: boolean;
  outboxEntry: string | undefined;
  fields: object;
}

/** The scripts of batches, each with KEYS and ARGV built from named arguments. */
export function defineBatchScripts(redis: Redis) {
  const create = defineScript<number>(redis, 'selvageBatchCreate', CREATE);
  const restore = defineScript<number>(redis, 'selvageBatchRestore', RESTORE);
  const append = defineScript<number>(redis, 'selvageBatchAppend', APPEND);
  const seal = defineScript<number>(redis, 'selvageBatchSeal', SEAL);
  const advance = defineScript<number>(redis, 'selvageBatchAdvance', ADVANCE);
  const finish = defineScript<number>(redis, 'selvageBatchFinish', FINISH);
  const isPending = defineScript<number>(redis, 'selvageBatchRowPending', IS_PENDING);
  const markWritten = defineScript<number>(redis, 'selvageBatchMarkWritten', MARK_WRITTEN);
  const move = defineScript<number>(redis, 'selvageBatchMove', MOVE);
  return {
    create: ({ id, client, dueAtMillis, maxUnended, fields }: CreateArgs) =>
      create(
        [batchRedisKeys(id).record, DUE_TIMES, unendedKey(client)],
        [id, dueAtMillis, maxUnended ?? '', ...fields],
      ),

    restore({ id, from, dueAtMillis, firstRows, written, fields }: RestoreArgs) {
      const { record, chunkStarts, writtenChunks } = batchRedisKeys(id);
      const progress = [JSON.stringify(firstRows), JSON.stringify(written)];
      return restore(
        [record, DUE_TIMES, chunkStarts, writtenChunks],
        [id, dueAtMillis, from, ...progress, ...fields],
      );
    },

    append(args: AppendArgs) {
      const { record, chunkStarts, heldQuota, writtenChunks } = batchRedisKeys(args.id);
      return append(
        [record, chunkStarts, heldQuota, args.quotaKey, writtenChunks],
        [
          args.chunk,
          args.firstRow,
          args.accepted,
          args.rejected,
          args.upload,
          args.quotaPerDay ?? '',
          QUOTA_TTL_SECONDS,
          args.reasons,
        ],
      );
    },

    seal: (args: { id: string; sealedAt: string; sealedAtMillis: number; dueAtMillis: number }) =>
      seal(
        [batchRedisKeys(args.id).record, UNDER_WAY, DUE_TIMES],
        [args.id, JSON.stringify(args.sealedAt), args.sealedAtMillis, args.dueAtMillis],
      ),

    advance: ({ id, from, to, issued }: { id: string; from: string; to: string; issued: number }) =>
      advance([batchRedisKeys(id).record], [from, to, issued]),

    finish(args: FinishArgs) {
      const keys = batchRedisKeys(args.id);
      return finish(
        [
          keys.record,
          keys.results(args.chunk),
          keys.writtenChunks,
          keys.fullChunks,
          keys.heldQuota,
          args.quotaKey,
        ],
        [
          args.row,
          args.chunk,
          args.chunkRows,
          args.status,
          args.result,
          args.isUnchanged ? 1 : 0,
          args.quota,
          QUOTA_TTL_SECONDS,
          args.isStale ? 1 : 0,
          args.reason,
        ],
      );
    },

    isPending({ id, chunk, row }: { id: string; chunk: number; row: number }) {
      const { record, results, writtenChunks } = batchRedisKeys(id);
      return isPending([record, results(chunk), writtenChunks], [row, chunk]);
    },

    markWritten({ id, chunk }: { id: string; chunk: number }) {
      const { results, writtenChunks, fullChunks } = batchRedisKeys(id);
      return markWritten([results(chunk), writtenChunks, fullChunks], [chunk]);
    },

    move(args: MoveArgs) {
      const { record, heldQuota } = batchRedisKeys(args.id);
      return move(
        [record, UNDER_WAY, DUE_TIMES, heldQuota, OUTBOX],
        [
          args.id,
          `,${args.from.join(',')},`,
          args.to,
          args.dueAtMillis,
          args.isTerminal ? 1 : 0,
          args.outboxEntry ?? '',
          ...toHashFields(args.fields),
        ],
      );
    },
  };
}
