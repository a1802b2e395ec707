import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Problem, unavailable } from '../platform/problem.ts';
import { PREFIX } from '../platform/redis.ts';

const ANSWER_SECONDS = 86_400;
/** A request that takes longer to be accepted has died on the way. */
const IN_FLIGHT_SECONDS = 60;

const Answer = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.record(z.string(), z.unknown()),
});
export type Answer = z.infer<typeof Answer>;
const Entry = z.object({ fingerprint: z.string(), answer: Answer.optional() });

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const underWay = (): Problem =>
  new Problem('conflict', 'The first request with this Idempotency-Key is still under way', {
    headers: { 'retry-after': '1' },
  });

/** Answers kept by the keys that clients choose, so that a request sent again does nothing again. */
export function createIdempotency(redis: Redis) {
  const down = (cause: unknown): never => {
    throw unavailable('The Idempotency-Key cannot be checked right now; try again', 1, cause);
  };

  return {
    /**
     * Does the work once for a key, and answers what it answered whenever the key comes again.
     * @param scope whose key it is; @param parts what makes two requests the same
     * @throws Problem conflict, idempotency-mismatch; as the work throws, and then nothing is kept
     */
    async once(
      { scope, key, parts }: { scope: string; key: string; parts: unknown },
      work: () => Promise<Answer>,
    ): Promise<{ answer: Answer; isReplay: boolean }> {
      const name = `${PREFIX}:idempotency:${digest(`${scope}\n${key}`)}`;
      const fingerprint = digest(JSON.stringify(parts));
      const mark = JSON.stringify({ fingerprint });
      const earlier = await redis
        .set(name, mark, 'EX', IN_FLIGHT_SECONDS, 'NX')
        .then(async (isFirst) => (isFirst ? undefined : ((await redis.get(name)) ?? mark)))
        .catch(down);
      if (earlier !== undefined) {
        const entry = Entry.parse(JSON.parse(earlier));
        if (entry.fingerprint !== fingerprint) {
          throw new Problem(
            'idempotency-mismatch',
            'This Idempotency-Key came with another request before; choose a new one',
          );
        }
        if (!entry.answer) throw underWay();
        return { answer: entry.answer, isReplay: true };
      }
      const answer = await work().catch(async (error) => {
        await redis.del(name).catch(() => {}); // it runs out by itself
        throw error;
      });
      const kept = JSON.stringify({ fingerprint, answer });
      // The work is done and says so, even where nobody will remember it.
      await redis.set(name, kept, 'EX', ANSWER_SECONDS).catch(() => {});
      return { answer, isReplay: false };
    },
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;
