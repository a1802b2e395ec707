import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../../http/openapi/document.ts';
import type { Route } from '../../http/route.ts';
import { WebhookBody } from '../../intake/webhooks/outbox.ts';
import { lazily } from '../../taxonomy/lazily.ts';
import { createDocument, sendDocument } from '../document.ts';
import type { DocumentName } from '../openapi.ts';
import { chaptersOf, DOCUMENTS, documentOf, EXAMPLES, OPERATIONS } from '../openapi.ts';

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

interface Installation {
  version: string;
  /** The base URL of clients, if the operator has set it. */
  publicUrl: string | undefined;
}

const otherDocuments = (name: DocumentName): string =>
  Object.entries(DOCUMENTS)
    .filter(([other]) => other !== name)
    .map(([, { path, about }]) => `- \`${path}\`: ${about}`)
    .join('\n');

function describeApi(name: DocumentName, all: readonly Route[], installation: Installation) {
  const { title, about } = DOCUMENTS[name];
  const routes = all.filter((route) => documentOf(route) === name);
  return openApiDocument(routes, {
    ...installation,
    title,
    description: `${about}. Every response has \`X-Request-Id\`, your own if the request brings one; every response to a key has \`RateLimit-Limit\` and \`RateLimit-Remaining\`.\n\nElsewhere:\n\n${otherDocuments(name)}`,
    chapters: chaptersOf(routes),
    operations: OPERATIONS,
    examples: EXAMPLES,
    ...(name === 'api' && { event: WebhookBody }),
  });
}

/**
 * Serves the OpenAPI documents, and Swagger UI at `/docs` without resources from other hosts. A document is made when it
 * is first asked for: all of them would take a fifth of a start.
 */
export function serveDocs(
  app: FastifyInstance,
  routes: readonly Route[],
  installation: Installation,
): void {
  const documents = Object.entries(DOCUMENTS) as [DocumentName, (typeof DOCUMENTS)[DocumentName]][];
  for (const [name, { path }] of documents) {
    const served = lazily(() =>
      createDocument(JSON.stringify(describeApi(name, routes, installation))),
    );
    app.get(path, (request, reply) => {
      const { status = 200, headers = {}, body } = sendDocument(request, served(), HEADERS);
      return reply.status(status).headers(headers).send(body);
    });
  }
  const toJSON = lazily(() => describeApi('api', routes, installation));
  app.register(swagger, { mode: 'static', specification: { document: { toJSON } as never } });
  app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(HEADERS);
    });
    scope.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: {
        // The page chooses between the documents.
        urls: documents.map(([, { path, title }]) => ({ url: path, name: title })),
        layout: 'StandaloneLayout',
        deepLinking: true,
        persistAuthorization: false,
        tryItOutEnabled: true,
      },
    });
  });
}
