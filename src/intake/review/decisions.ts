import type { Redis } from 'ioredis';
import { z } from 'zod';
import { defineScript } from '../../platform/redis-script.ts';
import { batchRedisKeys } from '../batches/redis-keys.ts';
import { OUTBOX } from '../webhooks/outbox.ts';
import { Refined } from './refined.ts';

export const DECISIONS = ['pending', 'approved', 'rejected'] as const;
export type DecisionName = (typeof DECISIONS)[number];

/** UTF-16 units of a note. */
export const MAX_NOTE_CHARS = 500;
/** Rows of a batch that are decided one by one; for more there is bulk approval. */
const MAX_DECIDED_ROWS = 20_000;
/** Mended cut-outs of a batch, all versions counted. */
const MAX_VERSIONS = 5000;

/** A person's decision about one row. */
export const Decision = z.object({
  /** 1, and one more for each decision about the same row. */
  revision: z.number(),
  decision: z.enum(DECISIONS),
  note: z.string().optional(),
  /** Id of the key. */
  keyId: z.string(),
  at: z.iso.datetime(),
  /** The picture that was looked at: sha256 of the files of cut-out and image, hex. */
  version: z.object({
    cutout: z.string(),
    input: z.string(),
    /** How often the cut-out was mended; absent if it is as it was made. */
    refinements: z.number().optional(),
  }),
});
export type Decision = z.infer<typeof Decision>;

/** An approval of all pending rows from a confidence on. */
export const ApprovalRule = z.object({
  /** Thousandths. */
  min: z.number(),
  keyId: z.string(),
  at: z.iso.datetime(),
});
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** A decision or rule, and its place in the order in which they were made. */
interface Sequenced {
  sequence: number;
}
export type StoredDecision = Decision & Sequenced;
export type StoredRule = ApprovalRule & Sequenced;

/** What was decided about rows of a batch. */
export interface Decided {
  /** By row. */
  decisions: ReadonlyMap<number, StoredDecision>;
  rules: readonly StoredRule[];
  /** Mended cut-outs by row. */
  refined: ReadonlyMap<number, Refined>;
}

/** What is known of a review when it begins. */
export interface ReviewStart {
  /** Rows that need a review. */
  needed: number;
  /** Of these, those whose decision comes from the run before. */
  approved: number;
  rejected: number;
  /** The others, by thousandths of confidence. */
  pending: Readonly<Record<string, number>>;
}

/**
 * The decision in effect about a row: its own, else that of the run before; what is pending is approved by a
 * later rule.
 * @param min thousandths of the row's confidence
 */
export function decisionInEffect(
  { rules }: Pick<Decided, 'rules'>,
  own: Pick<StoredDecision, 'decision' | 'sequence'> | undefined,
  carried: DecisionName | undefined,
  min: number,
): DecisionName {
  const decided = own?.decision ?? carried ?? 'pending';
  if (decided !== 'pending') return decided;
  const since = own?.sequence ?? 0;
  return rules.some((rule) => rule.sequence > since && rule.min <= min) ? 'approved' : 'pending';
}

/**
 * Marks a review as done once no needed row is pending, and says so once.
 * Uses KEYS: record, review, outbox; `outbox` and `at` are set before.
 */
const END_IF_DONE = `
local counts = redis.call('HMGET', KEYS[1], 'review', 'reviewApproved', 'reviewRejected')
local needed = cjson.decode(counts[1]).needed
if needed > 0 and tonumber(counts[2]) + tonumber(counts[3]) >= needed then
  if redis.call('HSETNX', KEYS[1], 'reviewedAt', at) == 1 and outbox ~= '' then
    redis.call('RPUSH', KEYS[3], outbox)
  end
end
`;

