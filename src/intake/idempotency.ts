import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Problem } from '../platform/problem.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScript } from '../platform/redis-script.ts';

/** A claim outlives every deadline. */
const CLAIM_SECONDS = 86_400;
/** A request whose process has died can be resumed after this. */
const LEASE_MILLIS = 4000;
const RENEW_MILLIS = 1000;
/** How often a repeated synchronous request looks whether the first has ended. */
const WAIT_MILLIS = 100;

const StoredResponse = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.record(z.string(), z.unknown()),
});
export type StoredResponse = z.infer<typeof StoredResponse>;

/** Of a synchronous request, only that it was charged is stored. */
const CHARGED = 'charged';

export interface IdempotentRequest {
  client: string;
  /** The `Idempotency-Key`; two clients may use the same one. */
  key: string;
  /** Two requests are the same if their content is, as JSON. */
  content: unknown;
}

/** What a claim of a request finds. */
type Claimed = ['mine' | 'busy' | 'mismatch'] | ['done', answer: string];

/**
 * Claims a request, or returns what was stored for it. KEYS: claim (hash), lease. ARGV: fingerprint, holder, lease ms,
 * claim s.
 */
const CLAIM = `
local known = redis.call('HGET', KEYS[1], 'fingerprint')
if known and known ~= ARGV[1] then return {'mismatch'} end
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then return {'done', answer} end
if not redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return {'busy'} end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return {'mine'}
`;

/** Renews a lease, unless another has it. KEYS: lease. ARGV: holder, ms. */
const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

/** Ends a claim, with its answer or none. KEYS: claim, lease. ARGV: holder, answer or '', fingerprint, claim s. */
const SETTLE = `
local isOwn = redis.call('GET', KEYS[2]) == ARGV[1]
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'fingerprint', ARGV[3], 'answer', ARGV[2])
  redis.call('EXPIRE', KEYS[1], ARGV[4])
elseif isOwn then
  redis.call('DEL', KEYS[1])
end
if isOwn then redis.call('DEL', KEYS[2]) end
return 1
`;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const mismatch = (): Problem =>
  new Problem(
    'idempotency-mismatch',
    'This Idempotency-Key came with another request before; choose a new one',
  );

const inFlight = (): Problem =>
  new Problem('conflict', 'The first request with this Idempotency-Key is still in progress', {
    headers: { 'retry-after': '1' },
  });

/** A request that this process works on, until it is settled. */
class Claim {
  readonly #settle: (answer: string) => Promise<unknown>;
  readonly #renewing: NodeJS.Timeout;

  constructor(renew: () => Promise<unknown>, settle: (answer: string) => Promise<unknown>) {
    this.#settle = settle;
    this.#renewing = setInterval(() => void renew().catch(() => {}), RENEW_MILLIS);
  }

  /** Stores the answer to repeated requests; `''` if the request had no effect and may be sent again. */
  async settle(answer: string): Promise<void> {
    clearInterval(this.#renewing);
    // The request has taken effect: its response is sent even if it cannot be stored.
    await this.#settle(answer).catch(() => {});
  }
}

/** Handles requests once by the keys that clients choose: a repeated request has no further effect, for a day. */
export class Idempotency {
  readonly #claim;
  readonly #renew;
  readonly #settle;

  constructor(redis: Redis) {
    this.#claim = defineScript<Claimed>(redis, 'selvageIdempotencyClaim', CLAIM);
    this.#renew = defineScript<number>(redis, 'selvageIdempotencyRenew', RENEW);
    this.#settle = defineScript<number>(redis, 'selvageIdempotencySettle', SETTLE);
  }

  /** @returns the claim, or the answer of the first request, or undefined while that is in progress */
  async #begin({ client, key, content }: IdempotentRequest): Promise<Claim | string | undefined> {
    const name = `${PREFIX}:idempotent:${sha256(`${client}\n${key}`)}`;
    const lease = `${name}:lease`;
    const fingerprint = sha256(JSON.stringify(content));
    const holder = randomUUID();
    const [state, answer] = await this.#claim(
      [name, lease],
      [fingerprint, holder, LEASE_MILLIS, CLAIM_SECONDS],
    );
    if (state === 'mismatch') throw mismatch();
    if (state === 'busy') return undefined;
    if (state === 'done') return answer;
    return new Claim(
      () => this.#renew([lease], [holder, LEASE_MILLIS]),
      (text) => this.#settle([name, lease], [holder, text, fingerprint, CLAIM_SECONDS]),
    );
  }

  /**
   * Handles the first request with a key, and returns its stored response to repeated ones. If the process that
   * handled the first has died, a repeated one is handled with the same `ref`, and must find what was done.
   * @param handle gets 32 hexadecimal digits that are the same for the same request: ids follow from them
   * @throws Problem conflict while the first is in progress; idempotency-mismatch if the content differs;
   *   as `handle` throws, and then nothing is stored
   */
  async once(
    request: IdempotentRequest,
    handle: (ref: string) => Promise<StoredResponse>,
  ): Promise<{ response: StoredResponse; isReplay: boolean }> {
    const begun = await this.#begin(request);
    if (begun === undefined) throw inFlight();
    if (typeof begun === 'string') {
      if (begun === CHARGED) throw mismatch();
      return { response: StoredResponse.parse(JSON.parse(begun)), isReplay: true };
    }
    const { client, key, content } = request;
    try {
      const response = await handle(sha256(JSON.stringify([client, key, content])).slice(0, 32));
      await begun.settle(JSON.stringify(response));
      return { response, isReplay: false };
    } catch (error) {
      await begun.settle('');
      throw error;
    }
  }

  /**
   * Claims the charge of a synchronous request, after any request with the same key that is in progress.
   * @returns the claim to settle, or undefined if the request was charged before
   * @throws Problem idempotency-mismatch; the signal's reason
   */
  async claimCharge(
    request: IdempotentRequest,
    signal: AbortSignal,
  ): Promise<{ charge(): Promise<void>; release(): Promise<void> } | undefined> {
    for (;;) {
      const begun = await this.#begin(request);
      if (begun === CHARGED) return undefined;
      if (typeof begun === 'string') throw mismatch();
      if (begun) return { charge: () => begun.settle(CHARGED), release: () => begun.settle('') };
      await sleep(WAIT_MILLIS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
