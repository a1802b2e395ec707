import { fastifyCookie } from '@fastify/cookie';

/**
 * The cookie that identifies a signed-in page. Under TLS its name has a prefix with which browsers take it from this
 * host alone: no other one of the domain, and nobody on a plain connection, can plant one.
 */
const nameOf = (isSecure: boolean): string => `${isSecure ? '__Host-' : ''}selvage-console`;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns whether the browser has reached the service by TLS. Who sends the header without being a trusted proxy only
 * keeps its own cookie off plain HTTP.
 * @param origin as trusted proxies tell
 */
export const isOverTls = (origin: string, headers: Headers): boolean =>
  origin.startsWith('https:') || headers['x-forwarded-proto'] === 'https';

/** Returns the id of a request's session, undefined if it has none. @param isSecure whether it came by TLS */
export function sessionIdOf({ cookie }: Headers, isSecure: boolean): string | undefined {
  const id = typeof cookie === 'string' ? fastifyCookie.parse(cookie)[nameOf(isSecure)] : undefined;
  return id || undefined;
}

/**
 * Returns whether the console made the request. A foreign page can send the cookie but not this
 * header: browsers would send a CORS preflight first, which never allows it.
 */
export const isFromOwnPage = (headers: Headers): boolean => headers['x-selvage-console'] === '1';

/**
 * Returns a `Set-Cookie` value that gives a session to a browser, hidden from its scripts; an empty
 * id deletes it.
 * @param secure whether the browser has come by TLS: never send it over plain HTTP
 */
export const sessionCookie = (id: string, maxAgeSeconds: number, secure: boolean): string =>
  fastifyCookie.serialize(nameOf(secure), id, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: id ? maxAgeSeconds : 0,
  });
