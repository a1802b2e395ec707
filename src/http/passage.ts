import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';
import { authorize, type Grant, type LookUp } from './auth.ts';
import { type Admission, type Limits, limitHeaders } from './limits.ts';

/** What the server keeps of a request while it is under way. */
export interface Passage {
  grant: Grant | undefined;
  admission: Admission | undefined;
  problem: Problem | undefined;
  hasHungUp: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    passage: Passage;
  }
}

export const newPassage = (): Passage => ({
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
  limits: Limits;
}

/**
 * Lets a request in by its key, and reserves its quota.
 * @throws Problem as keys and limits say
 */
export async function letIn(
  { lookUp, limits }: Gate,
  { scope, quota = 0 }: { scope: string; quota?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const grant = await authorize(request.headers.authorization, scope, lookUp);
  request.passage.grant = grant;
  const admission = await limits.admit(grant, quota);
  request.passage.admission = admission;
  if (reply.raw.destroyed) {
    // Gone while Redis counted: nobody else will give its quota back.
    hungUp(request);
    throw HUNG_UP;
  }
  reply.headers(limitHeaders(admission.standing));
}

/** Read by nobody; it only ends the work. */
export const HUNG_UP = new Problem('request-timeout', 'The client hung up');

/** Notes that the client has gone, once. */
export function hungUp(request: FastifyRequest): void {
  giveBack(request);
  if (request.passage.hasHungUp) return;
  request.passage.hasHungUp = true;
  request.log.info({ requestId: request.id, ...callerOf(request) }, 'client hung up');
}

/** Aborts when the connection goes before the answer is out. */
export function hangUpSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    gone.abort(HUNG_UP);
    hungUp(request);
  });
  return gone.signal;
}
