import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../../http/openapi/document.ts';
import type { Route } from '../../http/route.ts';
import { createDocument, sendDocument } from '../document.ts';
import { CHAPTERS } from '../openapi/chapters.ts';
import { EXAMPLES } from '../openapi/examples.ts';

/**
 * The page loads only files of this service and calls only this service. Swagger UI sets style
 * attributes and has its icons in its style sheet.
 */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** What the document says about the installation. */
interface Installation {
  version: string;
  /** The base URL of clients, if the operator has set it. */
  publicUrl: string | undefined;
}

/** Returns the OpenAPI document of these routes. */
const describeApi = (routes: readonly Route[], installation: Installation) =>
  openApiDocument(routes, { ...installation, chapters: CHAPTERS, examples: EXAMPLES });

/** Serves `/openapi.json`, and Swagger UI at `/docs` without resources from other hosts. */
export function serveDocs(
  app: FastifyInstance,
  routes: readonly Route[],
  installation: Installation,
): void {
  const document = describeApi(routes, installation);
  const served = createDocument(JSON.stringify(document));
  app.get('/openapi.json', (request, reply) => {
    const { status = 200, headers = {}, body } = sendDocument(request, served, HEADERS);
    return reply.status(status).headers(headers).send(body);
  });
  app.register(swagger, { mode: 'static', specification: { document: document as never } });
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(HEADERS);
    });
    scope.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: {
        layout: 'BaseLayout',
        deepLinking: true,
        persistAuthorization: false,
        tryItOutEnabled: true,
      },
    });
  });
}
