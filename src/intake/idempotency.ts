import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Problem, unavailable } from '../platform/problem.ts';
import { PREFIX } from '../platform/redis.ts';

const RESPONSE_SECONDS = 86_400;
/** A request that takes longer to be accepted has died on the way. */
const IN_FLIGHT_SECONDS = 60;

const StoredResponse = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.record(z.string(), z.unknown()),
});
export type StoredResponse = z.infer<typeof StoredResponse>;
/** Without an answer the request is in flight. */
const Entry = z.object({ fingerprint: z.string(), answer: StoredResponse.optional() });

interface IdempotentRequest {
  /** Whose key it is: two scopes may use the same key. */
  scope: string;
  /** The `Idempotency-Key` of the client. */
  key: string;
  /** Two requests are the same if their content is, as JSON. */
  content: unknown;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const inFlight = (): Problem =>
  new Problem('conflict', 'The first request with this Idempotency-Key is still in progress', {
    headers: { 'retry-after': '1' },
  });

function checkFailed(cause: unknown): never {
  throw unavailable('The Idempotency-Key cannot be checked right now; try again', 1, cause);
}

/** Stores responses in Redis under the keys that clients choose: a repeated request has no effect. */
export function createIdempotency(redis: Redis) {
  /** Returns the entry another request has made, or marks this one as in flight and returns nothing. */
  async function claim(name: string, mark: string): Promise<string | undefined> {
    const isFirst = await redis.set(name, mark, 'EX', IN_FLIGHT_SECONDS, 'NX');
    return isFirst ? undefined : ((await redis.get(name)) ?? mark);
  }

  return {
    /**
     * Handles the first request with a key, and returns its stored response to repeated ones for a day.
     * @throws Problem conflict while the first is in flight; idempotency-mismatch if the content differs;
     *   upstream-unavailable; as `handle` throws, and then nothing is stored
     */
    async once(
      { scope, key, content }: IdempotentRequest,
      handle: () => Promise<StoredResponse>,
    ): Promise<{ response: StoredResponse; isReplay: boolean }> {
      const name = `${PREFIX}:idempotency:${sha256(`${scope}\n${key}`)}`;
      const fingerprint = sha256(JSON.stringify(content));
      const existing = await claim(name, JSON.stringify({ fingerprint })).catch(checkFailed);
      if (existing !== undefined) {
        const entry = Entry.parse(JSON.parse(existing));
        if (entry.fingerprint !== fingerprint) {
          throw new Problem(
            'idempotency-mismatch',
            'This Idempotency-Key came with another request before; choose a new one',
          );
        }
        if (!entry.answer) throw inFlight();
        return { response: entry.answer, isReplay: true };
      }
      const response = await handle().catch(async (error) => {
        await redis.del(name).catch(() => {}); // it expires by itself
        throw error;
      });
      const entry = JSON.stringify({ fingerprint, answer: response } satisfies z.infer<
        typeof Entry
      >);
      // The request has taken effect: its response is sent even if it cannot be stored.
      await redis.set(name, entry, 'EX', RESPONSE_SECONDS).catch(() => {});
      return { response, isReplay: false };
    },
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;
