import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { KeyRecord, Keys } from './keys.ts';

/** How long a sign-in is good for. */
export const SESSION_SECONDS = 12 * 3600;

/** Who reads Redis learns of sessions, but can use none. */
const nameOf = (id: string): string =>
  `{selvage}:session:${createHash('sha256').update(id).digest('hex')}`;

const Session = z.object({
  /** Where the key's record is. */
  place: z.string(),
  /** When the key was to end, as it was known at the sign-in: rotating a key changes that. */
  keyExpiresAt: z.string().optional(),
});

/**
 * Sign-ins of browsers: a random id stands for a key, so that no page ever holds one. A key that is
 * revoked or rotated takes its sessions with it.
 */
export function createSessions(redis: Redis, keys: Pick<Keys, 'placeOf' | 'liveAt'>) {
  return {
    /** A new session of a live key; to be handed to its browser and kept nowhere else. */
    async open(key: string, { expiresAt }: Pick<KeyRecord, 'expiresAt'>): Promise<string> {
      const id = randomBytes(32).toString('base64url');
      const session = { place: keys.placeOf(key), ...(expiresAt && { keyExpiresAt: expiresAt }) };
      await redis.set(nameOf(id), JSON.stringify(session), 'EX', SESSION_SECONDS);
      return id;
    },

    /** The live record of the key a session stands for, or nothing. */
    async keyOf(id: string): Promise<KeyRecord | undefined> {
      const json = await redis.get(nameOf(id));
      if (!json) return undefined;
      const { place, keyExpiresAt } = Session.parse(JSON.parse(json));
      const record = await keys.liveAt(place);
      return record?.expiresAt === keyExpiresAt ? record : undefined;
    },

    async end(id: string): Promise<void> {
      await redis.del(nameOf(id));
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;
