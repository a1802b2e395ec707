import { z } from 'zod';
import type { Rate } from '../../auth/limit-settings.ts';
import { SESSION_SECONDS } from '../../auth/sessions.ts';
import type { Gateway } from '../../gateway.ts';
import { isOverTls, sessionCookie, sessionIdOf } from '../../http/access.ts';
import { addressBlock, limitHeaders } from '../../http/limits.ts';
import {
  type Call,
  type Caller,
  json,
  jsonDoc,
  type Reply,
  type Route,
  route,
} from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';
import { checkLinks } from '../common-problems.ts';
import { ImageUrl } from '../intake/job-request.ts';
import { toReply } from '../intake/review/photo.ts';
import { CUT_OUT_MEDIA } from '../removal/cut-out-response.ts';
import type { ImageRequests } from '../removal/image-requests.ts';

/** What the console may know about its key; never the key itself. */
const SignedIn = z
  .object({
    signedIn: z.literal(true),
    client: z.string(),
    scopes: z.array(z.string()),
    person: z
      .string()
      .optional()
      .meta({ description: 'Who has signed in, if it was not by a key' }),
  })
  .meta({ id: 'SignedIn' });
const SessionStatus = z.union([z.object({ signedIn: z.literal(false) }), SignedIn]);

const SignIn = z.strictObject({ key: z.string().min(1).max(200) });

/** Sign-ins with a wrong key that an address may try. */
const FAILED_SIGN_INS: Rate = { count: 10, periodSeconds: 60 };

const NO_STORE = { 'cache-control': 'no-store' } as const;

const signedIn = ({ client, scopes, person }: Pick<Caller, 'client' | 'scopes' | 'person'>) => ({
  signedIn: true,
  client,
  scopes,
  ...(person && { person }),
});

/** The console's only routes of its own; everything else goes through the public API. */
export function consoleRoutes({
  keys,
  sessions,
  requestLimits,
}: Pick<Gateway, 'keys' | 'sessions' | 'requestLimits'>): Route[] {
  const cookie = (id: string, { baseUrl, headers }: Call): Record<string, string> => {
    const isSecure = isOverTls(baseUrl, headers);
    return { ...NO_STORE, 'set-cookie': sessionCookie(id, SESSION_SECONDS, isSecure) };
  };

  /**
   * Counts the failure before it rejects. A right key is never counted: behind a proxy all clients
   * share one address, and none may lock out the others.
   */
  async function rejectKey({ remoteAddress }: Pick<Call, 'remoteAddress'>): Promise<never> {
    await requestLimits.countFailure(`sign-in:${addressBlock(remoteAddress)}`, FAILED_SIGN_INS);
    throw new Problem('unauthorized', 'This API key is unknown, expired or revoked', {
      headers: { 'www-authenticate': 'Bearer realm="selvage"' },
    });
  }

  async function signIn(call: Call<unknown, z.infer<typeof SignIn>>): Promise<Reply> {
    const { key } = call.body;
    const caller = await keys.findCaller(key);
    if (!caller) return rejectKey(call);
    const { rateLimit } = await requestLimits.admit(caller, 0);
    const id = await sessions.create(key, caller);
    return json(signedIn(caller), { ...cookie(id, call), ...limitHeaders(rateLimit) });
  }

  const idOf = ({ baseUrl, headers }: Call) => sessionIdOf(headers, isOverTls(baseUrl, headers));

  async function status(call: Call): Promise<Reply> {
    const id = idOf(call);
    const caller = id && (await sessions.findCaller(id));
    return json(caller ? signedIn(caller) : { signedIn: false }, NO_STORE);
  }

  async function signOut(call: Call): Promise<Reply> {
    const id = idOf(call);
    if (id) await sessions.delete(id);
    return { status: 204, headers: cookie('', call) };
  }

  return [
    route('signIn', 'POST /console/session', {
      scope: 'keyless',
      body: SignIn,
      maxBodyBytes: 1024,
      responses: {
        200: {
          description: 'Signed in',
          content: { 'application/json': SignedIn },
          headers: ['Set-Cookie', 'RateLimit-Limit', 'RateLimit-Remaining'],
        },
      },
      handle: signIn,
    }),
    route('getSession', 'GET /console/session', {
      scope: 'keyless',
      responses: { 200: jsonDoc('The status', SessionStatus) },
      handle: status,
    }),
    route('signOut', 'DELETE /console/session', {
      scope: 'keyless',
      responses: { 204: { description: 'Signed out', headers: ['Set-Cookie'] } },
      handle: signOut,
    }),
  ];
}

const PhotoRequest = z.strictObject({ imageUrl: ImageUrl });
type PhotoRequest = z.infer<typeof PhotoRequest>;

/** The route by which the console gets a photo of another site, which its browser may not read. */
export function photoRoute(
  images: Pick<ImageRequests, 'fetchImage'>,
  { linkRule }: Pick<Gateway, 'linkRule'>,
): Route {
  async function fetchPhoto(call: Call<unknown, PhotoRequest>): Promise<Reply> {
    const { imageUrl } = call.body;
    checkLinks(linkRule, { '/imageUrl': imageUrl });
    const { file, result } = await images.fetchImage(imageUrl, call);
    return toReply(file, result.mediaType);
  }

  return route('fetchPhoto', 'POST /console/photos', {
    scope: 'background-removal:process',
    body: PhotoRequest,
    maxBodyBytes: 8192,
    responses: {
      200: {
        description: 'The photo as it was sent',
        content: CUT_OUT_MEDIA,
      },
    },
    handle: fetchPhoto,
  });
}
