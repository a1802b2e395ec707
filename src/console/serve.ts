import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** The files of the console, served as they are, without a build step. */
const FILES = join(import.meta.dirname, 'browser');

/**
 * Restricts the page to resources of this service.
 * @param storage the origin that links to files redirect to, if they do
 */
const createHeaders = (storage: string | undefined) => ({
  'content-security-policy': [
    "default-src 'self'",
    ['connect-src', "'self'", storage ?? []].flat().join(' '),
    ['img-src', "'self' blob: data:", storage ?? []].flat().join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
});

/**
 * Serves the console at `/`, with its files under `/console/`.
 * @param storage as in `createHeaders`
 */
export function serveConsole(app: FastifyInstance, storage: string | undefined): void {
  const headers = createHeaders(storage);
  app.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: FILES,
      prefix: '/console/',
      index: false,
      // Revalidated on each load: a 304 is cheap, and a page never runs scripts of another release.
      cacheControl: false,
      setHeaders: (reply) => {
        reply.headers({ ...headers, 'cache-control': 'no-cache' });
      },
    });
    scope.get('/', (_request, reply) => reply.sendFile('index.html'));
  });
}
