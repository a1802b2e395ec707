import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../platform/problem.ts';
import type { BodyHold } from './capacity.ts';
import type { Admission, Limits } from './limits.ts';
import { asProblem, CLIENT_DISCONNECTED } from './problem-response.ts';
import { requestOrigin } from './request-head.ts';
import type { Caller, Route } from './route.ts';

/** What is known of a request while it is handled. */
export class RequestContext {
  /** Undefined until its key or session is accepted. */
  caller: Caller | undefined;
  /** Undefined once its quota was charged, refunded or handed over. */
  admission: Admission | undefined;
  /** What the rate limit headers of the response report, and the request has cost. */
  limits: Pick<Admission, 'rateLimit' | 'units'> | undefined;
  problem: Problem | undefined;
  /** The id of what was made, where the response is 201 and says it. */
  made: string | undefined;
  /** The memory its body takes. */
  bodyHold: BodyHold | undefined;
  /** The memory its response takes. */
  responseHold: BodyHold | undefined;
  hasDisconnected = false;
}

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: RequestContext;
  }
}

export const callerFields = ({ requestContext }: FastifyRequest) => ({
  client: requestContext.caller?.client,
  keyId: requestContext.caller?.keyId,
  person: requestContext.caller?.person,
});

/** Refunds reserved quota, once; the response does not wait for it. */
export function refundQuota(request: FastifyRequest): void {
  const { admission } = request.requestContext;
  request.requestContext.admission = undefined;
  admission?.refund().catch((error) => {
    request.log.error({ requestId: request.id, err: error }, 'quota not refunded');
  });
}

/** Records that the client has left, and refunds its quota, once. */
export function clientDisconnected(request: FastifyRequest): void {
  refundQuota(request);
  if (request.requestContext.hasDisconnected) return;
  request.requestContext.hasDisconnected = true;
  request.log.info({ requestId: request.id, ...callerFields(request) }, 'client disconnected');
}

/** Returns who presents a key or a session id; undefined if it is unknown or not live. */
export type LookUp = (credential: string) => Promise<Caller | undefined>;

const BEARER = /^Bearer +([\x21-\x7e]{1,200}) *$/i;
const CHALLENGE = 'Bearer realm="selvage"';

const unauthorized = (detail: string, challenge = CHALLENGE): Problem =>
  new Problem('unauthorized', detail, { headers: { 'www-authenticate': challenge } });

/** What a route requires of its callers. */
type Requirement = Pick<Route, 'scope' | 'right' | 'quota' | 'keyHeader'>;

export const insufficientScope = (scope: string): Problem =>
  new Problem('insufficient-scope', `This needs a key with the scope ${scope}`, {
    headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  });

/**
 * Returns who sends an Authorization header, if the key covers what is required.
 * @throws Problem unauthorized, insufficient-scope
 */
export async function authorize(
  header: string | undefined,
  required: Requirement,
  lookUp: LookUp,
): Promise<Caller> {
  if (!header) {
    const own = required.keyHeader ? `"${required.keyHeader}: <API_KEY>" or ` : '';
    throw unauthorized(`Send the header ${own}"Authorization: Bearer <API_KEY>"`);
  }
  const key = BEARER.exec(header)?.[1];
  if (!key) throw unauthorized('The Authorization header must be "Bearer <API_KEY>"');
  return requireCaller(lookUp(key), required, 'This API key is unknown, expired or revoked');
}

/**
 * Returns the caller that was looked up if it may do what is required.
 * @param unknownDetail the problem's detail if there is none
 * @throws Problem unauthorized, insufficient-scope
 */
async function requireCaller(
  lookup: Promise<Caller | undefined>,
  { scope, right }: Requirement,
  unknownDetail: string,
): Promise<Caller> {
  const caller = await lookup;
  if (!caller) throw unauthorized(unknownDetail, `${CHALLENGE}, error="invalid_token"`);
  if (scope !== 'any-key' && !caller.scopes.includes(scope)) throw insufficientScope(scope);
  if (right === undefined || caller.rights.includes(right)) return caller;
  throw new Problem(
    'insufficient-scope',
    `This key may not use this part of /intake: it needs the right "${right}", and a scope of an operation there`,
    { headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope"` } },
  );
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

/** Whether the sender of a request is known by a cookie. */
export const hasSession = (headers: Headers): boolean =>
  [true, false].some((isSecure) => sessionIdOf(headers, isSecure) !== undefined);

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

export interface AccessControl {
  lookUp: LookUp;
  /** Finds who has the session of an id. Without it there are no sessions. */
  lookUpSession?: LookUp | undefined;
  limits: Pick<Limits, 'admit'>;
  /** By which clients reach the service, if it is set: the base of links. */
  publicUrl?: string | undefined;
}

/** Authenticates by the key if there is one, else by the session of a console page. */
function authenticate(
  { lookUp, lookUpSession, publicUrl }: AccessControl,
  required: Requirement,
  request: FastifyRequest,
): Promise<Caller> {
  const { headers } = request;
  // A key in a header of its own counts as one in `Authorization`, and takes precedence.
  const key = headers[required.keyHeader ?? ''];
  const authorization = key ? `Bearer ${key}` : headers.authorization;
  const isSecure = isOverTls(publicUrl ?? requestOrigin(request), headers);
  const sessionId = authorization ? undefined : sessionIdOf(headers, isSecure);
  if (!sessionId || !lookUpSession) return authorize(authorization, required, lookUp);
  // A foreign page can send the cookie but not this header: browsers would send a CORS preflight first, which never
  // allows it.
  if (headers['x-selvage-console'] !== '1') {
    throw new Problem(
      'foreign-origin',
      'A console session is valid only for requests of the console',
    );
  }
  return requireCaller(lookUpSession(sessionId), required, 'You are signed out; sign in again');
}

/**
 * Admits a request by its key, and reserves its quota. Returns the caller.
 * @throws Problem as `authorize` and `Limits.admit` do
 */
export async function admit(
  control: AccessControl,
  rule: Requirement,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const caller = await authenticate(control, rule, request);
  const { requestContext } = request;
  requestContext.caller = caller;
  const admission = await control.limits.admit(caller, caller.test ? 0 : (rule.quota ?? 0));
  requestContext.admission = admission;
  requestContext.limits = admission;
  if (reply.raw.destroyed) {
    // The client left while Redis counted: nothing else would refund its quota.
    clientDisconnected(request);
    throw CLIENT_DISCONNECTED;
  }
  return caller;
}

/** How soon a revoked key ends bodies and responses in progress. */
const RECHECK_MILLIS = 5000;

/**
 * Returns what authenticates a request again while it lasts, at most every five seconds. It throws if the key is no
 * longer accepted. While keys cannot be checked, the caller stays admitted.
 */
export function accessCheck(
  control: AccessControl,
  rule: Requirement,
  request: FastifyRequest,
): () => Promise<void> {
  let checkedAt = performance.now();
  return async () => {
    const isRecent = performance.now() - checkedAt < RECHECK_MILLIS;
    if (rule.scope === 'keyless' || isRecent) return;
    checkedAt = performance.now();
    await authenticate(control, rule, request).catch((error) => {
      if (asProblem(error).type !== 'upstream-unavailable') throw error;
    });
  };
}

/** Returns a signal that aborts if the connection closes before the response is sent. */
export function disconnectSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    controller.abort(CLIENT_DISCONNECTED);
    clientDisconnected(request);
  });
  return controller.signal;
}
