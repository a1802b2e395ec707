import type { Call, Reply } from '../../http/route.ts';
import type { Idempotency } from '../../intake/idempotency.ts';
import { Problem } from '../../platform/problem.ts';
import { idempotently, isOfRequest, REPLAYED, storedJson } from './idempotent.ts';

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
