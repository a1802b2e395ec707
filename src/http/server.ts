import multipart from '@fastify/multipart';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from '../platform/log.ts';
import { Problem, unavailable } from '../platform/problem.ts';
import { keepConnections } from './connections.ts';
import { framingCheck } from './framing.ts';
import { readJsonBodies } from './json-body.ts';
import { MAX_JSON_BYTES, mountAll } from './mount.ts';
import { asProblem, PROBLEM_MEDIA_TYPE, parserProblem, problemBody } from './problem-response.ts';
import { answerRaw } from './raw-response.ts';
import {
  callerOf,
  clientDisconnected,
  createRequestContext,
  type Gate,
  giveBack,
} from './request-context.ts';
import { requestIdOf } from './request-id.ts';
import type { Reply, Route } from './route.ts';
import { type BodyTimes, limitBodyTime } from './slow-body.ts';
import type { Sunset } from './sunset.ts';

/** The parts a server is built of. */
export interface ServerDeps extends Gate {
  routes: readonly Route[];
  sunsets: readonly Sunset[];
  log: Logger;
  /** Ceiling of an image's bytes, before base64. */
  maxImageBytes: number;
  /** First bytes of an image -> its format. */
  sniff(bytes: Uint8Array): string | undefined;
  /** Absolute URI for problem types, or none. */
  problemBase: string | undefined;
  /** How long a client may take for its headers, then for its body; or between bytes of a long one. */
  requestMillis?: number;
  /** Where bodies are to be treated otherwise. */
  bodyTimes?: BodyTimes;
  /** Connections at once; see `keepConnections`. */
  maxConnections?: number;
  /** Called once for each answered request. */
  observe(fact: {
    method: string;
    route: string;
    status: number;
    seconds: number;
    /** Its type, where the answer was one. */
    problem: string | undefined;
  }): void;
}

export interface HttpServer {
  app: FastifyInstance;
  /**
   * New requests are refused with 503 from now on; those under way go on, but for what may take as
   * long as it likes: that hears of it by its call's `closing`.
   */
  drain(): void;
}

const REQUEST_MILLIS = 60_000;
const MAX_CONNECTIONS = 10_000;

/** Builds the HTTP server: ids, keys, limits, parsing, problems, logs. Nothing listens yet. */
export function createServer(deps: ServerDeps): HttpServer {
  const closing = new AbortController();
  const { requestMillis = REQUEST_MILLIS, maxConnections = MAX_CONNECTIONS } = deps;
  const { wholeMillis = requestMillis, idleMillis = requestMillis } = deps.bodyTimes ?? {};
  const app = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: MAX_JSON_BYTES,
    http: {
      headersTimeout: requestMillis,
      requestTimeout: 0, // as below; Node compares the two before it hears of that
      connectionsCheckingInterval: requestMillis / 4,
      requireHostHeader: false, // see framingCheck, which answers with a problem
    },
    requestTimeout: 0, // see limitBodyTime
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => answerProblem(request, reply, asProblem(error)),
    clientErrorHandler(error, socket) {
      if (connections.isAnswered(socket)) socket.destroy();
      else answerRaw(socket, parserProblem(error), deps.problemBase);
    },
  });

  const connections = keepConnections(app.server, closing.signal, maxConnections);
  const checkFraming = framingCheck();
  // Node answers both by itself otherwise, or not at all, and not with a problem.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.server.on('connect', (_request, socket) => {
    answerRaw(socket, new Problem('method-not-allowed', 'This is no proxy'), deps.problemBase);
  });
  app.decorateRequest('passage');
  app.removeContentTypeParser('text/plain');
  readJsonBodies(app);
  app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      fileSize: deps.maxImageBytes,
      files: 2,
      fields: 20,
      parts: 22,
      fieldSize: 64 * 1024,
    },
  });

  app.addHook('onRequest', async (request, reply) => {
    request.passage = createRequestContext();
    reply.header('x-request-id', request.id);
    checkFraming(request.raw);
    if (!request.routeOptions.config.readsAsItComes) limitBodyTime(request, reply, wholeMillis);
    if (closing.signal.aborted) throw unavailable('This server is shutting down; ask again', 1);
  });
  app.addHook('onSend', async (request, reply) => {
    // Who takes nothing of an answer for so long is gone; Node sets its own time once it is out.
    request.raw.socket.setTimeout(requestMillis);
    // A connection kept alive would keep a server that is told to stop from ending.
    if (closing.signal.aborted) reply.header('connection', 'close');
  });

  const usualAnswer =
    (requestId: string) =>
    (problem: Problem): Reply => ({
      headers: { ...problem.headers, 'content-type': PROBLEM_MEDIA_TYPE },
      body: problemBody(problem, requestId, deps.problemBase),
    });

  function answerProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    request.passage ??= createRequestContext();
    request.passage.problem = problem;
    giveBack(request);
    const { answerProblem: ofRoute = usualAnswer(request.id) } = request.routeOptions.config ?? {};
    const { status = problem.status, headers = {}, body } = ofRoute(problem);
    reply
      .status(status)
      .headers({ ...headers, 'x-request-id': request.id })
      .serializer(JSON.stringify)
      .send(body);
  }

  app.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    logFault(request, problem);
    answerProblem(request, reply, problem);
  });
  app.setNotFoundHandler((request, reply) =>
    answerProblem(request, reply, new Problem('not-found', 'There is nothing here; see /docs')),
  );

  // For a client that goes while its body comes; one that goes later is seen by its handler's signal.
  app.addHook('onRequestAbort', async (request) => {
    clientDisconnected(request);
  });

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? '(none)';
    const seconds = reply.elapsedTime / 1000;
    const problem = request.passage.problem?.type;
    deps.observe({ method: request.method, route, status: reply.statusCode, seconds, problem });
    deps.log.info(
      {
        requestId: request.id,
        ...callerOf(request),
        method: request.method,
        route,
        status: reply.statusCode,
        problem,
        millis: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
  });

  mountAll(app, { ...deps, wholeMillis, idleMillis, closing: closing.signal }, deps.routes);
  return { app, drain: () => closing.abort() };
}

/** Refusals are in the request's own line; what failed under us is told with its reason. */
function logFault(request: FastifyRequest, problem: Problem): void {
  const { cause, type } = problem;
  if (type === 'internal-error') {
    request.log.error({ requestId: request.id, err: cause }, 'request failed');
  } else if (problem.status >= 500 && cause instanceof Error) {
    request.log.warn({ requestId: request.id, type, reason: cause.message }, 'upstream fault');
  }
}
