import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';
import { mintWebhookSecret } from './signature.ts';

/** So long after a new secret is made, the one before it still signs. */
const OVERLAP_MILLIS = 86_400_000;
const MOST_DISABLED = 1000;

const Kept = z.object({ secret: z.string(), createdAt: z.iso.datetime() });

/** A secret that signs. */
export interface LiveSecret {
  secret: string;
  createdAt: string;
  /** Only where a newer one has taken its place. */
  expiresAt?: string;
}

const secretsOf = (client: string) => `${PREFIX}:webhook-secrets:${client}`;
const disabledOf = (client: string) => `${PREFIX}:webhook-disabled:${client}`;

/** Who receives webhooks: by client, at most two secrets, the newest first, and addresses that are off. */
export function createWebhookReceivers(redis: Redis) {
  return {
    /** Makes a secret. The one before it lives on for a day, the one before that not; every address is on. */
    async makeSecret(client: string, nowMillis: number) {
      const secret = mintWebhookSecret();
      const createdAt = new Date(nowMillis).toISOString();
      const replies = await redis
        .multi()
        .lpush(secretsOf(client), JSON.stringify({ secret, createdAt }))
        .ltrim(secretsOf(client), 0, 1)
        .del(disabledOf(client))
        .exec();
      const hasPrevious = Number(replies?.[0]?.[1]) > 1;
      const previousExpiresAt = new Date(nowMillis + OVERLAP_MILLIS).toISOString();
      return { secret, createdAt, ...(hasPrevious && { previousExpiresAt }) };
    },

    /** The secrets that sign at this moment, the newest first. What has expired is deleted. */
    async live(client: string, nowMillis: number): Promise<LiveSecret[]> {
      const kept = await redis.lrange(secretsOf(client), 0, 1);
      const [newest, previous] = kept.map((text) => Kept.parse(JSON.parse(text)));
      if (!newest) return [];
      if (!previous) return [newest];
      const expiresAtMillis = Date.parse(newest.createdAt) + OVERLAP_MILLIS;
      if (expiresAtMillis > nowMillis) {
        return [newest, { ...previous, expiresAt: new Date(expiresAtMillis).toISOString() }];
      }
      await redis.lrem(secretsOf(client), 1, kept[1] ?? '');
      return [newest];
    },

    /** Sends nothing more to an address until it is enabled. */
    async disable(client: string, url: string, nowMillis: number): Promise<void> {
      await redis
        .multi()
        .zadd(disabledOf(client), nowMillis, url)
        .zremrangebyrank(disabledOf(client), 0, -1 - MOST_DISABLED)
        .exec();
    },
    async enable(client: string, url: string): Promise<void> {
      await redis.zrem(disabledOf(client), url);
    },
    isDisabled: async (client: string, url: string): Promise<boolean> =>
      (await redis.zscore(disabledOf(client), url)) !== null,
    /** The latest first. */
    disabled: (client: string): Promise<string[]> => redis.zrevrange(disabledOf(client), 0, -1),
  };
}

export type WebhookReceivers = ReturnType<typeof createWebhookReceivers>;
