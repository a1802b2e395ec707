import { createHash } from 'node:crypto';
import type { Call, Reply } from '../../http/route.ts';
import type { Idempotency, IdempotentRequest, StoredResponse } from '../../intake/idempotency.ts';
import { Problem } from '../../platform/problem.ts';

/**
 * Returns what identifies a request with files: their digests, and whatever else belongs to it.
 * @param rest must be serializable as JSON
 */
export const contentOf = (
  files: readonly (Uint8Array | undefined)[],
  rest: readonly unknown[],
): unknown => [
  'POST',
  ...files.map((file) => file && createHash('sha256').update(file).digest('hex')),
  ...rest,
];

const DAY_MILLIS = 86_400_000;

/**
 * Returns whether what has the id of an idempotent request is from an earlier attempt at it: keys may be used again
 * after a day, and what was deleted is made anew.
 */
export const isOfRequest = (
  { status, createdAt }: { status: string; createdAt: string },
  nowMillis: number,
): boolean => status !== 'expired' && nowMillis - Date.parse(createdAt) < DAY_MILLIS;

/** A response of JSON that may be sent again. */
export const storedJson = (body: StoredResponse['body'], status = 200): StoredResponse => ({
  status,
  headers: {},
  body,
});

const REPLAYED = { 'idempotency-replayed': 'true' };

const IDEMPOTENCY_KEY = /^"?([\x21\x23-\x7e]{1,255})"?$/;

/** Returns the client's `Idempotency-Key`, with or without the quotes that the IETF draft requires. */
export function readIdempotencyKey(headers: Call['headers']): string | undefined {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return undefined;
  const key = typeof sent === 'string' ? IDEMPOTENCY_KEY.exec(sent)?.[1] : undefined;
  if (key) return key;
  throw new Problem('invalid-request', 'Idempotency-Key must be 1 to 255 visible characters');
}

function readRequest(
  { client, headers }: Pick<Call, 'client' | 'headers'>,
  content: () => unknown,
): IdempotentRequest | undefined {
  const key = readIdempotencyKey(headers);
  return key === undefined ? undefined : { client, key, content: content() };
}

/**
 * Handles a request once per `Idempotency-Key`: a repeated request gets the stored response, and
 * its quota is refunded. Without the header every request is handled.
 * @param fingerprint identifies the request's content; must be serializable as JSON
 * @param handle gets a reference that repeated requests share, if there is a key
 * @throws Problem invalid-request, conflict, idempotency-mismatch; as `handle` throws
 */
export async function idempotently(
  idempotency: Idempotency,
  call: Call,
  fingerprint: unknown,
  handle: (ref?: string) => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const request = readRequest(call, () => fingerprint);
  if (!request) return handle();
  const { response, isReplay } = await idempotency.once(request, handle);
  if (!isReplay) return response;
  await call.takeQuota()?.refund();
  return { ...response, headers: { ...response.headers, ...REPLAYED } };
}

/**
 * Answers a request whose result is not stored, and charges it once per `Idempotency-Key`: a repeated request waits for
 * the first, and then is worked on again without charge. The answer does not wait until Redis knows: a repeated request
 * does.
 * @param fingerprint identifies the request's content, if it has a key; must be serializable as JSON
 * @throws Problem invalid-request, idempotency-mismatch; as `handle` throws
 */
export async function chargedOnce<Query>(
  idempotency: Pick<Idempotency, 'claimCharge'>,
  call: Call<Query>,
  fingerprint: () => unknown,
  handle: (call: Call<Query>) => Promise<Reply>,
): Promise<Reply> {
  const request = readRequest(call, fingerprint);
  if (!request) return handle(call);
  const startedAt = performance.now();
  const claim = await idempotency.claimCharge(request, call.signal);
  const timed = { ...call, waitedMillis: performance.now() - startedAt };
  if (!claim) {
    await call.takeQuota()?.refund();
    const reply = await handle(timed);
    return { ...reply, headers: { ...reply.headers, ...REPLAYED } };
  }
  // Work for a client that has left, or too much work, is charged unless it had not begun, which is known later.
  let isTaken = false;
  let isRefunded = false;
  const takeQuota = (): ReturnType<Call['takeQuota']> => {
    const quota = call.takeQuota();
    if (!quota) return undefined;
    isTaken = true;
    const refund = async () => {
      isRefunded = true;
      await quota.refund();
      void claim.release();
    };
    return { ...quota, refund };
  };
  try {
    const reply = await handle({ ...timed, takeQuota });
    void claim.charge();
    return reply;
  } catch (error) {
    const isCharged = (call.signal.aborted || isTaken) && !isRefunded;
    void (isCharged ? claim.charge() : claim.release());
    throw error;
  }
}

interface SecretRequest {
  /** Identifies the request, with its body. */
  path: string;
  /** How ids of what it makes begin. */
  prefix: 'key' | 'req';
  nowMillis: number;
  /** How to come by another secret. */
  remedy(id: string): string;
  /** Returns when what has this id was made, ISO 8601, if there is such a thing. */
  madeAt(id: string): Promise<string | undefined>;
  /** Makes it, with this id if there is one, and returns its id and the answer. */
  make(id: string | undefined): Promise<{ id: string; reply: Reply }>;
}

/**
 * Handles a request once per `Idempotency-Key`, whose answer is not stored: it has a secret. Of what a gateway made
 * that died before it could answer, nobody has seen the secret, nor can.
 * @throws Problem conflict with the `id` of what was made if the request is repeated; as `idempotently`
 */
export async function shownOnce(
  idempotency: Idempotency,
  call: Call,
  { path, prefix, nowMillis, remedy, madeAt, make }: SecretRequest,
): Promise<Reply> {
  let reply: Reply | undefined;
  const stored = await idempotently(idempotency, call, ['POST', path, call.body], async (ref) => {
    const known = ref && `${prefix}_${ref.slice(0, 16)}`;
    const createdAt = known && (await madeAt(known));
    if (known && createdAt && isOfRequest({ status: 'made', createdAt }, nowMillis))
      return storedJson({ id: known });
    const made = await make(createdAt ? undefined : known);
    reply = made.reply;
    return storedJson({ id: made.id });
  });
  if (reply) return reply;
  const id = String(stored.body.id);
  const detail = `The first request with this Idempotency-Key made ${id}, whose secret is shown once only. ${remedy(id)}`;
  throw new Problem('conflict', detail, { headers: REPLAYED, members: { id } });
}
