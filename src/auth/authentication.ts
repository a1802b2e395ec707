import type { Redis } from 'ioredis';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { Identity } from './identity-provider.ts';
import { type Grant, type IntakeRight, type KeyRecord, rightsOf, SCOPES } from './key-record.ts';
import { KeyError, Keys } from './keys.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { People } from './people.ts';
import { Sessions } from './sessions.ts';

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

interface AuthenticationDeps {
  redis: Redis;
  now: Clock;
  log: Logger;
  keyPepper: string;
  /** A key from the settings that is accepted beside the registered ones. */
  developmentKey: string | undefined;
  /** Of a client. */
  maxLiveKeys: number;
  /** How people sign in without a key, if they may. */
  oidc: OidcSettings | undefined;
  /** Called with the key in Redis of a session that was ended. */
  onSignedOut(sessionKey: string): Promise<void>;
}

/** An authenticated caller: the record of its key, without the key. */
type AuthenticatedCaller = Omit<KeyRecord, 'id' | 'intake'> & {
  keyId: string;
  rights: readonly IntakeRight[];
  /** Who has signed in, if it was not by the key. */
  person?: string | undefined;
};

const toCaller = (record: KeyRecord, person?: string): AuthenticatedCaller => {
  const { id, intake, ...rest } = record;
  return { keyId: id, ...rest, rights: rightsOf(record), ...(person && { person }) };
};

/** Tells who sends a key or a session, and opens and ends sessions. */
export class Authentication {
  readonly #keys;
  readonly #sessions;
  readonly #people;
  readonly #developmentKey;

  private constructor(deps: AuthenticationDeps) {
    const { redis, now, keyPepper, maxLiveKeys, oidc, onSignedOut } = deps;
    this.#keys = new Keys(redis, keyPepper, now, { maxLive: maxLiveKeys });
    this.#sessions = new Sessions(redis, this.#keys, onSignedOut);
    this.#people = oidc && new People(redis, this.#keys, now, oidc);
    this.#developmentKey = deps.developmentKey;
  }

  /** Registers the development key, if there is one; warns if it is rejected. */
  static async open(deps: AuthenticationDeps): Promise<Authentication> {
    const authentication = new Authentication(deps);
    if (deps.developmentKey) await authentication.#adopt(deps.developmentKey, deps.log);
    return authentication;
  }

  async #adopt(developmentKey: string, log: Logger): Promise<void> {
    try {
      const isLive = await this.#keys.adopt(developmentKey, DEVELOPMENT_GRANT);
      if (!isLive) log.warn(DEVELOPMENT_KEY_DEAD);
    } catch (error) {
      if (!(error instanceof KeyError)) throw error;
      log.warn(`the development key is rejected: ${error.message}`);
    }
  }

  /** Returns the caller of a live key, undefined if the key is unknown or not live. */
  readonly findCaller = async (key: string): Promise<AuthenticatedCaller | undefined> => {
    const record = await this.#keys.lookUp(key, this.#developmentKey);
    return record && toCaller(record);
  };

  /** Returns the caller behind a session's id, undefined if it is unknown or its key not live. */
  readonly findSessionCaller = async (id: string): Promise<AuthenticatedCaller | undefined> => {
    const session = await this.#sessions.find(id);
    const person = session?.person;
    const record = person
      ? await this.#people?.find(person)
      : session && (await this.#sessions.keyOf(session));
    return record && toCaller(record, person?.name);
  };

  /** Creates a session for the key of a caller, and returns its id. */
  openSession(key: string, { expiresAt }: AuthenticatedCaller): Promise<string> {
    return this.#sessions.create(key, { expiresAt });
  }

  /**
   * Returns the caller that somebody is whom a provider has signed in, and what creates a session of it.
   * @throws Problem insufficient-scope if no role lets them in
   */
  async admitPerson(identity: Identity) {
    if (!this.#people) throw new Error('somebody has signed in, but there are no roles');
    const { session, record } = await this.#people.admit(identity);
    return {
      caller: toCaller(record, session.name),
      open: () => this.#sessions.createOf(identity.subject, session),
    };
  }

  signOut(id: string): Promise<void> {
    return this.#sessions.delete(id);
  }
}
