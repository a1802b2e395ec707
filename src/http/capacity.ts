import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, unavailable } from '../platform/problem.ts';

/*
 * What one server has for the requests of all: connections, memory and time. Each client gets its share.
 */

/** Why a client gets no more: nothing is left, or what is left is for others. */
export type ShareRejection = 'full' | 'share';

/**
 * Divides an amount among clients. A client may hold as much as it leaves free, so one alone gets half
 * of it, and each of n clients an n+1-th. A client that holds nothing gets whatever is free.
 */
export class FairShare {
  readonly #max;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  readonly total = () => this.#total;

  heldBy(client: string): number {
    return this.#held.get(client) ?? 0;
  }

  /** Returns why a client cannot take this much more, undefined if it can. */
  check(client: string, amount: number): ShareRejection | undefined {
    const free = this.#max - this.#total;
    const own = this.#held.get(client) ?? 0;
    if (amount > free) return 'full';
    return own > 0 && own + amount > free - amount ? 'share' : undefined;
  }

  /** Returns how much more a client can take and leave its share to others, at least 1. */
  left(client: string): number {
    return Math.max(1, Math.floor((this.#max - this.#total - (this.#held.get(client) ?? 0)) / 2));
  }

  /** Adds to what a client holds; a negative amount returns it. */
  add(client: string, amount: number): void {
    this.#total += amount;
    const own = (this.#held.get(client) ?? 0) + amount;
    if (own > 0) this.#held.set(client, own);
    else this.#held.delete(client);
  }
}

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

/** Returns a problem after which the connection closes: the rest of the body may still arrive. */
export const asLast = ({ type, detail, headers }: Problem): Problem =>
  new Problem(type, detail, { headers: { ...headers, connection: 'close' } });

export const tooSlow = (detail: string): Problem => asLast(new Problem('request-timeout', detail));

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

/** No client has this name. */
const KEYLESS = '';

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

  /** @param client by default those without a key, who share as one */
  hold = (client = KEYLESS): BodyHold => new BodyHold(this, `body ${client}`);
  holdResponse = (client = KEYLESS): BodyHold => new BodyHold(this, `response ${client}`);

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

/** Smaller responses fit into the buffers of a connection. */
const SMALL_BYTES = 16 * 1024;

export function responseHoldOf(
  memory: BodyMemory,
  { requestContext }: FastifyRequest,
  { raw }: FastifyReply,
): BodyHold {
  if (requestContext.responseHold) return requestContext.responseHold;
  const hold = memory.holdResponse(requestContext.caller?.client);
  requestContext.responseHold = hold;
  if (raw.destroyed) hold.release();
  raw.once('close', () => hold.release());
  return hold;
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
  const isText = typeof payload === 'string';
  // A text is encoded to be sent.
  const bytes = isText
    ? BODY_WEIGHT * payload.length
    : payload instanceof Uint8Array
      ? payload.length
      : 0;
  if (bytes < SMALL_BYTES && !request.requestContext.responseHold) return;
  const hold = responseHoldOf(memory, request, reply);
  if (request.method === 'GET') hold.resize(bytes);
  else hold.take(bytes);
}

interface Connection {
  /** Of the requests in progress, in their order. */
  responses: Set<ServerResponse>;
  /** Whether the latest request came with an accepted key. */
  isAccepted: boolean;
  latest: { request: IncomingMessage; response: ServerResponse } | undefined;
  /** Whether it has its last response, and what its client still sends is dropped. */
  isLingering: boolean;
}

/**
 * A connection is `accepted` while a request with an accepted key is in progress, `idle` after it, and
 * else `keyless`: new, sending headers, or with a request without an accepted key.
 */
type ConnectionState = 'keyless' | 'idle' | 'accepted';

/** What a closed connection was. */
type Evicted = Exclude<ConnectionState, 'accepted'> | 'new';

interface ConnectionLimits {
  /** Open connections. */
  max: number;
  /** How long a client may go on sending after the last response on its connection. */
  lingerMillis: number;
  /** Aborts when the server starts to shut down. */
  closing: AbortSignal;
  /** Called when a connection gives way to a new one, or the new one finds no place. */
  onEvict(as: Evicted): void;
  /** Called when a client gets no further connection. */
  onReject(reason: ShareRejection): void;
}

/** What a client may go on sending after the last response: any image and its base64. */
const LINGER_BYTES = 32 * 2 ** 20;
const LINGER_CHECK_MILLIS = 50;

/** Requests in progress on one connection: clients that do not pipeline have one. */
const MAX_PIPELINED = 10;

/**
 * Closes the responses that wait for an earlier one on a closed connection: Node closes only the
 * response that is being sent.
 */
function closeQueued(responses: Iterable<ServerResponse>): void {
  for (const response of [...responses]) {
    if (response.socket) continue;
    response.destroy();
    response.emit('close');
  }
}

/** Lets a client go on sending, up to a time and a size; then destroys its connection. */
function linger(socket: Socket, lingerMillis: number): void {
  const deadlineMillis = performance.now() + lingerMillis;
  const maxBytesRead = socket.bytesRead + LINGER_BYTES;
  const timer = setInterval(() => {
    const isOver = performance.now() > deadlineMillis || socket.bytesRead > maxBytesRead;
    if (isOver) socket.destroy();
  }, LINGER_CHECK_MILLIS).unref();
  socket.once('close', () => clearInterval(timer));
}

/**
 * Tracks the connections of a server.
 *
 * At most `max` connections are open; a new one then closes another. Connections without an accepted
 * key give way as long as they are more than half, first the one whose last response, or opening, is
 * longest ago: whether it is idle, sends headers or sends a body. Otherwise the one that is idle
 * longest after a request with an accepted key gives way. Requests with an accepted key are never
 * interrupted, and no client has more of them than there are connections left for others. A connection
 * with more than ten requests in progress is closed.
 *
 * While the server shuts down, idle connections close at once, even if they never carried a request,
 * and the others at the end of their request. Node itself would wait for some of them.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #all = new Map<Socket, Connection>();
  readonly #keyless = new Set<Socket>();
  readonly #idle = new Set<Socket>();
  readonly #share: FairShare;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#share = new FairShare(limits.max);
    server.on('connection', (socket) => this.#open(socket));
    // First, so that requests after too many find their connection closed.
    server.prependListener('request', (request, response) => {
      const { socket } = request;
      const connection = this.#all.get(socket);
      if (!connection) return;
      connection.latest = { request, response };
      this.#startRequest(socket, connection, response);
      response.once('close', () => this.#endRequest(socket, connection, response));
    });
    limits.closing.addEventListener('abort', () => {
      for (const [socket, { responses }] of this.#all) {
        if (responses.size === 0) socket.destroySoon();
      }
    });
  }

  #open(socket: Socket): void {
    if (this.#all.size >= this.#limits.max) this.#evictFor(socket);
    if (socket.destroyed) return;
    const connection: Connection = {
      responses: new Set(),
      isAccepted: false,
      latest: undefined,
      isLingering: false,
    };
    this.#all.set(socket, connection);
    this.#keyless.add(socket);
    socket.once('close', () => {
      this.#forget(socket);
      closeQueued(connection.responses);
    });
    // Node destroys the connection right after its last response: a client that is still sending
    // would be reset, and might never see the response.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const request = connection.latest?.request;
      if (!request || request.complete || this.#limits.closing.aborted) return destroySoon();
      socket.end();
      request.once('end', () => socket.destroy());
      linger(socket, this.#limits.lingerMillis);
    };
  }

  #forget(socket: Socket): void {
    this.#all.delete(socket);
    this.#keyless.delete(socket);
    this.#idle.delete(socket);
  }

  #evict(socket: Socket, as: Evicted): void {
    this.#limits.onEvict(as);
    this.#forget(socket);
    socket.destroy();
  }

  /** Closes the connection that must give way to a new one: the new one if no other can. */
  #evictFor(socket: Socket): void {
    const [oldestKeyless] = this.#keyless;
    const [oldestIdle] = this.#idle;
    if (oldestIdle && this.#keyless.size <= this.#limits.max / 2) this.#evict(oldestIdle, 'idle');
    else if (oldestKeyless) this.#evict(oldestKeyless, 'keyless');
    else this.#evict(socket, 'new');
  }

  #startRequest(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.responses.add(response);
    if (connection.responses.size > MAX_PIPELINED) socket.destroy();
    if (connection.responses.size > 1) return;
    connection.isAccepted = false;
    if (this.#idle.delete(socket)) this.#keyless.add(socket);
  }

  #endRequest(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.responses.delete(response);
    if (connection.responses.size > 0 || !this.#all.has(socket)) return;
    if (this.#limits.closing.aborted) socket.destroySoon();
    this.#keyless.delete(socket); // added again, it is the last to give way
    (connection.isAccepted ? this.#idle : this.#keyless).add(socket);
  }

  /**
   * Protects a connection until the response to a request with an accepted key is sent.
   * @throws Problem upstream-unavailable if the client has too many requests in progress
   */
  accept({ socket }: IncomingMessage, response: ServerResponse, client: string): void {
    const rejection = this.#share.check(client, 1);
    if (rejection) {
      this.#limits.onReject(rejection);
      const detail =
        'You have as many requests in progress as this server has connections for; send fewer at once';
      throw asLast(unavailable(detail));
    }
    this.#share.add(client, 1);
    response.once('close', () => this.#share.add(client, -1));
    const connection = this.#all.get(socket);
    if (!connection) return;
    connection.isAccepted = true;
    this.#keyless.delete(socket);
  }

  counts(): Readonly<Record<ConnectionState, number>> {
    const [keyless, idle] = [this.#keyless.size, this.#idle.size];
    return { keyless, idle, accepted: this.#all.size - keyless - idle };
  }

  /**
   * Ends a connection whose bytes cannot be parsed. What else arrives on it is dropped: a client that is still
   * sending would be reset, and might never see the response.
   * @param respond sends the last response; not called if one is on its way
   */
  endUnparsable(socket: Socket, respond: () => void): void {
    const connection = this.#all.get(socket);
    if (!connection) return void socket.destroy();
    if (connection.isLingering) return;
    connection.isLingering = true;
    const { request, response } = connection.latest ?? {};
    if (request?.complete || !response?.headersSent) respond();
    linger(socket, this.#limits.lingerMillis);
  }
}
