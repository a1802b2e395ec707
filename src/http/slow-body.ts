import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../platform/problem.ts';

/** Time limits of bodies, milliseconds. */
export interface BodyTimes {
  /** From the headers to the end of an ordinary body; for any body, after its response is sent. */
  wholeMillis: number;
  /** The same for a request without an accepted key. */
  keylessMillis: number;
  /** Between the bytes of a streamed body. */
  idleMillis: number;
}

export const hasBody = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;

/** The rest of the body may still arrive, so the connection cannot be reused. */
const CLOSE = { connection: 'close' } as const;

export const tooSlow = (detail: string): Problem =>
  new Problem('request-timeout', detail, { headers: CLOSE });

/** Fails the reader of the body, which then responds; without a reader the connection closes. */
function abortBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || raw.listenerCount('error') === 0) raw.destroy();
  else raw.emit('error', tooSlow('The body was not complete in time'));
}

/** Aborts a request whose body is not complete in time. Node's own limit would end long uploads too. */
export function limitBodyTime(request: FastifyRequest, reply: FastifyReply, millis: number): void {
  if (!hasBody(request) || request.raw.complete) return;
  const timer = setTimeout(abortBody, millis, request, reply).unref();
  for (const event of ['end', 'close']) request.raw.once(event, () => clearTimeout(timer));
}
