import type { Redis } from 'ioredis';
import type { Clock } from '../platform/clock.ts';
import { createKeys, type Grant, type KeyRecord } from './keys.ts';
import { SCOPES } from './scopes.ts';
import { createSessions } from './sessions.ts';

/** The development key allows everything, faster than anyone types. */
const DEVELOPMENT_GRANT: Grant = {
  client: 'development',
  scopes: [...SCOPES],
  allowBase64: true,
  rate: { count: 6000, periodSeconds: 60 },
  quotaPerDay: 1_000_000,
};

interface AuthenticationDeps {
  redis: Redis;
  now: Clock;
  keyPepper: string;
  /** A key from the settings that is accepted beside the registered ones. */
  developmentKey: string | undefined;
}

/** An authenticated caller: the record of its key, without the key. */
type AuthenticatedCaller = Omit<KeyRecord, 'id'> & { keyId: string };

const toCaller = (record: KeyRecord | undefined): AuthenticatedCaller | undefined => {
  if (!record) return undefined;
  const { id, ...rest } = record;
  return { keyId: id, ...rest };
};

/**
 * Creates the lookup of callers by key and by session. Registers the development key if one is set.
 */
export async function createAuthentication({
  redis,
  now,
  keyPepper,
  developmentKey,
}: AuthenticationDeps) {
  const keys = createKeys(redis, keyPepper, now);
  const sessions = createSessions(redis, keys);
  if (developmentKey) await keys.adopt(developmentKey, DEVELOPMENT_GRANT);

  return {
    /** Returns the caller of a live key, undefined if the key is unknown or not live. */
    findCaller: async (key: string) => toCaller(await keys.lookUp(key, developmentKey)),
    /** Returns the caller behind a session's id, undefined if it is unknown or its key not live. */
    findSessionCaller: async (id: string) => toCaller(await sessions.findKey(id)),
    /** Creates a session for a live key; resolves to undefined if the key is not live. */
    async signIn(key: string): Promise<(KeyRecord & { sessionId: string }) | undefined> {
      const record = await keys.lookUp(key, developmentKey);
      return record && { ...record, sessionId: await sessions.create(key, record) };
    },
    signOut: sessions.delete,
  };
}

export type Authentication = Awaited<ReturnType<typeof createAuthentication>>;
