import type { Redis } from 'ioredis';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { Problem } from '../platform/problem.ts';
import type { Identity } from './identity-provider.ts';
import {
  findLiveByMeter,
  type Grant,
  type IntakeRight,
  isLive,
  type KeyRecord,
  rightsOf,
  SCOPES,
} from './key-record.ts';
import { KeyError, Keys } from './keys.ts';
import type { OidcSettings, Role } from './oidc-settings.ts';
import { type PersonSession, Sessions } from './sessions.ts';

/** What may be shown of values that no role has. */
const SHOWN_VALUES = 20;

/** How logs and decisions name a person: the subject is unique, the e-mail says who it is. */
const nameOf = ({ subject, email }: Identity): string =>
  (email === undefined ? subject : `${email} (${subject})`).replace(/\p{Cc}/gu, '');

const withRole = (record: KeyRecord, { scopes, intake }: Role): KeyRecord => ({
  ...record,
  scopes,
  intake,
});

/** People who sign in without a key, each with a role: a client, whose keys give the limits, and scopes. */
class People {
  readonly #redis: Redis;
  readonly #keys: Keys;
  readonly #now: Clock;
  readonly #settings: Pick<OidcSettings, 'roles' | 'claim'>;

  constructor(
    redis: Redis,
    keys: Keys,
    now: Clock,
    settings: Pick<OidcSettings, 'roles' | 'claim'>,
  ) {
    this.#redis = redis;
    this.#keys = keys;
    this.#now = now;
    this.#settings = settings;
  }

  /** Returns what a session of a person holds and allows. @throws Problem insufficient-scope if they may not sign in */
  async admit(identity: Identity): Promise<{ session: PersonSession; record: KeyRecord }> {
    const { roles } = this.#settings;
    const name = nameOf(identity);
    const role = roles.find(({ value }) => identity.values.includes(value));
    if (!role) throw this.#unknown(name, identity.values);
    const record = await this.#keyOf(role);
    const session = { name, value: role.value, meter: record.meter };
    return { session, record: withRole(record, role) };
  }

  /** Returns the record of the keys whose limits apply, with the scopes of the role; undefined if one of both is gone. */
  async find({ value, meter }: PersonSession): Promise<KeyRecord | undefined> {
    const role = this.#settings.roles.find((each) => each.value === value);
    const record = role && (await findLiveByMeter(this.#redis, meter, this.#now()));
    if (!role || record?.client !== role.client) return undefined;
    return withRole(record, role);
  }

  /** Of the client's live keys, that with the largest quota gives the limits. */
  async #keyOf({ client }: Role): Promise<KeyRecord> {
    const records = await this.#keys.listOf(client);
    const [first] = records
      .filter((record) => isLive(record, this.#now()) && !record.test)
      .sort((a, b) => b.quotaPerDay - a.quotaPerDay);
    if (first) return first;
    throw new Problem(
      'insufficient-scope',
      `You may act for the client ${client}, but it has no live key, whose limits would apply; ask the operator to create one`,
    );
  }

  #unknown(name: string, values: readonly string[]): Problem {
    const { claim } = this.#settings;
    const own = values.slice(0, SHOWN_VALUES).map((value) => `"${value}"`);
    const what = own.length > 0 ? `is ${own.join(', ')}` : 'is missing';
    return new Problem(
      'insufficient-scope',
      `You are ${name}, and nobody has let you in yet. Ask the operator for a role: your claim "${claim}" ${what}, which OIDC_ROLES does not have`,
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
