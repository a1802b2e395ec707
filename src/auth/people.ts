import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { Problem } from '../platform/problem.ts';
import type { Identity } from './identity-provider.ts';
import { findLiveByMeter, isLive, type KeyRecord } from './key-record.ts';
import type { Keys } from './keys.ts';
import type { OidcSettings, Role } from './oidc-settings.ts';

/** What a session holds of a person. */
export const PersonSession = z.object({
  name: z.string(),
  /** Of their role. */
  value: z.string(),
  /** Under which the keys count whose limits apply. */
  meter: z.string(),
});
type PersonSession = z.infer<typeof PersonSession>;

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
export class People {
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
  async admit(identity: Identity): Promise<{ person: PersonSession; record: KeyRecord }> {
    const { roles } = this.#settings;
    const name = nameOf(identity);
    const role = roles.find(({ value }) => identity.values.includes(value));
    if (!role) throw this.#unknown(name, identity.values);
    const record = await this.#keyOf(role);
    const person = { name, value: role.value, meter: record.meter };
    return { person, record: withRole(record, role) };
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
