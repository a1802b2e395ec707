import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

/** Answers `/livez`, `/readyz` and `/metrics`, and nothing else. */
export function serveHealth(metrics: Registry, isReady: () => boolean): Server {
  const pages: Record<string, () => Promise<[status: number, type: string, body: string]>> = {
    '/livez': async () => [200, 'application/json', '{"live":true}'],
    '/readyz': async () => [isReady() ? 200 : 503, 'application/json', `{"ready":${isReady()}}`],
    '/metrics': async () => [200, metrics.contentType, await metrics.metrics()],
  };
  return createServer(async (request, response) => {
    const page = pages[(request.url ?? '').split('?')[0] ?? ''];
    const [status, type, body] = page
      ? await page()
      : ([404, 'application/problem+json', '{"type":"not-found","status":404}'] as const);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
}
