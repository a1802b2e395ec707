import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
import type { KeyRecord, Keys } from './keys.ts';

/** How long a sign-in lasts. */
export const SESSION_SECONDS = 12 * 3600;

/** Reading Redis reveals that sessions exist, but no id that could be used. */
const redisKey = (id: string): string =>
  `${PREFIX}:session:${createHash('sha256').update(id).digest('hex')}`;

const Session = z.object({
  /** The hash the key's record is stored under. */
  place: z.string(),
  /** The key's expiry at sign-in: rotating the key changes it. */
  keyExpiresAt: z.string().optional(),
});

/**
 * Browser sign-ins: a random id stands for a key, and no page ever holds one. Revoking or rotating
 * the key ends its sessions. Redis expires them by its own time.
 */
export function createSessions(redis: Redis, keys: Pick<Keys, 'hash' | 'findLive'>) {
  return {
    /** Creates a session for a live key and returns its id, to be given to that browser only. */
    async create(key: string, { expiresAt }: Pick<KeyRecord, 'expiresAt'>): Promise<string> {
      const id = randomBytes(32).toString('base64url');
      const session = { place: keys.hash(key), ...(expiresAt && { keyExpiresAt: expiresAt }) };
      await redis.set(redisKey(id), JSON.stringify(session), 'EX', SESSION_SECONDS);
      return id;
    },

    /** Returns the live record of the key a session stands for, or undefined. */
    async findKey(id: string): Promise<KeyRecord | undefined> {
      const json = await redis.get(redisKey(id));
      if (!json) return undefined;
      const { place, keyExpiresAt } = Session.parse(JSON.parse(json));
      const record = await keys.findLive(place);
      return record?.expiresAt === keyExpiresAt ? record : undefined;
    },

    async delete(id: string): Promise<void> {
      await redis.del(redisKey(id));
    },
  };
}
