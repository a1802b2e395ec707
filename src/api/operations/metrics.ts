import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { type Route, route } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';

export interface MetricsDeps {
  registry: Registry;
  /** Scrapers send it as a bearer token; without one the metrics are open. */
  key: string | undefined;
}

/** Connections to a port for metrics; a scraper needs one. */
const MAX_CONNECTIONS = 100;

const CHALLENGE = { 'www-authenticate': 'Bearer realm="metrics"' } as const;

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares in constant time. Redis is not asked: metrics must be readable while it is down. */
const isAllowed = ({ key }: MetricsDeps, authorization = ''): boolean =>
  key === undefined || timingSafeEqual(hashOf(authorization), hashOf(`Bearer ${key}`));

export const metricsRoutes = (deps: MetricsDeps): Route[] => [
  route('getMetrics', 'GET /metrics', {
    scope: 'keyless',
    responses: {
      200: { description: 'Text exposition format', content: { 'text/plain': z.string() } },
    },
    async handle({ headers }) {
      if (!isAllowed(deps, headers.authorization?.toString())) {
        throw new Problem('unauthorized', 'Send METRICS_KEY as "Authorization: Bearer <key>"', {
          headers: CHALLENGE,
        });
      }
      const { registry } = deps;
      const body = await registry.metrics();
      return { headers: { 'content-type': registry.contentType }, body };
    },
  }),
];

/** Serves `/metrics`, and nothing else, on an address of its own. Resolves once it listens. */
export async function serveMetrics(
  deps: MetricsDeps,
  address: { host: string; port: number },
): Promise<Server> {
  async function respond({ url, headers }: IncomingMessage, response: ServerResponse) {
    if (url?.split('?', 1)[0] !== '/metrics') return response.writeHead(404).end();
    if (!isAllowed(deps, headers.authorization)) return response.writeHead(401, CHALLENGE).end();
    const body = await deps.registry.metrics();
    return response.writeHead(200, { 'content-type': deps.registry.contentType }).end(body);
  }
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.writeHead(500).end());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(address);
  await once(server, 'listening');
  return server;
}
