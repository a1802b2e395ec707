import type { Call } from '../../http/route.ts';
import type { Idempotency, StoredResponse } from '../../intake/idempotency.ts';
import { readIdempotencyKey } from './job-request.ts';

/** For the OpenAPI document: the headers of a route that handles requests once. */
export const IDEMPOTENT = ['Idempotency-Key'] as const;

/**
 * Handles a request once per `Idempotency-Key`: a repeated request gets the stored response, and
 * its quota is refunded. Without the header every request is handled.
 * @param fingerprint identifies the request's content; must be serializable as JSON
 * @throws Problem invalid-request, conflict, idempotency-mismatch; as `handle` throws
 */
export async function idempotently(
  idempotency: Idempotency,
  call: Call,
  fingerprint: unknown,
  handle: () => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const key = readIdempotencyKey(call.headers);
  if (!key) return handle();
  const request = { scope: call.caller?.keyId ?? '', key, content: fingerprint };
  const { response, isReplay } = await idempotency.once(request, handle);
  if (isReplay) await call.takeQuota()?.refund();
  return response;
}
