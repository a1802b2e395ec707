import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineSwap } from '../platform/redis-script.ts';
import { type Grant, GrantFields, SCOPES } from './key-record.ts';
import { type CreatedKey, KeyError, type Keys } from './keys.ts';

const REQUESTS = `${PREFIX}:access-requests`;

/** Strangers may send requests: no more than these are kept, and none for longer. */
const MAX_REQUESTS = 1000;
const RETAINED_MILLIS = 30 * 86_400_000;

export const ACCESS_STATUSES = ['pending', 'approved', 'denied', 'fetched'] as const;

export const AccessRequest = z.object({
  id: z.string(),
  client: z.string(),
  contact: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  note: z.string().optional(),
  status: z.enum(ACCESS_STATUSES),
  requestedAt: z.iso.datetime(),
  decidedAt: z.iso.datetime().optional(),
  fetchedAt: z.iso.datetime().optional(),
  keyId: z.string().optional(),
  /** SHA-256, hex, of the secret that the key is fetched with. Absent: the operator gets the key. */
  secretHash: z.string().optional(),
  /** Of an approved request: what its key will allow. The key is created when it is fetched. */
  grant: GrantFields.optional(),
});

export type AccessRequest = z.infer<typeof AccessRequest>;

type NewAccessRequest = Pick<AccessRequest, 'client' | 'contact' | 'scopes' | 'note'>;

/** What an operator grants: the limits, and what is changed of the request. */
export interface Approval extends Omit<Grant, 'client' | 'scopes'> {
  client?: string | undefined;
  scopes?: Grant['scopes'] | undefined;
  /** The request comes from the client of that name, which has keys already. */
  existingClient?: boolean | undefined;
}

type AccessFailure = 'unknown' | 'undecided' | 'decided' | 'denied' | 'fetched' | 'taken' | 'full';

