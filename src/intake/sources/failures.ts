import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';

/** An object is tried so often. */
const MAX_ATTEMPTS = 10;
const FIRST_RETRY_MILLIS = 30_000;
const MAX_RETRY_MILLIS = 6 * 3_600_000;
/** Objects beyond are given up at once, so that a place full of them costs Redis no more than a few megabytes. */
const MAX_FAILURES = 10_000;

/** An object that cannot be read, or whose result cannot be written, while others can. */
const Failure = z.object({
  /** `''` if the object could not be looked up. */
  version: z.string(),
  reason: z.string(),
  attempts: z.number(),
  sinceMillis: z.number(),
  lastMillis: z.number(),
  /** The batch of the last attempt, which counts once however often its end is handled. */
  batch: z.string().optional(),
  /** When the object is tried again; absent once it is given up. */
  retryAtMillis: z.number().optional(),
});

/** What failed an object this time. */
interface FailedAttempt {
  name: string;
  version: string;
  reason: string;
  batch?: string;
}

type Failure = z.infer<typeof Failure>;

const keysOf = (id: string) => {
  const failures = `${PREFIX}:source:${id}:failures`;
  return {
    /** Hash: failures as JSON by the object's name. */
    failures,
    /** Sorted set: names by when they are tried again, epoch milliseconds. */
    retries: `${failures}:retries`,
  };
};

const retryMillis = (attempts: number): number =>
  Math.min(MAX_RETRY_MILLIS, FIRST_RETRY_MILLIS * 2 ** (attempts - 1));

/**
 * Objects of sources that fail by themselves, in Redis. Each has a pause of its own, from 30 s, twice as long each
 * time, and is given up after ten attempts until it changes. Only the worker that imports the source writes.
 */
export class SourceFailures {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Records failed attempts at versions of objects. Returns those that are given up by it. */
  async record<T extends FailedAttempt>(
    id: string,
    attempts: readonly T[],
    nowMillis: number,
  ): Promise<T[]> {
    if (attempts.length === 0) return [];
    const { failures, retries } = keysOf(id);
    const names = attempts.map(({ name }) => name);
    const known = await this.#redis.hmget(failures, ...names);
    let room = MAX_FAILURES - (await this.#redis.hlen(failures));
    const givenUp: T[] = [];
    const transaction = this.#redis.multi();
    for (const [i, attempt] of attempts.entries()) {
      const before = known[i] ? Failure.parse(JSON.parse(known[i])) : undefined;
      const failure = afterAttempt(before, attempt, nowMillis);
      const hasRoom = before !== undefined || room-- > 0;
      if (!hasRoom || failure.retryAtMillis === undefined) givenUp.push(attempt);
      if (!hasRoom) continue;
      transaction.hset(failures, attempt.name, JSON.stringify(failure));
      if (failure.retryAtMillis === undefined) transaction.zrem(retries, attempt.name);
      else transaction.zadd(retries, failure.retryAtMillis, attempt.name);
    }
    await transaction.exec();
    return givenUp;
  }

  due(id: string, nowMillis: number, count: number): Promise<string[]> {
    return this.#redis.zrangebyscore(keysOf(id).retries, 0, nowMillis, 'LIMIT', 0, count);
  }

  async clear(id: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const { failures, retries } = keysOf(id);
    await this.#redis
      .multi()
      .hdel(failures, ...names)
      .zrem(retries, ...names)
      .exec();
  }

  /** Lets all be tried again now, also those given up. */
  async retryAll(id: string): Promise<void> {
    const { failures, retries } = keysOf(id);
    const names = await this.#redis.hkeys(failures);
    if (names.length > 0) await this.#redis.zadd(retries, ...names.flatMap((name) => [0, name]));
  }

  async list(id: string, after: string, limit: number) {
    const { failures } = keysOf(id);
    const names = (await this.#redis.hkeys(failures)).filter((name) => name > after).sort();
    const page = names.slice(0, limit);
    if (page.length === 0) return [];
    const found = await this.#redis.hmget(failures, ...page);
    return page.flatMap((name, i) =>
      found[i] ? [{ ...Failure.parse(JSON.parse(found[i])), name }] : [],
    );
  }

  /** Counts the objects that are tried again, and those that are not. */
  async count(id: string) {
    const { failures, retries } = keysOf(id);
    const [all, waiting] = await Promise.all([
      this.#redis.hlen(failures),
      this.#redis.zcard(retries),
    ]);
    return { waiting, givenUp: Math.max(0, all - waiting) };
  }
}

/** Returns the failure of an object after one more attempt. Another version starts anew; `''` is any version. */
function afterAttempt(
  known: Failure | undefined,
  { version, reason, batch }: FailedAttempt,
  nowMillis: number,
): Failure {
  const isSame = known && (known.version === version || !known.version || !version);
  const before = isSame ? known : undefined;
  const isRepeated = batch !== undefined && before?.batch === batch;
  const attempts = (before?.attempts ?? 0) + (isRepeated ? 0 : 1);
  return {
    version: version || (known?.version ?? ''),
    reason,
    attempts,
    ...(batch !== undefined && { batch }),
    sinceMillis: before?.sinceMillis ?? nowMillis,
    lastMillis: nowMillis,
    ...(attempts < MAX_ATTEMPTS && { retryAtMillis: nowMillis + retryMillis(attempts) }),
  };
}
