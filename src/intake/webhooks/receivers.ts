import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';
import { createWebhookSecret } from './signature.ts';

/** How long the previous secret signs too after a new one is created. */
const OVERLAP_MILLIS = 86_400_000;
const MAX_DISABLED = 1000;

const StoredSecret = z.object({ secret: z.string(), createdAt: z.iso.datetime() });

/** A secret that is in use. */
interface SigningSecret {
  secret: string;
  createdAt: string;
  /** Only if a newer one has replaced it. */
  expiresAt?: string;
}

const secretsKey = (client: string) => `${PREFIX}:webhook-secrets:${client}`;
const disabledKey = (client: string) => `${PREFIX}:webhook-disabled:${client}`;

/** Receivers of webhooks: by client, at most two signing secrets, the newest first, and disabled addresses. */
export function createWebhookReceivers(redis: Redis) {
  return {
    /** Creates a secret. Only the one before it stays in use, for a day. Enables every address. */
    async createSecret(client: string, nowMillis: number) {
      const secret = createWebhookSecret();
      const createdAt = new Date(nowMillis).toISOString();
      const replies = await redis
        .multi()
        .lpush(secretsKey(client), JSON.stringify({ secret, createdAt }))
        .ltrim(secretsKey(client), 0, 1)
        .del(disabledKey(client))
        .exec();
      const hasPrevious = Number(replies?.[0]?.[1]) > 1;
      const previousExpiresAt = new Date(nowMillis + OVERLAP_MILLIS).toISOString();
      return { secret, createdAt, ...(hasPrevious && { previousExpiresAt }) };
    },

    /** Returns the secrets in use, the newest first. Deletes an expired one. */
    async activeSecrets(client: string, nowMillis: number): Promise<SigningSecret[]> {
      const stored = await redis.lrange(secretsKey(client), 0, 1);
      const [newest, previous] = stored.map((text) => StoredSecret.parse(JSON.parse(text)));
      if (!newest) return [];
      if (!previous) return [newest];
      const expiresAtMillis = Date.parse(newest.createdAt) + OVERLAP_MILLIS;
      if (expiresAtMillis > nowMillis) {
        return [newest, { ...previous, expiresAt: new Date(expiresAtMillis).toISOString() }];
      }
      await redis.lrem(secretsKey(client), 1, stored[1] ?? '');
      return [newest];
    },

    /** Disables an address: nothing is sent to it until it is enabled. */
    async disable(client: string, url: string, nowMillis: number): Promise<void> {
      await redis
        .multi()
        .zadd(disabledKey(client), nowMillis, url)
        .zremrangebyrank(disabledKey(client), 0, -1 - MAX_DISABLED)
        .exec();
    },
    async enable(client: string, url: string): Promise<void> {
      await redis.zrem(disabledKey(client), url);
    },
    isDisabled: async (client: string, url: string): Promise<boolean> =>
      (await redis.zscore(disabledKey(client), url)) !== null,
    /** Returns the disabled addresses, the latest first. */
    disabled: (client: string): Promise<string[]> => redis.zrevrange(disabledKey(client), 0, -1),
  };
}

export type WebhookReceivers = ReturnType<typeof createWebhookReceivers>;
