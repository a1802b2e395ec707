import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../platform/problem.ts';
import { authorize, type Grant, granted, type LookUp } from './auth.ts';
import { type Admission, type Limits, limitHeaders } from './limits.ts';
import type { Route } from './route.ts';
import { isFromOwnPage, sessionIdOf } from './session-cookie.ts';

/** What the server keeps of a request while it is under way. */
export interface RequestContext {
  grant: Grant | undefined;
  admission: Admission | undefined;
  problem: Problem | undefined;
  hasHungUp: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    passage: RequestContext;
  }
}

export const createRequestContext = (): RequestContext => ({
  grant: undefined,
  admission: undefined,
  problem: undefined,
  hasHungUp: false,
});

/** Who called, for the log. */
export const callerOf = ({ passage }: FastifyRequest) => ({
  client: passage.grant?.client,
  keyId: passage.grant?.keyId,
});

/** Gives reserved quota back, once; the answer does not wait for it. */
export function giveBack(request: FastifyRequest): void {
  const { admission } = request.passage;
  request.passage.admission = undefined;
  admission?.refund().catch((error) => {
    request.log.error({ requestId: request.id, err: error }, 'quota not given back');
  });
}

/** What a key must be shown for, and what is counted. */
export interface Gate {
  lookUp: LookUp;
  /** Finds the grant of a signed-in page by its session's id; without it there are no sessions. */
  lookUpSession?: LookUp | undefined;
  limits: Limits;
}

/** What a request asks to come in to. */
type Door = Pick<Route, 'scope' | 'quota' | 'keyHeader'>;

/** A key in a header of its own counts as one in `Authorization`, and goes first. */
function authorizationOf(headers: FastifyRequest['headers'], keyHeader = ''): string | undefined {
  const key = headers[keyHeader];
  return key ? `Bearer ${key}` : headers.authorization;
}

/** Who calls: by a key where one is shown, else by the session of a page of ours. */
function grantOf(
  { lookUp, lookUpSession }: Gate,
  { scope, keyHeader }: Door,
  { headers }: FastifyRequest,
): Promise<Grant> {
  const authorization = authorizationOf(headers, keyHeader);
  const sessionId = authorization ? undefined : sessionIdOf(headers);
  if (!sessionId || !lookUpSession) return authorize(authorization, scope, lookUp);
  if (!isFromOwnPage(headers)) {
    throw new Problem(
      'foreign-origin',
      'A sign-in counts only for requests that the console makes',
    );
  }
  return granted(lookUpSession(sessionId), scope, 'You are signed out; sign in again');
}

/**
 * Lets a request in by its key, and reserves its quota.
 * @throws Problem as keys and limits say
 */
export async function admit(
  gate: Gate,
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const grant = await grantOf(gate, door, request);
  request.passage.grant = grant;
  const admission = await gate.limits.admit(grant, door.quota ?? 0);
  request.passage.admission = admission;
  if (reply.raw.destroyed) {
    // Gone while Redis counted: nobody else will give its quota back.
    clientDisconnected(request);
    throw CLIENT_DISCONNECTED;
  }
  reply.headers(limitHeaders(admission.standing));
}

/** Read by nobody; it only ends the work. */
export const CLIENT_DISCONNECTED = new Problem('request-timeout', 'The client hung up');

/** Notes that the client has gone, once. */
export function clientDisconnected(request: FastifyRequest): void {
  giveBack(request);
  if (request.passage.hasHungUp) return;
  request.passage.hasHungUp = true;
  request.log.info({ requestId: request.id, ...callerOf(request) }, 'client hung up');
}

/** Aborts when the connection goes before the answer is out. */
export function disconnectSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    gone.abort(CLIENT_DISCONNECTED);
    clientDisconnected(request);
  });
  return gone.signal;
}
