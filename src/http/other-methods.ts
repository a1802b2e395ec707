import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { Problem } from '../platform/problem.ts';
import { corsOf, isPreflight } from './cors.ts';
import type { Route } from './route.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

/** `Allow` of the service, for `OPTIONS *`. */
export const ALL_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Answers the other methods of a path: `OPTIONS` with `Allow`, the rest with 405 and `Allow`. */
function answerOthers(
  app: FastifyInstance,
  url: string,
  known: readonly string[],
  config: FastifyContextConfig = {},
): void {
  const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  app.route({
    method: METHODS.filter((method) => !known.includes(method)),
    url,
    config,
    // Before any body is read: the method is wrong whatever the body.
    onRequest: async (request, reply) => {
      if (request.method === 'OPTIONS') {
        if (!isPreflight(request)) reply.header('allow', allow);
        return reply.status(204).send();
      }
      throw new Problem('method-not-allowed', `Use ${allow} here`, { headers: { allow } });
    },
    handler: async () => undefined,
  });
}

export function answerOtherMethods(
  app: FastifyInstance,
  { corsOrigins = [] }: { corsOrigins?: readonly string[] },
  routes: readonly Route[],
): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const siblings = routes.filter((route) => route.path === path);
    const anyOrigin = siblings.some((route) => route.anyOrigin);
    const methods = siblings.map(({ method }) => method);
    answerOthers(app, path, methods, {
      problemReply: siblings[0]?.problemReply,
      cors: corsOf({ anyOrigin }, corsOrigins),
    });
  }
}

/** Answers the other methods of the pages that a scope adds from now on. */
export function answerOtherMethodsOfPages(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().includes('GET')) answerOthers(app, url, ['GET']);
  });
}
