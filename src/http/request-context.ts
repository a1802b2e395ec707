import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../platform/problem.ts';
import type { BodyHold } from './body-limits.ts';
import {
  authorize,
  type Grant,
  isFromOwnPage,
  isOverTls,
  type LookUp,
  requireGrant,
  sessionIdOf,
} from './credentials.ts';
import type { Admission, Limits } from './limits.ts';
import { asProblem, CLIENT_DISCONNECTED } from './problem-response.ts';
import { requestOrigin } from './request-head.ts';
import type { Route } from './route.ts';

const SAFE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the client's own `X-Request-Id` if it is safe to repeat and log, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && SAFE.test(sent) ? sent : randomUUID();
}

/** What is known of a request while it is handled. */
export class RequestContext {
  grant: Grant | undefined;
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
  client: requestContext.grant?.client,
  keyId: requestContext.grant?.keyId,
  person: requestContext.grant?.person,
});

/** Refunds reserved quota, once; the response does not wait for it. */
export function refundQuota(request: FastifyRequest): void {
  const { admission } = request.requestContext;
  request.requestContext.admission = undefined;
  admission?.refund().catch((error) => {
    request.log.error({ requestId: request.id, err: error }, 'quota not refunded');
  });
}

export interface AccessControl {
  lookUp: LookUp;
  /** Finds the grant behind a session's id. Without it there are no sessions. */
  lookUpSession?: LookUp | undefined;
  limits: Pick<Limits, 'admit'>;
  /** By which clients reach the service, if it is set: the base of links. */
  publicUrl?: string | undefined;
}

/** What a route requires of its callers. */
type AccessRule = Pick<Route, 'scope' | 'right' | 'quota' | 'keyHeader'>;

/** A key in a header of its own counts as one in `Authorization`, and takes precedence. */
function readAuthorization(headers: FastifyRequest['headers'], keyHeader = ''): string | undefined {
  const key = headers[keyHeader];
  return key ? `Bearer ${key}` : headers.authorization;
}

/** Authenticates by the key if there is one, else by the session of a console page. */
function authenticate(
  { lookUp, lookUpSession, publicUrl }: AccessControl,
  required: AccessRule,
  request: FastifyRequest,
): Promise<Grant> {
  const { headers } = request;
  const authorization = readAuthorization(headers, required.keyHeader);
  const isSecure = isOverTls(publicUrl ?? requestOrigin(request), headers);
  const sessionId = authorization ? undefined : sessionIdOf(headers, isSecure);
  if (!sessionId || !lookUpSession) return authorize(authorization, required, lookUp);
  if (!isFromOwnPage(headers)) {
    throw new Problem(
      'foreign-origin',
      'A console session is valid only for requests of the console',
    );
  }
  return requireGrant(lookUpSession(sessionId), required, 'You are signed out; sign in again');
}

/**
 * Admits a request by its key, and reserves its quota. Returns the key's grant.
 * @throws Problem as `authorize` and `Limits.admit` do
 */
export async function admit(
  control: AccessControl,
  rule: AccessRule,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Grant> {
  const grant = await authenticate(control, rule, request);
  request.requestContext.grant = grant;
  const admission = await control.limits.admit(grant, grant.test ? 0 : (rule.quota ?? 0));
  request.requestContext.admission = admission;
  request.requestContext.limits = admission;
  if (reply.raw.destroyed) {
    // The client left while Redis counted: nothing else would refund its quota.
    clientDisconnected(request);
    throw CLIENT_DISCONNECTED;
  }
  return grant;
}

/** How soon a revoked key ends bodies and responses in progress. */
const RECHECK_MILLIS = 5000;

/** Authenticates a request again while it lasts, at most every five seconds. */
export class AccessCheck {
  readonly #request;
  readonly #control;
  readonly #rule;
  #checkedAt = performance.now();

  constructor(control: AccessControl, rule: AccessRule, request: FastifyRequest) {
    this.#control = control;
    this.#rule = rule;
    this.#request = request;
  }

  /** Throws if the key is no longer accepted. While keys cannot be checked, the caller stays admitted. */
  readonly run = async (): Promise<void> => {
    const isRecent = performance.now() - this.#checkedAt < RECHECK_MILLIS;
    if (this.#rule.scope === 'keyless' || isRecent) return;
    this.#checkedAt = performance.now();
    await authenticate(this.#control, this.#rule, this.#request).catch((error) => {
      if (asProblem(error).type !== 'upstream-unavailable') throw error;
    });
  };
}

/** Records that the client has left, and refunds its quota, once. */
export function clientDisconnected(request: FastifyRequest): void {
  refundQuota(request);
  if (request.requestContext.hasDisconnected) return;
  request.requestContext.hasDisconnected = true;
  request.log.info({ requestId: request.id, ...callerFields(request) }, 'client disconnected');
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
