import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';
import { HEARTBEAT_MILLIS } from '../src/queue/worker-registry.ts';
import type { WorkerServices } from './worker-services.ts';

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

/** Registers this worker and repeats it regularly. Returns a function that stops it. */
export async function startHeartbeat({
  workers,
  id,
  slots,
  engine,
  versions,
  log,
}: Pick<WorkerServices, 'workers' | 'id' | 'slots' | 'engine' | 'versions' | 'log'>) {
  const { device, serviceTime } = engine;
  const info = { id, slots, model: versions.model, device };
  const beat = () =>
    workers
      .heartbeat({ ...info, serviceTime: serviceTime() })
      .catch((error) => log.warn({ reason: error.message }, 'no heartbeat'));
  await beat();
  const timer = setInterval(beat, HEARTBEAT_MILLIS);
  return async (): Promise<void> => {
    clearInterval(timer);
    await workers
      .leave(id)
      .catch(() => log.warn('worker not unregistered; its entry expires within seconds'));
  };
}
