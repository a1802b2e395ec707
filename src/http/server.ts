import multipart from '@fastify/multipart';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { RequestObservation, ServerFigures } from '../platform/metrics/gateway.ts';
import { Problem, unavailable } from '../platform/problem.ts';
import {
  type AccessControl,
  callerFields,
  clientDisconnected,
  hasSession,
  RequestContext,
  refundQuota,
} from './access.ts';
import {
  BodyMemory,
  type BodyTimes,
  Connections,
  hasBody,
  holdResponse,
  limitBodyTime,
} from './capacity.ts';
import { compressResponses, leaveUncompressed } from './compression.ts';
import { allowOrigins } from './cors.ts';
import { isFilePart, MAX_TEXT_PART_BYTES } from './image-body.ts';
import { parseAsJson } from './json-body.ts';
import { limitHeaders } from './limits.ts';
import { MAX_JSON_BYTES, type MountOptions, maxBodyWeight, mountRoutes } from './mount.ts';
import { nearestPath } from './nearest-path.ts';
import { ALL_METHODS } from './other-methods.ts';
import {
  asProblem,
  CLIENT_DISCONNECTED,
  PROBLEM_MEDIA_TYPE,
  parserProblem,
  problemBody,
  sendRawProblem,
} from './problem-response.ts';
import {
  checkForwarded,
  FramingCheck,
  mediaTypeOf,
  mediaTypeProblem,
  requestIdOf,
} from './request-head.ts';
import type { Caller, Reply, Route } from './route.ts';

/** One answered request, and whose it was. */
export interface AnsweredRequest extends RequestObservation {
  requestId: string;
  /** Undefined if it had no accepted key. */
  caller: Pick<Caller, 'client' | 'keyId' | 'person'> | undefined;
  /** Of its path, decoded. */
  params: Readonly<Record<string, string>>;
  /** The id of what it made, if its response is 201 and says it. */
  made: string | undefined;
  /** What the first error of its problem points at. */
  pointer: string | undefined;
  /** Units of the quota that it has cost. */
  units: number;
}

export interface ServerOptions
  extends AccessControl,
    Pick<MountOptions, 'log' | 'maxImageBytes' | 'corsOrigins'> {
  routes: readonly Route[];
  /** Absolute URI that problem types are resolved against, if any. */
  problemBase: string | undefined;
  /** Networks of proxies whose `X-Forwarded-…` headers count (CIDR); none by default. */
  trustedProxies?: readonly string[];
  /** Time limit for the headers, then for the body; between bytes for a streamed one. */
  requestMillis?: number;
  /** Time limits of bodies, if not `requestMillis`. */
  bodyTimes?: Partial<BodyTimes>;
  /** Open connections; see `Connections`. */
  maxConnections?: number;
  /** Memory that the bodies of all requests in progress may take, bytes. */
  maxBodyMemoryBytes?: number;
  /** Called once for each answered request. */
  observe(request: AnsweredRequest): void;
}

const REQUEST_MILLIS = 60_000;
const MAX_CONNECTIONS = 10_000;
/** Parts of an image form: its fields, and two images. Those in JSON count as files. */
const MAX_PARTS = 22;
const MAX_BODY_MEMORY_BYTES = 256 * 2 ** 20;
/** Strangers get little time to send a body, and to read a response before they have sent it. */
const KEYLESS_MILLIS = 5000;

