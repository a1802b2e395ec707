import type { Redis } from 'ioredis';
import { QUOTA_TTL_SECONDS } from '../../auth/quota.ts';
import { defineScript, readLua } from '../../platform/redis-script.ts';
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
  const append = defineScript<number>(
    redis,
    'selvageBatchAppend',
    readLua('batch-append', { REASON_FIELD }),
  );
  const seal = defineScript<number>(redis, 'selvageBatchSeal', SEAL);
  const advance = defineScript<number>(redis, 'selvageBatchAdvance', ADVANCE);
  const finish = defineScript<number>(
    redis,
    'selvageBatchFinish',
    readLua('batch-finish-row', { REASON_FIELD }),
  );
  const isPending = defineScript<number>(redis, 'selvageBatchRowPending', IS_PENDING);
  const markWritten = defineScript<number>(redis, 'selvageBatchMarkWritten', MARK_WRITTEN);
  const move = defineScript<number>(
    redis,
    'selvageBatchMove',
    readLua('batch-move', { UNENDED: unendedKey('') }),
  );
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
