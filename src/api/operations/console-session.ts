import { z } from 'zod';
import { type Call, json, type Reply, type Route, route } from '../../http/route.ts';
import { sessionCookie, sessionIdOf } from '../../http/session-cookie.ts';
import { Problem } from '../../platform/problem.ts';
import { throwUnavailable } from '../common-problems.ts';

/** What the console may know about its key; never the key itself. */
const SignedIn = z.object({
  client: z.string(),
  scopes: z.array(z.string()),
});
const SessionStatus = z.union([
  z.object({ signedIn: z.literal(false) }),
  SignedIn.extend({ signedIn: z.literal(true) }),
]);

type SessionKey = z.infer<typeof SignedIn>;

/** What the session routes need. */
export interface ConsoleSessionDeps {
  /** Opens a session for a key. Returns undefined if the key is not active. */
  signIn(key: string): Promise<(SessionKey & { sessionId: string }) | undefined>;
  keyOf(sessionId: string): Promise<SessionKey | undefined>;
  signOut(sessionId: string): Promise<void>;
  sessionSeconds: number;
  /** Whether the settings say that clients reach this service over TLS. */
  isSecure: boolean;
}

const SignIn = z.strictObject({ key: z.string().min(1).max(200) });

const NO_STORE = { 'cache-control': 'no-store' } as const;

const sessionsUnavailable = throwUnavailable('Sessions cannot be checked right now; try again');

const signedIn = ({ client, scopes }: SessionKey) => ({ signedIn: true, client, scopes });

/** The console's only routes of its own; everything else goes through the public API. */
export function consoleRoutes(deps: ConsoleSessionDeps): Route[] {
  const cookie = (id: string, { headers }: Pick<Call, 'headers'>): Record<string, string> => {
    const isSecure = deps.isSecure || headers['x-forwarded-proto'] === 'https';
    return { ...NO_STORE, 'set-cookie': sessionCookie(id, deps.sessionSeconds, isSecure) };
  };

  async function signIn(call: Call<unknown, z.infer<typeof SignIn>>): Promise<Reply> {
    const session = await deps.signIn(call.body.key).catch(sessionsUnavailable);
    if (!session) {
      throw new Problem('unauthorized', 'This API key is unknown, expired or revoked', {
        headers: { 'www-authenticate': 'Bearer realm="selvage"' },
      });
    }
    return json(signedIn(session), cookie(session.sessionId, call));
  }

  async function status({ headers }: Call): Promise<Reply> {
    const id = sessionIdOf(headers);
    const key = id && (await deps.keyOf(id).catch(sessionsUnavailable));
    return json(key ? signedIn(key) : { signedIn: false }, NO_STORE);
  }

  async function signOut(call: Call): Promise<Reply> {
    const id = sessionIdOf(call.headers);
    if (id) await deps.signOut(id).catch(sessionsUnavailable);
    return { status: 204, headers: cookie('', call) };
  }

  const common = { path: '/console/session', scope: 'keyless' } as const;
  return [
    route({
      ...common,
      method: 'POST',
      summary: 'Sign a browser in to the console',
      description:
        'Exchanges an API key for a session cookie that scripts cannot read. Requests with the cookie need the header `X-Selvage-Console: 1`.',
      body: SignIn,
      responses: {
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
      ...common,
      method: 'GET',
      summary: 'Whether this browser is signed in to the console',
      responses: {
        200: { description: 'The status', content: { 'application/json': SessionStatus } },
      },
      problems: ['upstream-unavailable'],
      handle: status,
    }),
    route({
      ...common,
      method: 'DELETE',
      summary: 'Sign this browser out of the console',
      responses: { 204: { description: 'Signed out', headers: ['Set-Cookie'] } },
      problems: ['upstream-unavailable'],
      handle: signOut,
    }),
  ];
}