/** Begins a review, once. KEYS: as above. ARGV: needed, approved, rejected, outbox entry or '', time (JSON), thousandths, rows, … */
const BEGIN = `
local status = redis.call('HGET', KEYS[1], 'status')
if not status or status == 'expired' then return 0 end
if redis.call('HEXISTS', KEYS[1], 'review') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'review', '{"needed":' .. ARGV[1] .. '}')
redis.call('HSET', KEYS[1], 'reviewApproved', ARGV[2], 'reviewRejected', ARGV[3])
for i = 6, #ARGV, 2 do redis.call('HSET', KEYS[2], 'p:' .. ARGV[i], ARGV[i + 1]) end
local outbox, at = ARGV[4], ARGV[5]
${END_IF_DONE}
return 1
`;

/**
 * Decides about a row, and with the decision changes which mended cut-outs it has. Returns {1, sequence}; {0} if the
 * batch has no review, {-1, present decision or ''} if it has another revision, {-2} if too many rows are decided,
 * {-3} if too many are mended.
 * KEYS: as above, mended cut-outs. ARGV: row, revision it must have or '', decision as JSON, outbox entry or '', time
 * (JSON), is needed 0 | 1, thousandths, decision of the run before or '', sequence or '', maximum of rows, mended
 * cut-outs as JSON or '', how many more these are than before, their maximum in the batch.
 */
const DECIDE = `
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
local outbox, at = ARGV[4], ARGV[5]
${END_IF_DONE}
return {1, tostring(sequence)}
`;

/**
 * Approves what is pending from a confidence on. Returns {sequence, approved rows that needed a review}, or {0}.
 * A rule that the new one includes is dropped: there are at most 1001.
 * KEYS: as above. ARGV: rule as JSON, its minimum, outbox entry or '', time (JSON), sequence or ''.
 */
const APPROVE = `
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
local outbox, at = ARGV[3], ARGV[4]
${END_IF_DONE}
return {sequence, approved}
`;

/** The fields with the numbers of pending rows, by thousandths of confidence. */
const PENDING_FIELDS = Array.from({ length: 1001 }, (_, min) => `p:${min}`);

const parseDecision = (json: string): StoredDecision =>
  Decision.extend({ sequence: z.number() }).parse(JSON.parse(json));
const parseRefined = (json: string): Refined => Refined.parse(JSON.parse(json));
const StoredRules = z.array(ApprovalRule.extend({ sequence: z.number() }));

/** Returns the values that there are, by row. */
const byRow = <T>(
  rows: readonly number[],
  values: readonly (string | null)[],
  parse: (json: string) => T,
): Map<number, T> =>
  new Map(values.flatMap((json, i) => (json ? [[rows[i]!, parse(json)] as const] : [])));

/** The row that a decision is about. */
interface DecidedRow {
  row: number;
  needed: boolean;
  /** Of its confidence. */
  thousandths: number;
  /** The decision of the run before about the same picture. */
  carried: DecisionName | undefined;
}

type DecideReply =
  | { outcome: 'decided'; sequence: number }
  /** Without a decision nobody has decided yet. */
  | { outcome: 'conflict'; present: StoredDecision | undefined }
  | { outcome: 'no-review' }
  | { outcome: 'too-many' }
  | { outcome: 'too-many-refinements' };

/** How a decision changes which mended cut-outs a row has. */
export interface RefinedChange {
  refined: Refined;
  /** How many more these are than before. */
  added: number;
}

