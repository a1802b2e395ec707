import { fastifyCookie } from '@fastify/cookie';

/** The cookie that identifies a signed-in page. */
const NAME = 'selvage-console';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Returns the id of a request's session, undefined if it has none. */
export function sessionIdOf({ cookie }: Headers): string | undefined {
  const id = typeof cookie === 'string' ? fastifyCookie.parse(cookie)[NAME] : undefined;
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
 * @param secure never send it over plain HTTP
 */
export const sessionCookie = (id: string, maxAgeSeconds: number, secure: boolean): string =>
  fastifyCookie.serialize(NAME, id, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: id ? maxAgeSeconds : 0,
  });
