import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
import { defineScript, readLua } from '../platform/redis-script.ts';
import type { KeyRecord } from './key-record.ts';
import type { Keys } from './keys.ts';

/** How long a sign-in lasts. */
export const SESSION_SECONDS = 12 * 3600;

/** Sessions of a key at a time: a further one ends the oldest. */
const MAX_SESSIONS = 5;

const SESSION_PREFIX = `${PREFIX}:session:`;

/** Reading Redis reveals that sessions exist, but no id that could be used. */
const redisKey = (id: string): string =>
  `${SESSION_PREFIX}${createHash('sha256').update(id).digest('hex')}`;

/** Ends a session that was ended before Redis lost it. Returns whether it was there. */
export const endSession = async (redis: Redis, key: string): Promise<boolean> =>
  key.startsWith(SESSION_PREFIX) && (await redis.del(key)) === 1;

/** The sessions of a key by the time they were created. */
const indexKey = (place: string): string => `${PREFIX}:sessions-of:${place}`;

const Session = z.object({
  /** Whose sessions it is counted with: the hash the key's record is stored under, or a name of the person. */
  place: z.string(),
  /** The key's expiry at sign-in: rotating the key changes it. */
  keyExpiresAt: z.string().optional(),
  /** Who has signed in without a key. */
  person: z
    .object({
      name: z.string(),
      /** Of their role. */
      value: z.string(),
      /** Under which the keys count whose limits apply. */
      meter: z.string(),
    })
    .optional(),
});
export type PersonSession = NonNullable<Session['person']>;
type Session = z.infer<typeof Session>;

function defineCreate(redis: Redis) {
  const run = defineScript<number>(redis, 'selvageSessionCreate', readLua('session-create'));
  return async (id: string, session: Session): Promise<void> => {
    const keys = [redisKey(id), indexKey(session.place)];
    await run(keys, [JSON.stringify(session), SESSION_SECONDS, MAX_SESSIONS]);
  };
}

/**
 * Browser sign-ins: a random id stands for a key or a person, and no page ever holds a key. Revoking or rotating
 * the key ends its sessions. Redis expires them by its own time.
 * @param onDeleted called with the key in Redis of a session that was deleted, before anyone is told
 */
export class Sessions {
  readonly #redis;
  readonly #keys;
  readonly #onDeleted;
  readonly #store;

  constructor(
    redis: Redis,
    keys: Pick<Keys, 'hash' | 'findLive'>,
    onDeleted: (key: string) => Promise<void>,
  ) {
    this.#redis = redis;
    this.#keys = keys;
    this.#onDeleted = onDeleted;
    this.#store = defineCreate(redis);
  }

  async find(id: string): Promise<Session | undefined> {
    const json = await this.#redis.get(redisKey(id));
    return json ? Session.parse(JSON.parse(json)) : undefined;
  }

  async #create(session: Session): Promise<string> {
    const id = randomBytes(32).toString('base64url');
    await this.#store(id, session);
    return id;
  }

  /**
   * Creates a session for a live key and returns its id, to be given to that browser only. The
   * key's oldest session ends if there are more than five.
   */
  create(key: string, { expiresAt }: Pick<KeyRecord, 'expiresAt'>): Promise<string> {
    return this.#create({
      place: this.#keys.hash(key),
      ...(expiresAt && { keyExpiresAt: expiresAt }),
    });
  }

  /** Creates a session of a person, as `create` does. @param subject who it is, unique at the provider */
  createOf(subject: string, person: PersonSession): Promise<string> {
    return this.#create({ place: `person:${subject}`, person });
  }

  /** Returns the live record of the key a session stands for, or undefined. */
  async keyOf(session: Session): Promise<KeyRecord | undefined> {
    const record = await this.#keys.findLive(session.place);
    return record?.expiresAt === session.keyExpiresAt ? record : undefined;
  }

  async delete(id: string): Promise<void> {
    const session = await this.find(id);
    if (!session) return;
    await this.#redis.multi().del(redisKey(id)).zrem(indexKey(session.place), redisKey(id)).exec();
    await this.#onDeleted(redisKey(id));
  }
}
