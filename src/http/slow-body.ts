import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../platform/problem.ts';

/** How long bodies may take, milliseconds. */
export interface BodyTimes {
  /** From the headers to the end of an ordinary body; of any body, after its answer is out. */
  wholeMillis: number;
  /** Between the bytes of a body that is read as it comes. */
  idleMillis: number;
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;

/** The rest of the body may still be on its way: this connection is good for nothing more. */
const CLOSE = { connection: 'close' } as const;

export const tooSlow = (detail: string): Problem =>
  new Problem('request-timeout', detail, { headers: CLOSE });

/** Whoever reads the body learns of it and answers; where nobody does, the connection goes. */
function giveUp({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || raw.listenerCount('error') === 0) raw.destroy();
  else raw.emit('error', tooSlow('The body was not complete in time'));
}

/** Ends a request whose body is not there in time. Node's own limit would end long uploads too. */
export function limitBodyTime(request: FastifyRequest, reply: FastifyReply, millis: number): void {
  if (!hasBody(request) || request.raw.complete) return;
  const timer = setTimeout(giveUp, millis, request, reply).unref();
  for (const event of ['end', 'close']) request.raw.once(event, () => clearTimeout(timer));
}
