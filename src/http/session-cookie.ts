import { fastifyCookie } from '@fastify/cookie';

/** The cookie by which a signed-in page is known. */
const NAME = 'selvage-console';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The id of the session a request came with, if it came with one. */
export function sessionIdOf({ cookie }: Headers): string | undefined {
  const id = typeof cookie === 'string' ? fastifyCookie.parse(cookie)[NAME] : undefined;
  return id || undefined;
}

/**
 * Whether the request was made by a page of ours. A foreign page can have the cookie sent, but not
 * this header: browsers would ask us first, and we do not allow it.
 */
export const isFromOwnPage = (headers: Headers): boolean => headers['x-selvage-console'] === '1';

/**
 * A `Set-Cookie` that hands a session to a browser, hidden from its scripts; an empty id takes it back.
 * @param secure keep it from plain HTTP
 */
export const sessionCookie = (id: string, maxAgeSeconds: number, secure: boolean): string =>
  fastifyCookie.serialize(NAME, id, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: id ? maxAgeSeconds : 0,
  });
