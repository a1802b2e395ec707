import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { defineScript, readLua } from '../platform/redis-script.ts';
import {
  displayPrefix,
  type Grant,
  hashKey,
  isKeyShaped,
  isLive,
  KEYS,
  KeyRecord,
  meterKey,
  mintKey,
  SCOPES,
  toCaller,
} from './key-record.ts';

/** A newly created key: its only appearance in clear text. */
export interface CreatedKey {
  key: string;
  record: KeyRecord;
}

export class KeyError extends Error {}

const timestamp = (millis: number): string => new Date(millis).toISOString();

const randomId = (): string => `key_${randomUUID().replaceAll('-', '').slice(0, 16)}`;

const parseRecord = (json: string): KeyRecord => KeyRecord.parse(JSON.parse(json));

const oldestFirst = (records: KeyRecord[]): KeyRecord[] =>
  records.sort((a, b) => a.createdAt.localeCompare(b.createdAt));

/** Keys that a client may have live at a time, by default. */
const DEFAULT_MAX_LIVE_KEYS = 5;

/** A key's record as it is copied to object storage. The hash does not reveal the key. */
export interface KeyCopy {
  hash: string;
  record: KeyRecord;
}

interface Change extends KeyCopy {
  /** The JSON that was read; undefined if there was none. */
  known: string | undefined;
}

/** How a client's records have its name. */
const memberOf = (client: string): string => `"client":${JSON.stringify(client)}`;

/** Replies of the script that writes; 0 is that another process was faster. */
const WRITTEN = 1;
const TOO_MANY = -1;
const LAST = -2;

/** What a client's keys must be like after a change. */
interface WriteRule {
  /** Live keys, unless there were as many before. */
  max: number;
  /** The last one, and the last that is no test key and has no end, stays live. */
  keepsLast?: boolean;
}

/** Repeats a change until no other process has overtaken it; each time one of them succeeds. */
async function untilWritten<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
}

interface KeyOptions {
  maxLive?: number;
  copy?: (copies: readonly KeyCopy[]) => Promise<void>;
}

export class Keys {
  readonly #redis: Redis;
  readonly #pepper: string;
  readonly #now: Clock;
  readonly #options: Required<KeyOptions>;
  readonly #write;
  #adopted: string | undefined;

  /**
   * @param pepper the installation's secret; keys hashed under another pepper are not found
   * @param options `copy` is called with what has been written, before anyone is told; `maxLive` is how many live keys a
   *   client may have before no more are created; rotation always works
   */
  constructor(
    redis: Redis,
    pepper: string,
    now: Clock,
    { maxLive = DEFAULT_MAX_LIVE_KEYS, copy = async () => {} }: KeyOptions = {},
  ) {
    this.#redis = redis;
    this.#pepper = pepper;
    this.#now = now;
    this.#options = { maxLive, copy };
    this.#write = defineScript<number>(redis, 'selvageKeysWrite', readLua('key-write'));
  }

  /**
   * Creates a key. Rejects with `KeyError` if its client has as many live keys as it may.
   * @param meter what it is counted under, with other keys; by default it is counted by itself
   * @param id that no key has; by default random
   */
  async create(grant: Grant, meter?: string, id?: string): Promise<CreatedKey> {
    const key = mintKey(grant.test);
    const change = this.#newKey(key, grant, meter, id);
    await this.#changeAndCopy(grant.client, [change]);
    return { key, record: change.record };
  }

