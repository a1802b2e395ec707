import multipart from '@fastify/multipart';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from '../log.ts';
import { Problem, unavailable } from '../problem.ts';
import { letGoOnClose } from './connections.ts';
import { MAX_JSON_BYTES, mountAll } from './mount.ts';
import { callerOf, type Gate, giveBack, hungUp, newPassage } from './passage.ts';
import { asProblem, PROBLEM_MEDIA_TYPE, parserProblem, problemBody } from './problem-answer.ts';
import { answerRaw } from './raw-answer.ts';
import { requestIdOf } from './request-id.ts';
import type { Reply, Route } from './route.ts';
import { BODY_TIMES, type BodyTimes, limitBodyTime } from './slow-body.ts';
import type { Sunset } from './sunset.ts';

/** The parts a server is built of. */
export interface ServerParts extends Gate {
  routes: readonly Route[];
  sunsets: readonly Sunset[];
  log: Logger;
  /** Ceiling of an image's bytes, before base64. */
  maxImageBytes: number;
  /** First bytes of an image -> its format. */
  sniff(bytes: Uint8Array): string | undefined;
  /** Absolute URI for problem types, or none. */
  problemBase: string | undefined;
  /** How long bodies may take. */
  bodyTimes?: BodyTimes;
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

/** Builds the HTTP server: ids, keys, limits, parsing, problems, logs. Nothing listens yet. */
export function createServer(parts: ServerParts): HttpServer {
  const closing = new AbortController();
  const { wholeMillis, idleMillis } = parts.bodyTimes ?? BODY_TIMES;
  const app = fastify({
    loggerInstance: parts.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: MAX_JSON_BYTES,
    http: { headersTimeout: 60_000 },
    requestTimeout: 0, // see limitBodyTime
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => answerProblem(request, reply, asProblem(error)),
    clientErrorHandler(error, socket) {
      answerRaw(socket, parserProblem(error), parts.problemBase);
    },
  });

  letGoOnClose(app.server, closing.signal);
  app.decorateRequest('passage');
  app.removeContentTypeParser('text/plain');
  app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      fileSize: parts.maxImageBytes,
      files: 2,
      fields: 20,
      parts: 22,
      fieldSize: 64 * 1024,
    },
  });

  app.addHook('onRequest', async (request, reply) => {
    request.passage = newPassage();
    reply.header('x-request-id', request.id);
    if (!request.routeOptions.config.readsAsItComes) limitBodyTime(request, reply, wholeMillis);
    if (closing.signal.aborted) throw unavailable('This server is shutting down; ask again', 1);
  });
  // A connection kept alive would keep a server that is told to stop from ending.
  app.addHook('onSend', async (_request, reply) => {
    if (closing.signal.aborted) reply.header('connection', 'close');
  });

  const usualAnswer =
    (requestId: string) =>
    (problem: Problem): Reply => ({
      headers: { ...problem.headers, 'content-type': PROBLEM_MEDIA_TYPE },
      body: problemBody(problem, requestId, parts.problemBase),
    });

  function answerProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    request.passage ??= newPassage();
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
    hungUp(request);
  });

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? '(none)';
    const seconds = reply.elapsedTime / 1000;
    const problem = request.passage.problem?.type;
    parts.observe({ method: request.method, route, status: reply.statusCode, seconds, problem });
    parts.log.info(
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

  mountAll(app, { ...parts, wholeMillis, idleMillis, closing: closing.signal }, parts.routes);
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
