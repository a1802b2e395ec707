import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

type Page = readonly [status: number, type: string, body: string];

const problem = (type: string, status: number): Page => [
  status,
  'application/problem+json',
  JSON.stringify({ type, status }),
];
const internalError = problem('internal-error', 500);
const notFound = async (): Promise<Page> => problem('not-found', 404);

/** Serves `/livez`, `/readyz` and `/metrics`, and nothing else. */
export function serveHealth(metrics: Registry, isReady: () => boolean): Server {
  const pages: Record<string, () => Promise<Page>> = {
    '/livez': async () => [200, 'application/json', '{"live":true}'],
    '/readyz': async () => [isReady() ? 200 : 503, 'application/json', `{"ready":${isReady()}}`],
    '/metrics': async () => [200, metrics.contentType, await metrics.metrics()],
  };
  return createServer(async (request, response) => {
    const page = pages[(request.url ?? '').split('?')[0] ?? ''] ?? notFound;
    const [status, type, body] = await page().catch(() => internalError);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
}
