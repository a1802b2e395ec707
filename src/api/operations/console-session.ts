import { z } from 'zod';
import { type Call, json, type Reply, type Route, route } from '../../http/route.ts';
import { sessionCookie, sessionIdOf } from '../../http/session-cookie.ts';
import { Problem, unavailable } from '../../platform/problem.ts';

/** What a page may know of the key it works under; never the key. */
const SignedIn = z.object({
  client: z.string(),
  scopes: z.array(z.string()),
});
const Standing = z.union([
  z.object({ signedIn: z.literal(false) }),
  SignedIn.extend({ signedIn: z.literal(true) }),
]);

type Holder = z.infer<typeof SignedIn>;

/** Sign-ins of the console. */
export interface ConsoleSessionDeps {
  /** Opens a session for a key; nothing where the key is not live. */
  signIn(key: string): Promise<(Holder & { sessionId: string }) | undefined>;
  holderOf(sessionId: string): Promise<Holder | undefined>;
  signOut(sessionId: string): Promise<void>;
  sessionSeconds: number;
  /** Whether this service is reached by TLS, as far as its settings say. */
  isSecure: boolean;
}

const SignIn = z.strictObject({ key: z.string().min(1).max(200) });

const NOT_KEPT = { 'cache-control': 'no-store' } as const;

const redisDown = (cause: unknown): never => {
  throw unavailable('Sign-ins cannot be checked right now; try again', 1, cause);
};

const shown = ({ client, scopes }: Holder) => ({ signedIn: true, client, scopes });

/** The console's own routes; all else it does by those of the contract. */
export function consoleRoutes(deps: ConsoleSessionDeps): Route[] {
  const cookie = (id: string, { headers }: Pick<Call, 'headers'>): Record<string, string> => {
    const isSecure = deps.isSecure || headers['x-forwarded-proto'] === 'https';
    return { ...NOT_KEPT, 'set-cookie': sessionCookie(id, deps.sessionSeconds, isSecure) };
  };

  async function signIn(call: Call<unknown, z.infer<typeof SignIn>>): Promise<Reply> {
    const holder = await deps.signIn(call.body.key).catch(redisDown);
    if (!holder) {
      throw new Problem('unauthorized', 'This API key is not known, has expired or was revoked', {
        headers: { 'www-authenticate': 'Bearer realm="selvage"' },
      });
    }
    return json(shown(holder), cookie(holder.sessionId, call));
  }

  async function standing({ headers }: Call): Promise<Reply> {
    const id = sessionIdOf(headers);
    const holder = id && (await deps.holderOf(id).catch(redisDown));
    return json(holder ? shown(holder) : { signedIn: false }, NOT_KEPT);
  }

  async function signOut(call: Call): Promise<Reply> {
    const id = sessionIdOf(call.headers);
    if (id) await deps.signOut(id).catch(redisDown);
    return { status: 204, headers: cookie('', call) };
  }

  const row = { path: '/console/session', scope: 'keyless' } as const;
  return [
    route({
      ...row,
      method: 'POST',
      summary: 'Sign a browser in to the console',
      description:
        'Trades an API key for a session cookie that scripts cannot read. Requests with the cookie need the header `X-Selvage-Console: 1`.',
      body: SignIn,
      answers: {
        200: {
          description: 'Signed in',
          content: { 'application/json': SignedIn },
          headers: ['Set-Cookie'],
        },
      },
      problems: ['unauthorized', 'upstream-unavailable'],
      handle: signIn,
    }),
    route({
      ...row,
      method: 'GET',
      summary: 'Whether this browser is signed in to the console',
      answers: {
        200: { description: 'The standing', content: { 'application/json': Standing } },
      },
      problems: ['upstream-unavailable'],
      handle: standing,
    }),
    route({
      ...row,
      method: 'DELETE',
      summary: 'Sign this browser out of the console',
      answers: { 204: { description: 'Signed out', headers: ['Set-Cookie'] } },
      problems: ['upstream-unavailable'],
      handle: signOut,
    }),
  ];
}
