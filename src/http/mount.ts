import { parse as parseQuery } from 'node:querystring';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../platform/problem.ts';
import { base64Bytes, type CallDeps, callOf, FORM_OVERHEAD_BYTES, maxFormBytes } from './call.ts';
import { admit, disconnectSignal, type Gate } from './request-context.ts';
import type { Reply, Route } from './route.ts';
import { limitBodyTime } from './slow-body.ts';
import { type Sunset, sunsetHeaders } from './sunset.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its bodies are read by handlers as they come. */
    readsAsItComes?: boolean;
    answerProblem?: Route['answerProblem'];
  }
}

/** What routes are served with. */
export interface MountDeps extends Gate, CallDeps {
  sunsets: readonly Sunset[];
  /** See `BodyTimes`. */
  wholeMillis: number;
}

/** Most bytes of a JSON body, where its route says nothing else. */
export const MAX_JSON_BYTES = 1024 * 1024;
const URL_ENCODED = 'application/x-www-form-urlencoded';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Serves every route, and refuses other methods at their addresses. */
export function mountAll(app: FastifyInstance, deps: MountDeps, routes: readonly Route[]): void {
  for (const route of routes) {
    if (route.stream) mountStream(app, deps, route, Object.keys(route.stream));
    else if (route.form) mountForm(app, deps, route);
    else mount(app, deps, route);
  }
  refuseOtherMethods(app, routes);
}

/** Bodies of these types come to the handler unread; of others, not at all. */
function mountStream(
  app: FastifyInstance,
  deps: MountDeps,
  route: Route,
  mediaTypes: readonly string[],
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    for (const mediaType of mediaTypes) {
      scope.addContentTypeParser(mediaType, (_request, _body, done) => done(null));
    }
    mount(scope, deps, route);
  });
}

/** Takes URL-encoded bodies as well; a name that comes twice has a list of values. */
function mountForm(app: FastifyInstance, deps: MountDeps, route: Route): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(URL_ENCODED, { parseAs: 'string' }, (_request, body, done) =>
      done(null, parseQuery(String(body))),
    );
    mount(scope, deps, route);
  });
}

function bodyLimitOf({ form, imageForm, maxBodyBytes }: Route, maxImageBytes: number): number {
  if (form) return maxFormBytes(maxImageBytes);
  if (imageForm) return base64Bytes(maxImageBytes) + FORM_OVERHEAD_BYTES;
  return maxBodyBytes ?? MAX_JSON_BYTES;
}

function mount(app: FastifyInstance, deps: MountDeps, route: Route): void {
  const sunset = deps.sunsets.find((s) => s.method === route.method && s.path === route.path);
  app.route({
    method: route.method,
    url: route.path,
    config: { readsAsItComes: route.stream !== undefined, answerProblem: route.answerProblem },
    bodyLimit: bodyLimitOf(route, deps.maxImageBytes),
    onRequest: async (request, reply) => {
      if (route.stream) dropRestOfBody(request, reply, deps.wholeMillis);
      if (sunset) reply.headers(sunsetHeaders(sunset));
      if (route.scope !== 'keyless') await admit(deps, route, request, reply);
    },
    handler: async (request, reply) => {
      const signal = disconnectSignal(request, reply);
      const answer = await route.handle(callOf(deps, route, request, signal));
      if (!signal.aborted) request.passage.admission = undefined; // a success keeps its quota
      return send(request, reply, answer);
    },
  });
}

/** An answer may come before the body has; the client is given time to finish and see it. */
function dropRestOfBody(request: FastifyRequest, reply: FastifyReply, millis: number): void {
  reply.raw.once('finish', () => {
    request.raw.resume();
    limitBodyTime(request, reply, millis);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, answer: Reply): FastifyReply {
  const { status = 200, headers = {}, body } = answer;
  reply.status(status).headers(headers);
  if (request.method !== 'HEAD' || !(body instanceof Readable)) return reply.send(body);
  body.destroy(); // it would be read to its end for nobody
  return reply.send(Readable.from([]));
}

/** A known path with an unknown method is 405 with Allow, not 404. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    const allowed = here.map((route) => route.method);
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
    app.route({
      method: METHODS.filter((method) => !allowed.some((known) => known === method)),
      url: path,
      config: { answerProblem: here[0]?.answerProblem },
      // Before any body is read: the method is wrong whatever is sent with it.
      onRequest: async () => {
        throw new Problem('method-not-allowed', `Use ${allow} here`, { headers: { allow } });
      },
      handler: async () => undefined,
    });
  }
}
