import { fastifyCookie } from '@fastify/cookie';

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
