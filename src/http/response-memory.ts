import type { FastifyReply, FastifyRequest } from 'fastify';
import { BODY_WEIGHT, type BodyHold, type BodyMemory } from './body-memory.ts';

/** Name under which responses without a key share memory; no client has it. */
const KEYLESS = '';
/** Smaller responses fit into the buffers of a connection. */
const SMALL_BYTES = 16 * 1024;

export function responseHoldOf(
  memory: BodyMemory,
  { requestContext }: FastifyRequest,
  { raw }: FastifyReply,
): BodyHold {
  if (requestContext.responseHold) return requestContext.responseHold;
  const hold = memory.holdResponse(requestContext.grant?.client ?? KEYLESS);
  requestContext.responseHold = hold;
  if (raw.destroyed) hold.release();
  raw.once('close', hold.release);
  return hold;
}

/** Returns the memory that a response takes; a text is encoded to be sent. */
function memoryOf(payload: unknown): number {
  if (typeof payload === 'string') return BODY_WEIGHT * payload.length;
  return payload instanceof Uint8Array ? payload.length : 0;
}

/**
 * Takes the memory of a response until it is sent, however slowly its client reads. A response to GET
 * is rejected if there is not enough; others are sent, as their work is done.
 * @throws Problem upstream-unavailable
 */
export function holdResponse(
  memory: BodyMemory,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): void {
  const bytes = memoryOf(payload);
  if (bytes < SMALL_BYTES && !request.requestContext.responseHold) return;
  const hold = responseHoldOf(memory, request, reply);
  if (request.method === 'GET') hold.resize(bytes);
  else hold.take(bytes);
}