/** The HTTP server: ids, keys, limits, parsing, problems, logs. It does not listen yet. */
export class HttpServer {
  readonly app: FastifyInstance;
  readonly #options: ServerOptions;
  readonly #requestMillis: number;
  readonly #bodyTimes: BodyTimes;
  readonly #closing = new AbortController();
  readonly #connections;
  readonly #bodyMemory;
  readonly #framing = new FramingCheck();
  readonly #nearest;
  readonly #turnedDown = {
    evictedConnections: { keyless: 0, idle: 0, new: 0 },
    rejectedBodies: { full: 0, share: 0 },
    rejectedConnections: { full: 0, share: 0 },
  };

  constructor(options: ServerOptions) {
    const { requestMillis = REQUEST_MILLIS, maxConnections = MAX_CONNECTIONS } = options;
    const { wholeMillis = requestMillis, idleMillis = requestMillis } = options.bodyTimes ?? {};
    const { keylessMillis = Math.min(KEYLESS_MILLIS, wholeMillis) } = options.bodyTimes ?? {};
    this.#options = options;
    this.#requestMillis = requestMillis;
    this.#bodyTimes = { wholeMillis, keylessMillis, idleMillis };
    this.#nearest = nearestPath(options.routes.map(({ path }) => path));
    this.#bodyMemory = new BodyMemory(
      Math.max(
        options.maxBodyMemoryBytes ?? MAX_BODY_MEMORY_BYTES,
        maxBodyWeight(options.maxImageBytes),
      ),
      (reason) => this.#turnedDown.rejectedBodies[reason]++,
    );
    this.app = this.#open();
    this.#connections = new Connections(this.app.server, {
      max: maxConnections,
      lingerMillis: keylessMillis,
      closing: this.#closing.signal,
      onEvict: (as) => this.#turnedDown.evictedConnections[as]++,
      onReject: (reason) => this.#turnedDown.rejectedConnections[reason]++,
    });
    this.#answerUnusual();
    this.#parseBodies();
    this.#addHooks();
    this.app.setErrorHandler((error, request, reply) => {
      const problem = mediaTypeProblem(error, request) ?? asProblem(error);
      logError(request, problem);
      this.#sendProblem(request, reply, problem);
    });
    this.app.setNotFoundHandler((request, reply) =>
      this.#sendProblem(request, reply, this.#nothingHere(request)),
    );
    this.app.register(async (scope) => {
      await compressResponses(scope);
      const held = { bodyMemory: this.#bodyMemory, connections: this.#connections };
      mountRoutes(
        scope,
        { ...options, ...this.#bodyTimes, ...held, closing: this.#closing.signal },
        options.routes,
      );
    });
  }

  readonly figures = (): ServerFigures => ({
    bodyBytes: this.#bodyMemory.total(),
    connections: this.#connections.counts(),
    ...this.#turnedDown,
  });

  /**
   * Rejects new requests with 503 from now on. Requests in progress continue; those without an end of
   * their own are ended by their call's `closing` signal.
   */
  drain(): void {
    this.#closing.abort();
  }

  #open(): FastifyInstance {
    const { log, trustedProxies } = this.#options;
    return fastify({
      loggerInstance: log as FastifyBaseLogger,
      logController: new ResponseLog({ disableRequestLogging: true }),
      genReqId: requestIdOf,
      requestIdHeader: false,
      bodyLimit: MAX_JSON_BYTES,
      pluginTimeout: 0, // loading takes more than Fastify's 10 s on a busy machine
      http: {
        headersTimeout: this.#requestMillis,
        requestTimeout: 0, // as below; Node compares it with headersTimeout before Fastify sets it
        connectionsCheckingInterval: this.#requestMillis / 4,
        requireHostHeader: false, // FramingCheck responds with a problem instead
      },
      requestTimeout: 0, // see limitBodyTime
      keepAliveTimeout: 65_000,
      forceCloseConnections: 'idle',
      return503OnClosing: false,
      trustProxy: trustedProxies?.length ? [...trustedProxies] : false,
      routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
      frameworkErrors: (error, request, reply) =>
        this.#sendProblem(request, reply, asProblem(error)),
      clientErrorHandler: (error, socket) => {
        this.#connections.endUnparsable(socket, () => {
          sendRawProblem(socket, parserProblem(error), this.#options.problemBase);
        });
      },
    });
  }

  /** Answers what Node would otherwise respond to itself without a problem, or not at all. */
  #answerUnusual(): void {
    const { server } = this.app;
    server.on('checkExpectation', (request, response) => {
      server.emit('request', request, response);
    });
    // Node would send 100 before the request is authenticated; see preParsing.
    server.on('checkContinue', (request, response) => {
      server.emit('request', request, response);
    });
    server.on('connect', (_request, socket) => {
      const problem = new Problem('method-not-allowed', 'This is not a proxy');
      sendRawProblem(socket, problem, this.#options.problemBase);
    });
  }

  #parseBodies(): void {
    this.app.removeContentTypeParser('text/plain');
    parseAsJson(this.app);
    allowOrigins(this.app);
    this.app.register(multipart, {
      throwFileSizeLimit: false,
      limits: {
        fileSize: this.#options.maxImageBytes,
        files: MAX_PARTS,
        fields: 20,
        parts: MAX_PARTS,
        fieldSize: MAX_TEXT_PART_BYTES,
      },
      isPartAFile: isFilePart,
    });
  }

  #addHooks(): void {
    const { app } = this;
    app.decorateRequest('requestContext');
    app.addHook('onRequest', async (request, reply) => this.#begin(request, reply));
    app.addHook('preParsing', async (request, reply) => {
      const { headers, routeOptions } = request;
      const declaredBytes = Number(headers['content-length'] ?? 0);
      const isTooLong = declaredBytes > (routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY);
      // A body that will be refused by its length is not asked for.
      if (headers.expect && !isTooLong) reply.raw.writeContinue();
    });
    app.addHook('onSend', async (request, reply, payload) => {
      this.#prepareResponse(request, reply, payload);
    });
    // A client that disconnects while sending its body; `disconnectSignal` covers later disconnects.
    app.addHook('onRequestAbort', async (request) => {
      clientDisconnected(request);
    });
    app.addHook('onResponse', async (request, reply) => {
      this.#record(request, reply);
    });
  }

  #begin(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    request.requestContext = new RequestContext();
    reply.header('x-request-id', request.id);
    if (request.raw.socket.destroyed) throw CLIENT_DISCONNECTED;
    this.#framing.check(request.raw);
    checkForwarded(request);
    const { streamedTypes, isKeyed } = request.routeOptions.config;
    const { wholeMillis, keylessMillis } = this.#bodyTimes;
    const isStreamed = streamedTypes?.includes(mediaTypeOf(request.headers['content-type']));
    if (!isStreamed) limitBodyTime(request, reply, isKeyed ? wholeMillis : keylessMillis);
    if (this.#closing.signal.aborted) {
      throw unavailable('This server is shutting down; try again', 1);
    }
    if (request.method === 'OPTIONS' && request.url === '*') {
      return reply.status(204).header('allow', ALL_METHODS).send();
    }
    if (request.is404 || request.routeOptions.url === '*') throw this.#nothingHere(request);
    // Another site could have a browser send such a request, and read a secret from the length of the response (BREACH).
    if (hasSession(request.headers)) leaveUncompressed(request);
    return undefined;
  }

  #prepareResponse(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    holdResponse(this.#bodyMemory, request, reply, payload);
    const { limits, caller } = request.requestContext;
    if (limits) reply.headers(limitHeaders(limits.rateLimit));
    // What is not a document is personal, or of this moment.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    // Closes connections to clients that read nothing of a response for so long; Node sets its own
    // timeout once the response is sent.
    request.raw.socket.setTimeout(this.#requestMillis);
    // A kept-alive connection would keep the server from closing. What a stranger still sends is not read for
    // long; see `Connections`.
    const isIncomplete = hasBody(request) && !request.raw.complete;
    if (this.#closing.signal.aborted || (isIncomplete && !caller)) {
      reply.header('connection', 'close');
    }
  }

  #record(request: FastifyRequest, reply: FastifyReply): void {
    const { log, observe } = this.#options;
    const { caller, limits, made, problem } = request.requestContext;
    const { type, errors } = problem ?? {};
    const requestId = request.id;
    const about = {
      method: request.method,
      route: request.routeOptions.url ?? '(none)',
      status: reply.statusCode,
      problem: type,
    };
    observe({
      ...about,
      requestId,
      caller,
      made,
      seconds: reply.elapsedTime / 1000,
      params: request.params as Record<string, string>,
      pointer: errors?.[0]?.pointer,
      units: limits?.units ?? 0,
    });
    const millis = Math.round(reply.elapsedTime * 10) / 10;
    log.info({ requestId, ...callerFields(request), ...about, millis }, 'request');
  }

  #nothingHere({ url }: FastifyRequest): Problem {
    const meant = this.#nearest(url.split('?', 1)[0]!);
    const advice = meant ? `is ${meant} meant? See /docs` : 'see /docs';
    return new Problem('not-found', `There is nothing here; ${advice}`);
  }

  #defaultReply(problem: Problem, requestId: string): Reply {
    return {
      headers: { ...problem.headers, 'content-type': PROBLEM_MEDIA_TYPE },
      body: problemBody(problem, requestId, this.#options.problemBase),
    };
  }

  #sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    request.requestContext ??= new RequestContext();
    request.requestContext.problem = problem;
    refundQuota(request);
    const { problemReply } = request.routeOptions.config ?? {};
    const response = problemReply?.(problem) ?? this.#defaultReply(problem, request.id);
    const { status = problem.status, headers = {}, body } = response;
    reply
      .status(status)
      .headers({ 'cache-control': 'no-store', ...headers, 'x-request-id': request.id })
      .serializer(JSON.stringify)
      .send(body);
  }
}

/** Of what Fastify logs: responses that the service breaks off, because their status is sent already. */
class ResponseLog extends LogController {
  override streamError(error: Error, request: FastifyRequest): void {
    if (error instanceof Problem) logError(request, error);
  }
}

/** Logs errors of the service and its upstreams. Rejections are in the request's own line. */
function logError(request: FastifyRequest, problem: Problem): void {
  const { cause, type } = problem;
  if (type === 'internal-error') {
    request.log.error({ requestId: request.id, err: cause }, 'request failed');
  } else if (problem.status >= 500 && cause instanceof Error) {
    request.log.warn({ requestId: request.id, type, reason: cause.message }, 'upstream error');
  }
}
