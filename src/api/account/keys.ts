import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  CLIENT_SCOPES,
  GrantFields,
  INTAKE_RIGHTS,
  isLive,
  KeyRecord,
  rightsOf,
} from '../../auth/key-record.ts';
import { type CreatedKey, KeyError } from '../../auth/keys.ts';
import type { Rate } from '../../auth/limit-settings.ts';
import type { Gateway } from '../../gateway.ts';
import { type Call, json, jsonDoc, type Reply, type Route, route } from '../../http/route.ts';
import { Problem, type ValidationIssue } from '../../platform/problem.ts';
import { clientScopes, line, RateForm } from '../access.ts';
import { notFound } from '../common-problems.ts';
import { shownOnce } from '../intake/idempotent.ts';
import { named, namedRequest } from '../schema.ts';

type Granted = Omit<KeyRecord, 'id' | 'prefix' | 'meter' | 'createdAt'>;

const perSecond = ({ rate }: Granted): number => rate.count / rate.periodSeconds;
const isAmong = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((each) => all.includes(each));

/** What a key may not hold more of than the key that makes it: member -> whether it holds no more. */
const RULES: Readonly<Record<string, (own: Granted, other: Granted) => boolean>> = {
  test: (own, other) => !own.test || other.test === true,
  scopes: (own, other) => isAmong(other.scopes, own.scopes),
  intake: (own, other) => isAmong(rightsOf(other), rightsOf(own)),
  allowBase64: (own, other) => own.allowBase64 || !other.allowBase64,
  rate: (own, other) =>
    other.rate.count <= own.rate.count && perSecond(other) <= perSecond(own) + 1e-9,
  quotaPerDay: (own, other) => other.quotaPerDay <= own.quotaPerDay,
  bytesPerDay: (own, other) => other.bytesPerDay <= own.bytesPerDay,
  weight: (own, other) => other.weight <= own.weight,
  maxFeeds: (own, other) => other.maxFeeds <= own.maxFeeds,
  feedIntervalSeconds: (own, other) => other.feedIntervalSeconds >= own.feedIntervalSeconds,
  retention: (own, other) => !own.retention || isDeepStrictEqual(other.retention, own.retention),
};

/**
 * Checks that a key holds all that another has, or is to have: else it would give away what it lacks.
 * @throws Problem insufficient-scope, with what the other holds more of
 */
function requireCovered(own: Granted, other: Granted): void {
  const errors: ValidationIssue[] = Object.entries(RULES)
    .filter(([, holdsNoMore]) => !holdsNoMore(own, other))
    .map(([name]) => ({ pointer: `/${name}`, detail: 'is more than this key has' }));
  if (errors.length === 0) return;
  const detail = `Use a key that holds as much itself: this one has less ${errors.map(({ pointer }) => pointer.slice(1)).join(', ')}`;
  throw new Problem('insufficient-scope', detail, { errors });
}

const PATH = '/account/v1/keys';
export const SCOPE = 'account';

/** Keys that a client may create and rotate: their records are kept for good. */
const NEW_KEYS_RATE: Rate = { count: 20, periodSeconds: 86_400 };

const MAX_GRACE_SECONDS = 30 * 86_400;

const KeyForm = namedRequest('AccountKeyForm', {
  name: line(100).optional().meta({ description: 'What you call it' }),
  scopes: clientScopes.optional().meta({ description: 'By default all of this key' }),
  intake: z.array(z.enum(INTAKE_RIGHTS)).optional(),
  test: z.literal(true).optional().meta({ description: 'A test key' }),
  rate: RateForm.optional(),
  quotaPerDay: z.number().int().min(1).max(1e9).optional(),
  allowBase64: z.boolean().optional(),
});

