import { EventEmitter, once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, unavailable } from '../platform/problem.ts';
import { FairShare, type ShareRejection } from './fair-share.ts';

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

/** A body or file is in memory twice when it is complete: as the chunks that arrived, and as a whole. */
export const BODY_WEIGHT = 2;

const DETAILS: Readonly<Record<ShareRejection, string>> = {
  full: 'This server has as many bodies as it has memory for; try again',
  share: 'Your bodies take more memory than this server has for one client; send fewer at once',
};

/**
 * Limits the memory that bodies in progress take, over all connections, and divides it fairly among
 * clients. What a client receives is divided apart from what it sends: one can wait for the other.
 */
export class BodyMemory extends FairShare {
  readonly #onReject: (reason: ShareRejection) => void;
  readonly #events = new EventEmitter().setMaxListeners(0);

  constructor(maxBytes: number, onReject: (reason: ShareRejection) => void) {
    super(maxBytes);
    this.#onReject = onReject;
  }

  hold = (client: string): BodyHold => new BodyHold(this, `body ${client}`);
  holdResponse = (client: string): BodyHold => new BodyHold(this, `response ${client}`);

  override add(holder: string, bytes: number): void {
    super.add(holder, bytes);
    if (bytes < 0) this.#events.emit('returned');
  }

  /** @throws Problem upstream-unavailable if there is not so much more for a holder */
  require(holder: string, bytes: number): void {
    const rejection = this.check(holder, bytes);
    if (!rejection) return;
    this.#onReject(rejection);
    throw unavailable(DETAILS[rejection]);
  }

  /** Whether there is so much more for a holder, or it holds nothing. */
  hasFor = (holder: string, bytes: number): boolean =>
    this.heldBy(holder) === 0 || this.check(holder, bytes) === undefined;

  /** Resolves when some is returned, or the signal aborts. */
  async returned(signal: AbortSignal): Promise<void> {
    await once(this.#events, 'returned', { signal }).catch(() => signal.throwIfAborted());
  }
}

/** The memory of one body or response. */
export class BodyHold {
  readonly #memory: BodyMemory;
  readonly #holder: string;
  #held = 0;
  #isReleased = false;

  constructor(memory: BodyMemory, holder: string) {
    this.#memory = memory;
    this.#holder = holder;
  }

  /**
   * Takes as much memory in total, or returns what it no longer needs.
   * @throws Problem upstream-unavailable if there is not enough
   */
  resize(bytes: number): void {
    const more = bytes - this.#held;
    if (more > 0 && !this.#isReleased) this.#memory.require(this.#holder, more);
    this.#set(bytes);
  }

  /** Takes as much memory in total. Of what exceeds its client's share nothing is counted. */
  take(bytes: number): void {
    this.#set(Math.min(bytes, this.#held + this.#memory.left(this.#holder)));
  }

  /** Takes memory likewise, once there is enough or its client holds nothing. */
  async wait(bytes: number, signal: AbortSignal): Promise<void> {
    // Taken in the same step as it is found, or two would find the same.
    while (!this.#memory.hasFor(this.#holder, bytes)) await this.#memory.returned(signal);
    this.take(bytes);
  }

  /** Returns all memory, for good. */
  release(): void {
    this.#set(0);
    this.#isReleased = true;
  }

  #set(bytes: number): void {
    if (this.#isReleased) return;
    this.#memory.add(this.#holder, bytes - this.#held);
    this.#held = bytes;
  }
}

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
  raw.once('close', () => hold.release());
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
