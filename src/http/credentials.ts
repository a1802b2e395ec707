import { fastifyCookie } from '@fastify/cookie';
import { Problem } from '../platform/problem.ts';
import type { Allowance } from './limits.ts';
import type { Caller } from './route.ts';

/** An authenticated caller with its limits, as the key register has them. */
export interface Grant extends Caller, Allowance {}

/** Returns the grant of a presented key or session id; undefined if it is unknown or not live. */
export type LookUp = (credential: string) => Promise<Grant | undefined>;

const BEARER = /^Bearer +([\x21-\x7e]{1,200}) *$/i;
const CHALLENGE = 'Bearer realm="selvage"';

const unauthorized = (detail: string, challenge = CHALLENGE): Problem =>
  new Problem('unauthorized', detail, { headers: { 'www-authenticate': challenge } });

interface Requirement {
  /** A scope's name, `any-key` or `keyless`. */
  scope: string;
  right?: string | undefined;
  /** A header that may have the key too, in lower case. */
  keyHeader?: string | undefined;
}

/** @throws Problem insufficient-scope */
function requireRight({ rights }: Pick<Caller, 'rights'>, right: string | undefined): void {
  if (right === undefined || rights.includes(right)) return;
  throw new Problem(
    'insufficient-scope',
    `This key may not use this part of /intake: it needs the right "${right}", and a scope of an operation there`,
    { headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope"` } },
  );
}

export const insufficientScope = (scope: string): Problem =>
  new Problem('insufficient-scope', `This needs a key with the scope ${scope}`, {
    headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  });

/**
 * Returns the grant behind an Authorization header if it covers what is required.
 * @throws Problem unauthorized, insufficient-scope
 */
export async function authorize(
  header: string | undefined,
  required: Requirement,
  lookUp: LookUp,
): Promise<Grant> {
  if (!header) {
    const own = required.keyHeader ? `"${required.keyHeader}: <API_KEY>" or ` : '';
    throw unauthorized(`Send the header ${own}"Authorization: Bearer <API_KEY>"`);
  }
  const key = BEARER.exec(header)?.[1];
  if (!key) throw unauthorized('The Authorization header must be "Bearer <API_KEY>"');
  return requireGrant(lookUp(key), required, 'This API key is unknown, expired or revoked');
}

/**
 * Returns the grant that was looked up if it covers what is required.
 * @param unknownDetail the problem's detail if there is none
 * @throws Problem unauthorized, insufficient-scope
 */
export async function requireGrant(
  lookup: Promise<Grant | undefined>,
  { scope, right }: Requirement,
  unknownDetail: string,
): Promise<Grant> {
  const grant = await lookup;
  if (!grant) throw unauthorized(unknownDetail, `${CHALLENGE}, error="invalid_token"`);
  if (scope !== 'any-key' && !grant.scopes.includes(scope)) {
    throw insufficientScope(scope);
  }
  requireRight(grant, right);
  return grant;
}

/**
 * The cookies of the console: that of a signed-in page, and that of a browser that is signing in elsewhere, which comes
 * back from another site.
 */
const COOKIES = { console: 'strict', 'sign-in': 'lax' } as const;
type CookieKind = keyof typeof COOKIES;

/**
 * Under TLS the name has a prefix with which browsers take the cookie from this host alone: no other one of the domain,
 * and nobody on a plain connection, can plant one.
 */
const nameOf = (kind: CookieKind, isSecure: boolean): string =>
  `${isSecure ? '__Host-' : ''}selvage-${kind}`;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns whether the browser has reached the service by TLS. Who sends the header without being a trusted proxy only
 * keeps its own cookie off plain HTTP.
 * @param origin as trusted proxies tell
 */
export const isOverTls = (origin: string, headers: Headers): boolean =>
  origin.startsWith('https:') || headers['x-forwarded-proto'] === 'https';

/** Returns the id of a request's session, undefined if it has none. @param isSecure whether it came by TLS */
export function sessionIdOf(
  { cookie }: Headers,
  isSecure: boolean,
  kind: CookieKind = 'console',
): string | undefined {
  const cookies = typeof cookie === 'string' ? fastifyCookie.parse(cookie) : {};
  return cookies[nameOf(kind, isSecure)] || undefined;
}

/**
 * Returns whether the console made the request. A foreign page can send the cookie but not this
 * header: browsers would send a CORS preflight first, which never allows it.
 */
export const isFromOwnPage = (headers: Headers): boolean => headers['x-selvage-console'] === '1';

/**
 * Returns a `Set-Cookie` value that gives a session to a browser, hidden from its scripts; an empty id deletes it.
 * @param secure whether the browser has come by TLS: never send it over plain HTTP
 */
export const sessionCookie = (
  id: string,
  maxAgeSeconds: number,
  secure: boolean,
  kind: CookieKind = 'console',
): string =>
  fastifyCookie.serialize(nameOf(kind, secure), id, {
    path: '/',
    httpOnly: true,
    sameSite: COOKIES[kind],
    secure,
    maxAge: id ? maxAgeSeconds : 0,
  });
