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
import { authorize, type Grant, type LookUp } from './auth.ts';
import { type ImageForm, type ImageMember, readJsonImage, readMultipart } from './image-body.ts';
import { type Admission, type Limits, limitHeaders } from './limits.ts';
import { parse } from './parse.ts';
import { asProblem, PROBLEM_MEDIA_TYPE, parserProblem, problemBody } from './problem-answer.ts';
import { answerRaw } from './raw-answer.ts';
import { requestIdOf } from './request-id.ts';
import type { Call, Reply, Route } from './route.ts';
import { type Sunset, sunsetHeaders } from './sunset.ts';

/** The parts a server is built of. */
export interface ServerParts {
  routes: readonly Route[];
  lookUp: LookUp;
  limits: Limits;
  sunsets: readonly Sunset[];
  log: Logger;
  /** Ceiling of an image's bytes, before base64. */
  maxImageBytes: number;
  /** First bytes of an image -> its format. */
  sniff(bytes: Uint8Array): string | undefined;
  /** Absolute URI for problem types, or none. */
  problemBase: string | undefined;
  /** Called once for each answered request. */
  observe(fact: { method: string; route: string; status: number; seconds: number }): void;
}

/** What the server keeps of a request while it is under way. */
interface Passage {
  grant: Grant | undefined;
  admission: Admission | undefined;
  problem: Problem | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    passage: Passage;
  }
}

const MAX_JSON_BYTES = 1024 * 1024;
const FORM_SPARE_BYTES = 256 * 1024;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export interface HttpServer {
  app: FastifyInstance;
  /** New requests are refused with 503 from now on; those under way go on. */
  drain(): void;
}

/** Builds the HTTP server: ids, keys, limits, parsing, problems, logs. Nothing listens yet. */
export function createServer(parts: ServerParts): HttpServer {
  let draining = false;
  const app = fastify({
    loggerInstance: parts.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: MAX_JSON_BYTES,
    requestTimeout: 60_000,
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
    request.passage = { grant: undefined, admission: undefined, problem: undefined };
    reply.header('x-request-id', request.id);
    if (draining) throw unavailable('This server is shutting down; ask again', 1);
  });
  // A connection kept alive would keep a server that is told to stop from ending.
  app.addHook('onSend', async (_request, reply) => {
    if (draining) reply.header('connection', 'close');
  });

  function answerProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    request.passage ??= { grant: undefined, admission: undefined, problem: undefined };
    request.passage.problem = problem;
    giveBack(request);
    reply
      .status(problem.status)
      .headers(problem.headers)
      .header('x-request-id', request.id)
      .type(PROBLEM_MEDIA_TYPE)
      .serializer(JSON.stringify)
      .send(problemBody(problem, request.id, parts.problemBase));
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
    parts.observe({ method: request.method, route, status: reply.statusCode, seconds });
    parts.log.info(
      {
        requestId: request.id,
        ...caller(request),
        method: request.method,
        route,
        status: reply.statusCode,
        problem: request.passage.problem?.type,
        millis: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
  });

  for (const route of parts.routes) mount(app, parts, route);
  refuseOtherMethods(app, parts.routes);
  return {
    app,
    drain() {
      draining = true;
    },
  };
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

const caller = ({ passage }: FastifyRequest) => ({
  client: passage.grant?.client,
  keyId: passage.grant?.keyId,
});

/** Gives reserved quota back, once; the answer does not wait for it. */
function giveBack(request: FastifyRequest): void {
  const { admission } = request.passage;
  request.passage.admission = undefined;
  admission?.refund().catch((error) => {
    request.log.error({ requestId: request.id, err: error }, 'quota not given back');
  });
}

function mount(app: FastifyInstance, parts: ServerParts, route: Route): void {
  const sunset = parts.sunsets.find((s) => s.method === route.method && s.path === route.path);
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.imageForm
      ? Math.ceil(parts.maxImageBytes / 3) * 4 + FORM_SPARE_BYTES
      : (route.maxBodyBytes ?? MAX_JSON_BYTES),
    onRequest: async (request, reply) => {
      if (sunset) reply.headers(sunsetHeaders(sunset));
      if (route.scope !== 'keyless') await letIn(parts, route, request, reply);
    },
    handler: async (request, reply) => {
      const signal = hangUpSignal(request, reply);
      const answer = await route.handle(callOf(parts, route, request, signal));
      if (!signal.aborted) request.passage.admission = undefined; // a success keeps its quota
      return send(reply, answer);
    },
  });
}

