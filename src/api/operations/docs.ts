import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../../http/openapi.ts';
import type { Route } from '../../http/route.ts';

/** Serves `/openapi.json`, and Swagger UI at `/docs` without resources from other hosts. */
export function serveDocs(app: FastifyInstance, routes: readonly Route[], version: string): void {
  const document = openApiDocument(routes, version);
  app.get('/openapi.json', async () => document);
  app.register(swagger, { mode: 'static', specification: { document: document as never } });
  app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      persistAuthorization: false,
      tryItOutEnabled: true,
    },
  });
}