/** An access request that cannot be done. */
export class AccessError extends KeyError {
  readonly reason: AccessFailure;
  constructor(reason: AccessFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

const randomId = (): string => `req_${randomUUID().replaceAll('-', '').slice(0, 16)}`;

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Managed access: a client asks for scopes, the operator decides, the client fetches its key. */
export class AccessRequests {
  readonly #redis: Redis;
  readonly #keys: Pick<Keys, 'create' | 'list' | 'revoke'>;
  readonly #now: Clock;
  readonly #swap: ReturnType<typeof defineSwap>;

  constructor(redis: Redis, keys: Pick<Keys, 'create' | 'list' | 'revoke'>, now: Clock) {
    this.#redis = redis;
    this.#keys = keys;
    this.#now = now;
    this.#swap = defineSwap(redis);
  }

  /** Creates a request of the operator's own, whose key is shown when it is approved. */
  async create(request: NewAccessRequest, id = randomId()): Promise<AccessRequest> {
    const requestedAt = this.#timestamp();
    const created: AccessRequest = { ...request, id, status: 'pending', requestedAt };
    await this.#redis.hset(REQUESTS, id, JSON.stringify(created));
    return created;
  }

  /**
   * Creates a request of a stranger. Returns it with the secret that its key is fetched with, which is not stored.
   * @param id that no request has; by default random
   * @throws AccessError if too many requests wait
   */
  async submit(
    request: NewAccessRequest,
    id?: string,
  ): Promise<{ request: AccessRequest; secret: string }> {
    if ((await this.#redis.hlen(REQUESTS)) >= MAX_REQUESTS) await this.#prune();
    const secret = `access_${randomBytes(32).toString('base64url')}`;
    const secretHash = hashOf(secret).toString('hex');
    return { request: await this.create({ ...request, ...{ secretHash } }, id), secret };
  }

  /** Returns when a request was sent, if there is one of this id. */
  async sentAt(id: string): Promise<string | undefined> {
    const known = await this.#redis.hget(REQUESTS, id);
    return known ? AccessRequest.parse(JSON.parse(known)).requestedAt : undefined;
  }

  /** Returns every request, oldest first. */
  async list(): Promise<AccessRequest[]> {
    return (await this.#redis.hvals(REQUESTS))
      .map((json) => AccessRequest.parse(JSON.parse(json)))
      .sort((a, b) => a.requestedAt.localeCompare(b.requestedAt));
  }

  /**
   * Approves a request. Its client fetches the key; that of the operator's own request is returned.
   * @throws AccessError if the request is unknown or decided, or another client may have its name
   * @throws KeyError if its client has as many live keys as it may
   */
  async approve(id: string, approval: Approval): Promise<AccessRequest & Partial<CreatedKey>> {
    const [request, known] = await this.#pending(id);
    const {
      client = request.client,
      scopes = request.scopes,
      existingClient,
      ...limits
    } = approval;
    const grant = GrantFields.parse({ ...limits, client, scopes });
    const decision = { status: 'approved', decidedAt: this.#timestamp() } as const;
    const approved = { ...request, client, scopes, ...decision };
    if (request.secretHash) {
      if (!existingClient) await this.#rejectTaken(client);
      return this.#replace({ ...approved, grant }, known);
    }
    const created = await this.#keys.create(grant);
    return {
      ...(await this.#replace({ ...approved, keyId: created.record.id }, known)),
      ...created,
    };
  }

  /** Denies a request. @throws AccessError if it is unknown or decided */
  async deny(id: string): Promise<AccessRequest> {
    const [request, known] = await this.#pending(id);
    return this.#replace({ ...request, status: 'denied', decidedAt: this.#timestamp() }, known);
  }

  /**
   * Creates the key of an approved request, once.
   * @throws AccessError if the secret is another's, or the request is not approved or its key was fetched
   * @throws KeyError if its client has as many live keys as it may
   */
  async fetchKey(id: string, secret: string): Promise<CreatedKey> {
    const [request, known] = await this.#read(id);
    const { secretHash = '', status, grant, fetchedAt } = request;
    const expected = Buffer.from(secretHash, 'hex');
    const isOwn = expected.length === 32 && timingSafeEqual(expected, hashOf(secret));
    if (!isOwn) throw unknownRequest(id);
    if (status === 'denied') throw new AccessError('denied', `Access request ${id} was denied`);
    if (status === 'fetched') throw fetchedBefore(fetchedAt);
    if (!grant) throw new AccessError('undecided', `Access request ${id} waits for the operator`);
    const created = await this.#keys.create(grant);
    const keyId = created.record.id;
    const now = this.#timestamp();
    const fetched: AccessRequest = { ...request, status: 'fetched', fetchedAt: now, keyId };
    if (await this.#swap(REQUESTS, id, known, JSON.stringify(fetched))) return created;
    await this.#keys.revoke(keyId); // nobody has seen it
    throw fetchedBefore(now);
  }

  #timestamp(): string {
    return new Date(this.#now()).toISOString();
  }

  async #read(id: string): Promise<[request: AccessRequest, known: string]> {
    const known = await this.#redis.hget(REQUESTS, id);
    if (!known) throw unknownRequest(id);
    return [AccessRequest.parse(JSON.parse(known)), known];
  }

  async #pending(id: string): Promise<[request: AccessRequest, known: string]> {
    const found = await this.#read(id);
    if (found[0].status === 'pending') return found;
    throw new AccessError('decided', `Access request ${id} is already ${found[0].status}`);
  }

  async #replace(request: AccessRequest, known: string): Promise<AccessRequest> {
    const { id } = request;
    if (await this.#swap(REQUESTS, id, known, JSON.stringify(request))) return request;
    throw new AccessError('decided', `Access request ${id} is already decided`);
  }

  /** A stranger who chose the name of a client would get what belongs to it. */
  async #rejectTaken(client: string): Promise<void> {
    if (!(await this.#keys.list()).some((record) => record.client === client)) return;
    throw new AccessError(
      'taken',
      `There is a client ${client}, whose data the key would open: approve it with --existing-client (over HTTP: existingClient) if the request is theirs, else with --client and another name`,
    );
  }

  /** Makes room. @throws AccessError if there is none */
  async #prune(): Promise<void> {
    const end = new Date(this.#now() - RETAINED_MILLIS).toISOString();
    const all = await this.list();
    const old = all.filter(({ decidedAt, requestedAt }) => (decidedAt ?? requestedAt) < end);
    if (old.length > 0) await this.#redis.hdel(REQUESTS, ...old.map(({ id }) => id));
    if (all.length - old.length < MAX_REQUESTS) return;
    throw new AccessError('full', 'Too many access requests wait; ask the operator');
  }
}

const unknownRequest = (id: string): AccessError =>
  new AccessError('unknown', `There is no access request ${id}; "access list" shows all requests`);

const fetchedBefore = (at = ''): AccessError =>
  new AccessError(
    'fetched',
    `The key was fetched at ${at}: if it was not you, tell the operator at once; if it is lost, request access again`,
  );
