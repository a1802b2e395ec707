import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';
import { defineScript } from '../../platform/redis-script.ts';
import { createWebhookSecret } from '../../platform/webhook-signature.ts';
import type { Deed } from '../deeds.ts';
import { seal, unseal } from '../seal.ts';

/** How long the previous secret signs too after a new one is created. */
const OVERLAP_MILLIS = 86_400_000;
const MAX_DISABLED = 1000;

const StoredSecret = z.object({ secret: z.string(), createdAt: z.iso.datetime() });

interface SigningSecret {
  secret: string;
  createdAt: string;
  /** Only if a newer one has replaced it. */
  expiresAt?: string;
}

const secretsKey = (client: string) => `${PREFIX}:webhook-secrets:${client}`;
const disabledKey = (client: string) => `${PREFIX}:webhook-disabled:${client}`;

const Receivers = z.object({ secrets: z.array(z.string()), disabled: z.array(z.string()) });

async function sealReceivers(redis: Redis, client: string): Promise<Deed<'receivers'>> {
  const [secrets, disabled] = await Promise.all([
    redis.lrange(secretsKey(client), 0, 1),
    redis.zrange(disabledKey(client), 0, '-1'),
  ]);
  return { client, sealed: await seal(redis, client, JSON.stringify({ secrets, disabled })) };
}

/** KEYS: secrets. ARGV: newest secret that must be there or '', secrets, the newest first. */
const RESTORE = `
if (redis.call('LINDEX', KEYS[1], 0) or '') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return redis.call('RPUSH', KEYS[1], unpack(ARGV, 2))
`;

const createdAtOf = (text: string): string => StoredSecret.parse(JSON.parse(text)).createdAt;

/**
 * Restores secrets that Redis has lost, and enables the addresses that were enabled.
 * @returns undefined if it was encrypted by another Redis
 */
export async function restoreReceivers(
  redis: Redis,
  { client, sealed }: Deed<'receivers'>,
): Promise<boolean | undefined> {
  const text = await unseal(redis, client, sealed);
  if (text === undefined) return undefined;
  const stored = Receivers.parse(JSON.parse(text));
  const [newest] = stored.secrets;
  const known = await redis.lindex(secretsKey(client), 0);
  const isNewer = newest !== undefined && (!known || createdAtOf(known) < createdAtOf(newest));
  const restore = defineScript<number>(redis, 'selvageReceiversRestore', RESTORE);
  if (isNewer) await restore([secretsKey(client)], [known ?? '', ...stored.secrets]);
  const enabled = (await redis.zrange(disabledKey(client), 0, '-1')).filter(
    (url) => !stored.disabled.includes(url),
  );
  if (enabled.length > 0) await redis.zrem(disabledKey(client), ...enabled);
  return isNewer || enabled.length > 0;
}

/** Receivers of webhooks: by client, at most two signing secrets, the newest first, and disabled addresses. */
export class WebhookReceivers {
  readonly #redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Creates a secret. Only the one before it stays in use, for a day. Enables every address. */
  async createSecret(client: string, nowMillis: number) {
    const secret = createWebhookSecret();
    const createdAt = new Date(nowMillis).toISOString();
    const replies = await this.#redis
      .multi()
      .lpush(secretsKey(client), JSON.stringify({ secret, createdAt }))
      .ltrim(secretsKey(client), 0, 1)
      .del(disabledKey(client))
      .exec();
    const hasPrevious = Number(replies?.[0]?.[1]) > 1;
    const previousExpiresAt = new Date(nowMillis + OVERLAP_MILLIS).toISOString();
    return { secret, createdAt, ...(hasPrevious && { previousExpiresAt }) };
  }

  /** Returns the secrets in use, the newest first. Deletes an expired one. */
  async activeSecrets(client: string, nowMillis: number): Promise<SigningSecret[]> {
    const stored = await this.#redis.lrange(secretsKey(client), 0, 1);
    const [newest, previous] = stored.map((text) => StoredSecret.parse(JSON.parse(text)));
    if (!newest) return [];
    if (!previous) return [newest];
    const expiresAtMillis = Date.parse(newest.createdAt) + OVERLAP_MILLIS;
    if (expiresAtMillis > nowMillis)
      return [newest, { ...previous, expiresAt: new Date(expiresAtMillis).toISOString() }];
    await this.#redis.lrem(secretsKey(client), 1, stored[1] ?? '');
    return [newest];
  }

  /** Returns secrets and disabled addresses of a client as a deed that only this Redis can read. */
  seal(client: string): Promise<Deed<'receivers'>> {
    return sealReceivers(this.#redis, client);
  }

  /** Disables an address: nothing is sent to it until it is enabled. */
  async disable(client: string, url: string, nowMillis: number): Promise<void> {
    await this.#redis
      .multi()
      .zadd(disabledKey(client), nowMillis, url)
      .zremrangebyrank(disabledKey(client), 0, -1 - MAX_DISABLED)
      .exec();
  }

  async enable(client: string, url: string): Promise<void> {
    await this.#redis.zrem(disabledKey(client), url);
  }

  async isDisabled(client: string, url: string): Promise<boolean> {
    return (await this.#redis.zscore(disabledKey(client), url)) !== null;
  }

  disabled(client: string): Promise<string[]> {
    return this.#redis.zrevrange(disabledKey(client), 0, -1);
  }
}