async function letIn(
  parts: ServerParts,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const grant = await authorize(request.headers.authorization, route.scope, parts.lookUp);
  request.passage.grant = grant;
  const admission = await parts.limits.admit(grant, route.quota ?? 0);
  request.passage.admission = admission;
  if (reply.raw.destroyed) {
    // Gone while Redis counted: nobody else will give its quota back.
    hungUp(request);
    throw HUNG_UP;
  }
  reply.headers(limitHeaders(admission.standing));
}

/** Read by nobody; it only ends the work. */
const HUNG_UP = new Problem('request-timeout', 'The client hung up');

function hungUp(request: FastifyRequest): void {
  giveBack(request);
  request.log.info({ requestId: request.id, ...caller(request) }, 'client hung up');
}

/** Aborts when the connection goes before the answer is out. */
function hangUpSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    gone.abort(HUNG_UP);
    hungUp(request);
  });
  return gone.signal;
}

function callOf(
  parts: ServerParts,
  route: Route,
  request: FastifyRequest,
  signal: AbortSignal,
): Call {
  const { grant } = request.passage;
  return {
    requestId: request.id,
    caller: grant,
    params: request.params as Record<string, string>,
    query: route.query ? parse(route.query, request.query, 'query') : request.query,
    body: route.body ? parse(route.body, request.body, 'body') : request.body,
    headers: request.headers,
    imageForm: (member = 'image_base64') => readImageForm(parts, request, member),
    standing: request.passage.admission?.standing,
    takeQuota() {
      const { admission } = request.passage;
      request.passage.admission = undefined;
      return admission;
    },
    signal,
    log: parts.log.child({ requestId: request.id }),
  };
}

async function readImageForm(
  parts: ServerParts,
  request: FastifyRequest,
  member: ImageMember,
): Promise<ImageForm> {
  if (!request.isMultipart()) {
    return readJsonImage(request.body, parts.maxImageBytes, parts.sniff, member);
  }
  const declared = Number(request.headers['content-length']);
  if (declared > parts.maxImageBytes + FORM_SPARE_BYTES) {
    throw new Problem('payload-too-large', `The image is larger than ${parts.maxImageBytes} bytes`);
  }
  try {
    return await readMultipart(request.parts(), parts.maxImageBytes);
  } catch (error) {
    // The rest of the body is read and dropped, so that the client can finish and see the answer.
    request.raw.unpipe();
    request.raw.resume();
    if (error instanceof Problem || asProblem(error).type !== 'internal-error') throw error;
    throw new Problem('invalid-request', 'The multipart body is malformed or ends early', {
      cause: error,
    });
  }
}

function send(reply: FastifyReply, { status = 200, headers = {}, body }: Reply): FastifyReply {
  return reply.status(status).headers(headers).send(body);
}

/** A known path with an unknown method is 405 with Allow, not 404. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const allowed = routes.filter((route) => route.path === path).map((route) => route.method);
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
    app.route({
      method: METHODS.filter((method) => !allowed.some((known) => known === method)),
      url: path,
      // Before any body is read: the method is wrong whatever is sent with it.
      onRequest: async () => {
        throw new Problem('method-not-allowed', `Use ${allow} here`, { headers: { allow } });
      },
      handler: async () => undefined,
    });
  }
}