/** Decisions about the rows of batches and feed runs, in Redis. */
export function createReviewDecisions(redis: Redis) {
  const begin = defineScript<number>(redis, 'selvageReviewBegin', BEGIN);
  const decide = defineScript<[number, string?]>(redis, 'selvageReviewDecide', DECIDE);
  const approve = defineScript<[number, number?]>(redis, 'selvageReviewApprove', APPROVE);
  const keysOf = (id: string) => {
    const { record, review, refined } = batchRedisKeys(id);
    return [record, review, OUTBOX, refined];
  };
  const rulesOf = (json: string | null | undefined): StoredRule[] =>
    StoredRules.parse(JSON.parse(json ?? '[]'));

  return {
    /** Begins the review of a batch, unless it has begun. @param outboxEntry pushed if it is done already */
    async begin(
      id: string,
      { needed, approved, rejected, pending }: ReviewStart,
      at: string,
      outboxEntry = '',
    ): Promise<void> {
      const counts = Object.entries(pending).flat();
      const args = [needed, approved, rejected, outboxEntry, JSON.stringify(at), ...counts];
      await begin(keysOf(id), args);
    },

    /**
     * Decides about a row.
     * @param expected the revision it must have; 0 if nobody has decided; undefined for any
     * @param outboxEntry pushed if this was the last pending row that needs a review
     * @param sequence of a decision that is restored
     * @param change of the row's mended cut-outs
     */
    async decide(
      id: string,
      { row, needed, thousandths, carried }: DecidedRow,
      decision: Decision,
      {
        expected,
        outboxEntry = '',
        sequence,
        change,
      }: {
        expected?: number;
        outboxEntry?: string | undefined;
        sequence?: number;
        change?: RefinedChange | undefined;
      },
    ): Promise<DecideReply> {
      const [code, value = ''] = await decide(keysOf(id), [
        row,
        expected ?? '',
        JSON.stringify(decision),
        outboxEntry,
        JSON.stringify(decision.at),
        needed ? 1 : 0,
        thousandths,
        carried ?? '',
        sequence ?? '',
        MAX_DECIDED_ROWS,
        change ? JSON.stringify(change.refined) : '',
        change?.added ?? 0,
        MAX_VERSIONS,
      ]);
      if (code === 1) return { outcome: 'decided', sequence: Number(value) };
      if (code === 0) return { outcome: 'no-review' };
      if (code === -2) return { outcome: 'too-many' };
      if (code === -3) return { outcome: 'too-many-refinements' };
      return { outcome: 'conflict', present: value ? parseDecision(value) : undefined };
    },

    /** Approves what is pending from a confidence on; undefined if the batch has no review. */
    async approve(
      id: string,
      rule: ApprovalRule,
      { outboxEntry = '', sequence }: { outboxEntry?: string | undefined; sequence?: number },
    ): Promise<{ sequence: number; approved: number } | undefined> {
      const [made, approved = 0] = await approve(keysOf(id), [
        JSON.stringify(rule),
        rule.min,
        outboxEntry,
        JSON.stringify(rule.at),
        sequence ?? '',
      ]);
      return made > 0 ? { sequence: made, approved } : undefined;
    },

    /** Returns what was decided about rows. */
    async read(id: string, rows: readonly number[]): Promise<Decided> {
      const keys = batchRedisKeys(id);
      const fields = ['rules', ...rows.map((row) => `d:${row}`)];
      const [[rules, ...found], mended] = await Promise.all([
        redis.hmget(keys.review, ...fields),
        rows.length > 0 ? redis.hmget(keys.refined, ...rows.map(String)) : [],
      ]);
      return {
        decisions: byRow(rows, found, parseDecision),
        rules: rulesOf(rules),
        refined: byRow(rows, mended, parseRefined),
      };
    },

    /** Counts the pending rows that need a review, by thousandths of confidence. */
    async pendingRows(id: string): Promise<ReadonlyMap<number, number>> {
      const counts = await redis.hmget(batchRedisKeys(id).review, ...PENDING_FIELDS);
      return new Map(
        counts.flatMap((rows, min) => (Number(rows) > 0 ? [[min, Number(rows)] as const] : [])),
      );
    },

    /** Returns everything that was decided. */
    async readAll(id: string): Promise<Decided> {
      const decisions = new Map<number, StoredDecision>();
      const { review, refined } = batchRedisKeys(id);
      let cursor = '0';
      do {
        const [next, fields] = await redis.hscan(review, cursor, 'MATCH', 'd:*', 'COUNT', 1000);
        for (let i = 0; i < fields.length; i += 2) {
          decisions.set(Number(fields[i]!.slice(2)), parseDecision(fields[i + 1]!));
        }
        cursor = next;
      } while (cursor !== '0');
      const mended = Object.entries(await redis.hgetall(refined));
      return {
        decisions,
        rules: rulesOf(await redis.hget(review, 'rules')),
        refined: new Map(mended.map(([row, json]) => [Number(row), parseRefined(json)])),
      };
    },
  };
}

export type ReviewDecisions = ReturnType<typeof createReviewDecisions>;
