import type { Redis } from 'ioredis';
import { z } from 'zod';
import { defineScript, readLua } from '../../platform/redis-script.ts';
import { batchRedisKeys } from '../batches/scripts.ts';
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
  /** What the row sells: a category of the dictionary, or `none`. */
  category: z.string().optional(),
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
interface ReviewStart {
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

const END_IF_DONE = readLua('review-end-if-done');

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

const keysOf = (id: string): string[] => {
  const { record, review, refined } = batchRedisKeys(id);
  return [record, review, OUTBOX, refined];
};
const rulesOf = (json: string | null | undefined): StoredRule[] =>
  StoredRules.parse(JSON.parse(json ?? '[]'));

/** Decisions about the rows of batches and feed runs, in Redis. */
export class ReviewDecisions {
  readonly #redis: Redis;
  readonly #begin;
  readonly #decide;
  readonly #approve;

  constructor(redis: Redis) {
    const define = <Reply>(name: string) =>
      defineScript<Reply>(redis, `selvage:${name}`, END_IF_DONE + readLua(name));
    this.#redis = redis;
    this.#begin = define<number>('review-begin');
    this.#decide = define<[number, string?]>('review-decide');
    this.#approve = define<[number, number?]>('review-approve');
  }

  /** Begins the review of a batch, unless it has begun. @param outboxEntry pushed if it is done already */
  async begin(
    id: string,
    { needed, approved, rejected, pending }: ReviewStart,
    at: string,
    outboxEntry = '',
  ): Promise<void> {
    const counts = Object.entries(pending).flat();
    const args = [needed, approved, rejected, outboxEntry, JSON.stringify(at), ...counts];
    await this.#begin(keysOf(id), args);
  }

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
    const [code, value = ''] = await this.#decide(keysOf(id), [
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
  }

  /** Undefined if the batch has no review. */
  async approve(
    id: string,
    rule: ApprovalRule,
    { outboxEntry = '', sequence }: { outboxEntry?: string | undefined; sequence?: number },
  ): Promise<{ sequence: number; approved: number } | undefined> {
    const [made, approved = 0] = await this.#approve(keysOf(id), [
      JSON.stringify(rule),
      rule.min,
      outboxEntry,
      JSON.stringify(rule.at),
      sequence ?? '',
    ]);
    return made > 0 ? { sequence: made, approved } : undefined;
  }

  /** Returns what was decided about rows. */
  async read(id: string, rows: readonly number[]): Promise<Decided> {
    const keys = batchRedisKeys(id);
    const fields = ['rules', ...rows.map((row) => `d:${row}`)];
    const [[rules, ...found], mended] = await Promise.all([
      this.#redis.hmget(keys.review, ...fields),
      rows.length > 0 ? this.#redis.hmget(keys.refined, ...rows.map(String)) : [],
    ]);
    return {
      decisions: byRow(rows, found, parseDecision),
      rules: rulesOf(rules),
      refined: byRow(rows, mended, parseRefined),
    };
  }

  /** Counts the pending rows that need a review, by thousandths of confidence. */
  async pendingRows(id: string): Promise<ReadonlyMap<number, number>> {
    const counts = await this.#redis.hmget(batchRedisKeys(id).review, ...PENDING_FIELDS);
    return new Map(
      counts.flatMap((rows, min) => (Number(rows) > 0 ? [[min, Number(rows)] as const] : [])),
    );
  }

  async readAll(id: string): Promise<Decided> {
    const decisions = new Map<number, StoredDecision>();
    const { review, refined } = batchRedisKeys(id);
    let cursor = '0';
    do {
      const [next, fields] = await this.#redis.hscan(review, cursor, 'MATCH', 'd:*', 'COUNT', 1000);
      for (let i = 0; i < fields.length; i += 2)
        decisions.set(Number(fields[i]!.slice(2)), parseDecision(fields[i + 1]!));
      cursor = next;
    } while (cursor !== '0');
    const mended = Object.entries(await this.#redis.hgetall(refined));
    return {
      decisions,
      rules: rulesOf(await this.#redis.hget(review, 'rules')),
      refined: new Map(mended.map(([row, json]) => [Number(row), parseRefined(json)])),
    };
  }
}
