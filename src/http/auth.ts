import { Problem, unavailable } from '../platform/problem.ts';
import type { Allowance } from './limits.ts';
import type { Caller } from './route.ts';

/** What the key register says of a presented key. */
export interface Grant extends Caller, Allowance {}

/** Finds the grant of a presented key; nothing for a key that is unknown or no longer live. */
export type LookUp = (key: string) => Promise<Grant | undefined>;

const BEARER = /^Bearer +([\x21-\x7e]{1,200}) *$/i;
const CHALLENGE = 'Bearer realm="selvage"';

const unauthorized = (detail: string, challenge = CHALLENGE): Problem =>
  new Problem('unauthorized', detail, { headers: { 'www-authenticate': challenge } });

export const insufficientScope = (scope: string): Problem =>
  new Problem('insufficient-scope', `This needs a key with the scope ${scope}`, {
    headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  });

/**
 * The grant behind an Authorization header, if it covers the scope.
 * @param scope a scope's name, or `any-key`
 * @throws Problem unauthorized, insufficient-scope, upstream-unavailable
 */
export async function authorize(
  header: string | undefined,
  scope: string,
  lookUp: LookUp,
): Promise<Grant> {
  if (!header) throw unauthorized('Send the header "Authorization: Bearer <API_KEY>"');
  const key = BEARER.exec(header)?.[1];
  if (!key) throw unauthorized('The Authorization header must be "Bearer <API_KEY>"');
  const unknown = 'This API key is not known, has expired or was revoked';
  return granted(lookUp(key), scope, unknown);
}

/**
 * The grant that was found, if it covers the scope.
 * @param unknown what to say where there is none
 * @throws Problem unauthorized, insufficient-scope, upstream-unavailable
 */
export async function granted(
  found: Promise<Grant | undefined>,
  scope: string,
  unknown: string,
): Promise<Grant> {
  const grant = await found.catch((cause) => {
    throw unavailable('Keys cannot be checked right now; try again', 1, cause);
  });
  if (!grant) throw unauthorized(unknown, `${CHALLENGE}, error="invalid_token"`);
  if (scope !== 'any-key' && !grant.scopes.includes(scope)) {
    throw insufficientScope(scope);
  }
  return grant;
}