  /**
   * Registers a key that the operator chose (the development key), replacing its grant. Returns false if it is revoked
   * or expired, which it stays. Rejects with `KeyError` if it is new and its client has as many live keys as it may.
   */
  adopt(key: string, grant: Grant): Promise<boolean> {
    this.#adopted = key;
    return untilWritten(async () => {
      const hash = this.hash(key);
      const known = (await this.#redis.hget(KEYS, hash)) ?? undefined;
      if (known === undefined) {
        return (await this.#change(grant.client, [this.#newKey(key, grant)])) || undefined;
      }
      const old = parseRecord(known);
      if (!isLive(old, this.#now())) return false;
      const { id, prefix, meter, createdAt, expiresAt } = old;
      const record = KeyRecord.parse({ ...grant, id, prefix, meter, createdAt, expiresAt });
      return (await this.#change(grant.client, [{ hash, known, record }])) || undefined;
    });
  }

  /**
   * Returns the live record of a presented key, or undefined. Rejects a text without the format and
   * checksum of a key before asking Redis, unless it was adopted.
   */
  async lookUp(key: string): Promise<KeyRecord | undefined> {
    if (!isKeyShaped(key) && key !== this.#adopted) return undefined;
    return this.findLive(this.hash(key));
  }

  /** Returns who presents a live key, undefined if it is unknown or not live. */
  readonly findCaller = async (key: string) => {
    const record = await this.lookUp(key);
    return record && toCaller(record);
  };

  /** Returns the hash a key's record is stored under. It does not reveal the key. */
  hash(key: string): string {
    return hashKey(this.#pepper, key);
  }

  /** Returns the live record stored under a hash, or undefined. */
  async findLive(hash: string): Promise<KeyRecord | undefined> {
    const json = await this.#redis.hget(KEYS, hash);
    const record = json ? parseRecord(json) : undefined;
    return record && isLive(record, this.#now()) ? record : undefined;
  }

  /** Returns every record, oldest first. */
  async list(): Promise<KeyRecord[]> {
    return oldestFirst((await this.#redis.hvals(KEYS)).map(parseRecord));
  }

  /** Returns every record of a client, oldest first. Parses no others. */
  async listOf(client: string): Promise<KeyRecord[]> {
    const all = await this.#redis.hvals(KEYS);
    return oldestFirst(all.filter((json) => json.includes(memberOf(client))).map(parseRecord));
  }

  /**
   * Creates another key with the same grant and meter; the old one stays live for `graceSeconds`, or until it would
   * have ended anyway. Rejects with `KeyError` if the key is not live.
   * @param newId that no key has; by default random
   */
  rotate(id: string, graceSeconds: number, newId?: string): Promise<CreatedKey> {
    return untilWritten(async () => {
      const { hash, known, record: old } = await this.#findById(id);
      const nowMillis = this.#now();
      if (!isLive(old, nowMillis)) {
        throw new KeyError(`Key ${id} is no longer live; create a new one`);
      }
      const key = mintKey(old.test);
      const { expiresAt = '', ...grant } = old;
      const created = this.#newKey(key, grant, old.meter, newId);
      const graceEnd = timestamp(nowMillis + graceSeconds * 1000);
      const isSooner = expiresAt !== '' && expiresAt < graceEnd;
      const expiring = { ...old, expiresAt: isSooner ? expiresAt : graceEnd };
      const changes = [created, { hash, known, record: expiring }];
      const isWritten = await this.#changeAndCopy(old.client, changes, {
        max: Number.MAX_SAFE_INTEGER,
      });
      return isWritten ? { key, record: created.record } : undefined;
    });
  }

  /**
   * Revokes a key: the next request with it is rejected.
   * @param rule with `keepsLast`, rejects with `KeyError` for the last key
   */
  revoke(id: string, rule: Pick<WriteRule, 'keepsLast'> = {}): Promise<KeyRecord> {
    return untilWritten(async () => {
      const { hash, known, record } = await this.#findById(id);
      const revoked = { ...record, revokedAt: record.revokedAt ?? timestamp(this.#now()) };
      const max = this.#options.maxLive;
      const changes = [{ hash, known, record: revoked }];
      const isWritten = await this.#changeAndCopy(record.client, changes, { max, ...rule });
      return isWritten ? revoked : undefined;
    });
  }

  async #findById(id: string): Promise<Change & { known: string }> {
    for (const [hash, known] of Object.entries(await this.#redis.hgetall(KEYS))) {
      const record = parseRecord(known);
      if (record.id === id) return { hash, known, record };
    }
    throw new KeyError(`There is no key ${id}; "keys list" shows all keys`);
  }

  #newKey(key: string, grant: Grant, meter?: string, id = randomId()): Change {
    const own = { id, prefix: displayPrefix(key), meter: meter ?? id };
    const record = KeyRecord.parse({ ...grant, ...own, createdAt: timestamp(this.#now()) });
    return { hash: this.hash(key), known: undefined, record };
  }

  /**
   * Writes the records of one client together. Returns false if another process has changed one of them since it
   * was read. Rejects with `KeyError` if the client would have more live keys than it may.
   */
  async #change(
    client: string,
    changes: readonly Change[],
    { max, keepsLast }: WriteRule = { max: this.#options.maxLive },
  ): Promise<boolean> {
    const reply = await this.#write(
      [KEYS, ...changes.map(({ record }) => meterKey(record.meter))],
      [
        ...[timestamp(this.#now()), max, memberOf(client), keepsLast ? 1 : 0],
        ...changes.flatMap(({ hash, known = '', record }) => [hash, known, JSON.stringify(record)]),
      ],
    );
    if (reply === TOO_MANY) return this.#rejectTooMany(client);
    if (reply === LAST) {
      throw new KeyError(
        'This is the last key of the client that lasts; create or rotate one first, or ask the operator',
      );
    }
    return reply === WRITTEN;
  }

  async #changeAndCopy(client: string, changes: readonly Change[], rule?: WriteRule) {
    const isWritten = await this.#change(client, changes, rule);
    if (isWritten) await this.#options.copy(changes);
    return isWritten;
  }

  async #rejectTooMany(client: string): Promise<never> {
    const ids = (await this.listOf(client))
      .filter((record) => isLive(record, this.#now()))
      .map(({ id }) => id);
    throw new KeyError(
      `Client ${client} has ${ids.length} live keys (${ids.join(', ')}), as many as MAX_LIVE_KEYS allows; revoke one of them first`,
    );
  }
}

/** The development key allows everything, faster than anyone types. */
const DEVELOPMENT_GRANT: Grant = {
  client: 'development',
  scopes: [...SCOPES],
  allowBase64: true,
  rate: { count: 6000, periodSeconds: 60 },
  quotaPerDay: 1_000_000,
};

const DEVELOPMENT_KEY_DEAD =
  'the development key is revoked or expired, and rejected: for a new one delete dev-key under SELVAGE_HOME, or set SELVAGE_DEV_KEY to the output of "npm run -s keys -- mint", and start again';

/** Registers the key from the settings that is accepted beside the others; warns if it is rejected. */
export async function adoptDevelopmentKey(keys: Keys, key: string, log: Logger): Promise<void> {
  try {
    const isLive = await keys.adopt(key, DEVELOPMENT_GRANT);
    if (!isLive) log.warn(DEVELOPMENT_KEY_DEAD);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    log.warn(`the development key is rejected: ${error.message}`);
  }
}