const AccountKey = named('AccountKey', {
  id: z.string(),
  name: z.string().optional(),
  prefix: z.string().meta({ description: 'How the key begins' }),
  scopes: z.array(z.string()),
  intake: z.array(z.string()).meta({ description: 'The parts of `/intake` it may use' }),
  test: z.boolean(),
  current: z.boolean().meta({ description: 'The key of this request' }),
  rate: z.object({ count: z.number(), periodSeconds: z.number() }),
  quotaPerDay: z.number(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime().optional(),
  key: z.string().optional().meta({ description: '`slv_…`; only when it is new' }),
});

const RevokedKey = AccountKey.pick({ id: true, current: true }).extend({
  revokedAt: z.iso.datetime().optional(),
});

const newKeyDoc = { 201: jsonDoc('The key; it is not shown again', AccountKey) };

const viewOf = (record: KeyRecord, { id }: KeyRecord, lastUsedAt?: string | null) =>
  AccountKey.parse({
    ...record,
    intake: rightsOf(record),
    test: record.test ?? false,
    current: record.id === id,
    ...(lastUsedAt && { lastUsedAt }),
  });

/** Has as many keys as it may, has only this one, or another request was faster. */
function throwConflict(error: unknown): never {
  if (error instanceof KeyError) throw new Problem('conflict', error.message);
  throw error;
}

/** A client's own keys. */
class AccountKeys {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  list = async (call: Call): Promise<Reply> => {
    const { own, live } = await this.#read(call);
    const uses = await this.#gateway.clientUsage.lastUses(live.map(({ id }) => id));
    return json({ keys: live.map((record, i) => viewOf(record, own, uses[i])) });
  };

  create = async (call: Call<unknown, z.infer<typeof KeyForm>>): Promise<Reply> => {
    const { own } = await this.#read(call);
    const { name, ...changes } = call.body;
    const scopes = own.scopes.filter((scope) => CLIENT_SCOPES.includes(scope));
    const grant = GrantFields.parse({ ...own, scopes, ...changes, name });
    // Counted together: a further key is no further quota. What a test key does costs nothing.
    const meter = grant.test && !own.test ? undefined : own.meter;
    return this.#make(call, PATH, own, async (id) => {
      requireCovered(own, grant);
      await this.#countNew(own);
      return this.#gateway.keys.create(grant, meter, id);
    });
  };

  rotate = async (call: Call<unknown, { graceSeconds: number }>): Promise<Reply> => {
    const { own } = await this.#read(call);
    return this.#make(call, `${PATH}/${call.params.id}/rotate`, own, async (id) => {
      const { found } = await this.#find(call);
      requireCovered(own, found);
      await this.#countNew(own);
      return this.#gateway.keys.rotate(found.id, call.body.graceSeconds, id);
    });
  };

  /** Makes a key once per `Idempotency-Key`. @throws Problem conflict if the request is repeated */
  #make(
    call: Call,
    path: string,
    own: KeyRecord,
    make: (id: string | undefined) => Promise<CreatedKey>,
  ): Promise<Reply> {
    const { keys, idempotency, now } = this.#gateway;
    return shownOnce(idempotency, call, {
      path,
      prefix: 'key',
      nowMillis: now(),
      remedy: (id) => `Rotate it for another: POST ${PATH}/${id}/rotate`,
      madeAt: async (id) => (await keys.listOf(own.client)).find((key) => key.id === id)?.createdAt,
      async make(id) {
        const { key, record } = await make(id).catch(throwConflict);
        return { id: record.id, reply: { status: 201, body: { ...viewOf(record, own), key } } };
      },
    });
  }

  revoke = async (call: Call): Promise<Reply> => {
    const { own, found } = await this.#find(call);
    if (own.id !== found.id) {
      requireCovered(own, found);
      requireNoEnd(own);
    }
    const revoked = this.#gateway.keys.revoke(found.id, { keepsLast: true });
    const { id, revokedAt } = await revoked.catch(throwConflict);
    return json({ id, current: id === own.id, revokedAt });
  };

  /** Returns the record of the key in use, and the live ones of its client. */
  async #read(call: Pick<Call, 'caller'>) {
    const { keyId, client, person, scopes, rights } = call.caller;
    const { keys, now } = this.#gateway;
    const live = (await keys.listOf(client)).filter((record) => isLive(record, now()));
    const key = live.find(({ id }) => id === keyId);
    if (!key) throw new Problem('unauthorized', 'This key was revoked just now');
    // A person has the limits of the key, but the scopes of a role.
    const own = person ? KeyRecord.parse({ ...key, id: person, scopes, intake: rights }) : key;
    return { own, live };
  }

  /** @throws Problem not-found if it is none of the client's */
  async #find(call: Call) {
    const { own, live } = await this.#read(call);
    const found = live.find(({ id }) => id === call.params.id);
    if (!found) throw notFound('key');
    return { own, found };
  }

  async #countNew(own: KeyRecord): Promise<void> {
    requireNoEnd(own);
    const detail = `A client may create and rotate ${NEW_KEYS_RATE.count} keys a day; wait before the next`;
    await this.#gateway.requestLimits.countFailure(
      `account-keys:${own.client}`,
      NEW_KEYS_RATE,
      detail,
    );
  }
}

/** Whoever has found an old key must not keep access by it. @throws Problem conflict */
function requireNoEnd({ expiresAt }: KeyRecord): void {
  if (expiresAt === undefined) return;
  throw new Problem('conflict', `This key ends at ${expiresAt}: manage keys with another one`);
}

/** The routes for the keys of a client. */
export function accountKeyRoutes(gateway: Gateway): Route[] {
  const keys = new AccountKeys(gateway);
  return [
    route('listKeys', `GET ${PATH}`, {
      scope: SCOPE,
      responses: { 200: jsonDoc('Keys', z.object({ keys: z.array(AccountKey) })) },
      handle: keys.list,
    }),
    route('createKey', `POST ${PATH}`, {
      scope: SCOPE,
      optionalBody: true,
      body: KeyForm,
      maxBodyBytes: 8192,
      responses: newKeyDoc,
      handle: keys.create,
    }),
    route('rotateKey', `POST ${PATH}/:id/rotate`, {
      scope: SCOPE,
      optionalBody: true,
      body: z.strictObject({
        graceSeconds: z.number().int().min(0).max(MAX_GRACE_SECONDS).default(86_400),
      }),
      maxBodyBytes: 1024,
      responses: newKeyDoc,
      handle: keys.rotate,
    }),
    route('revokeKey', `DELETE ${PATH}/:id`, {
      scope: SCOPE,
      responses: { 200: jsonDoc('Which, and when', RevokedKey) },
      handle: keys.revoke,
    }),
  ];
}
