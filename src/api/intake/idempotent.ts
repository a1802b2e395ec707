import type { Call, Reply } from '../../http/route.ts';
import type { Answer, Idempotency } from '../../intake/idempotency.ts';
import { readIdempotencyKey } from './job-request.ts';

/**
 * Does the work of a request, or answers what it answered when its `Idempotency-Key` came before;
 * what was counted for a replay is given back.
 * @param sameness what makes two requests the same, as JSON
 * @throws Problem invalid-request, conflict, idempotency-mismatch; as the work throws
 */
export async function idempotently(
  idempotency: Idempotency,
  call: Call,
  sameness: unknown,
  work: () => Promise<Answer>,
): Promise<Reply> {
  const key = readIdempotencyKey(call.headers);
  if (!key) return work();
  const request = { scope: call.caller?.keyId ?? '', key, parts: sameness };
  const { answer, isReplay } = await idempotency.once(request, work);
  if (isReplay) await call.takeQuota()?.refund();
  return answer;
}
