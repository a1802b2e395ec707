import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
import { defineScript, readLua } from '../platform/redis-script.ts';
import type { Identity } from './identity-provider.ts';
import { type KeyRecord, toCaller } from './key-record.ts';
import type { Keys } from './keys.ts';
import { type People, PersonSession } from './people.ts';

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
  person: PersonSession.optional(),
});
type Session = z.infer<typeof Session>;

/**
 * Browser sign-ins: a random id stands for a key or a person, and no page ever holds a key. Revoking or rotating
 * the key ends its sessions. Redis expires them by its own time.
 * @param people who may sign in without a key, if anyone
 * @param onDeleted called with the key in Redis of a session that was deleted, before anyone is told
 */
export class Sessions {
  readonly #redis;
  readonly #keys;
  readonly #people;
  readonly #onDeleted;
  readonly #store;

  constructor(
    redis: Redis,
    keys: Pick<Keys, 'hash' | 'findLive'>,
    people: People | undefined,
    onDeleted: (key: string) => Promise<void>,
  ) {
    this.#redis = redis;
    this.#keys = keys;
    this.#people = people;
    this.#onDeleted = onDeleted;
    this.#store = defineScript<number>(redis, 'selvageSessionCreate', readLua('session-create'));
  }

  async #find(id: string): Promise<Session | undefined> {
    const json = await this.#redis.get(redisKey(id));
    return json ? Session.parse(JSON.parse(json)) : undefined;
  }

  /** Returns the caller behind a session's id, undefined if it is unknown or its key not live. */
  readonly findCaller = async (id: string) => {
    const session = await this.#find(id);
    if (!session) return undefined;
    const { person } = session;
    const record = person ? await this.#people?.find(person) : await this.#keyOf(session);
    return record && toCaller(record, person?.name);
  };

  /** Returns the live record of the key a session stands for, or undefined. */
  async #keyOf(session: Session): Promise<KeyRecord | undefined> {
    const record = await this.#keys.findLive(session.place);
    return record?.expiresAt === session.keyExpiresAt ? record : undefined;
  }

  /** The oldest session of its place ends if there are more than five. */
  async #create(session: Session): Promise<string> {
    const id = randomBytes(32).toString('base64url');
    const keys = [redisKey(id), indexKey(session.place)];
    await this.#store(keys, [JSON.stringify(session), SESSION_SECONDS, MAX_SESSIONS]);
    return id;
  }

  /** Creates a session for a live key and returns its id, to be given to that browser only. */
  create(key: string, { expiresAt }: Pick<KeyRecord, 'expiresAt'>): Promise<string> {
    return this.#create({
      place: this.#keys.hash(key),
      ...(expiresAt && { keyExpiresAt: expiresAt }),
    });
  }

  /**
   * Returns the caller that somebody is whom a provider has signed in, and what creates a session of it.
   * @throws Problem insufficient-scope if no role lets them in
   */
  async admit(identity: Identity) {
    if (!this.#people) throw new Error('somebody has signed in, but there are no roles');
    const { person, record } = await this.#people.admit(identity);
    return {
      caller: toCaller(record, person.name),
      open: () => this.#create({ place: `person:${identity.subject}`, person }),
    };
  }

  async delete(id: string): Promise<void> {
    const session = await this.#find(id);
    if (!session) return;
    await this.#redis.multi().del(redisKey(id)).zrem(indexKey(session.place), redisKey(id)).exec();
    await this.#onDeleted(redisKey(id));
  }
}
