import type { Registry } from 'prom-client';
import {
  metricsIn,
  REQUEST_BUCKETS_SECONDS,
  registerGauges,
  registerLiveCounters,
} from './registry.ts';

export interface SyncLoad {
  /** Predicted time until a worker begins with a removal that arrives now. */
  queueMillis: number;
  /** Predicted time until it is done. */
  waitMillis: number;
  /** Predicted time in a worker, by megapixels. */
  imageMillis: readonly (readonly [megapixels: number, millis: number])[];
  /** Removals waiting or running. */
  depth: number;
  /** Predicted work of the requests in progress of this gateway, ms of a slot. */
  workMillis: number;
  /** Images all live workers can process at once. */
  slots: number;
  /** Live workers. */
  workers: number;
}

export interface RequestObservation {
  method: string;
  /** The route's pattern, without parameter values. */
  route: string;
  status: number;
  seconds: number;
  /** The problem's type, if the response was one. */
  problem: string | undefined;
}

/** What the HTTP server holds, and what it has turned down since it started, by reason. */
export interface ServerFigures {
  bodyBytes: number;
  connections: Readonly<Record<string, number>>;
  evictedConnections: Readonly<Record<string, number>>;
  rejectedBodies: Readonly<Record<string, number>>;
  rejectedConnections: Readonly<Record<string, number>>;
}

export function watchServer(registry: Registry, read: () => ServerFigures): void {
  // biome-ignore format: a table reads best with a row a line
  registerGauges(registry, read, [
    ['selvage_http_body_bytes',  'Memory that the bodies of requests in progress take', ({ bodyBytes }) => bodyBytes],
    ['selvage_http_connections', 'Open connections: without an accepted key (keyless), between requests with one (idle), with one in progress (accepted)', ({ connections }) => Object.entries(connections).map(([state, count]) => [count, state]), 'state'],
  ], 0);
  // biome-ignore format: a table reads best with a row a line
  registerLiveCounters(registry, [
    ['selvage_http_connections_evicted_total',  'Connections closed in favour of a new one, or new ones that found no place, by state', 'state', () => read().evictedConnections],
    ['selvage_http_bodies_rejected_total',      'Bodies rejected for want of memory: of all (full), or of the share of their client', 'reason', () => read().rejectedBodies],
    ['selvage_http_connections_rejected_total', 'Requests rejected because their client has too many connections in use (share, full)', 'reason', () => read().rejectedConnections],
  ]);
}

function gatewayMetrics(registry: Registry) {
  const { counter, histogram } = metricsIn(registry);
  // biome-ignore format: a table reads best with a row a line
  return {
    requests: histogram('selvage_http_request_seconds', 'Time from request to response', REQUEST_BUCKETS_SECONDS, 'method', 'route', 'status'),
    problems: counter('selvage_http_problems_total', 'Problem responses by type, including rejections by rate limit and quota', 'problem'),
    shed:     counter('selvage_sync_rejections_total', 'Requests rejected at once, by reason: busy (all workers), own-share (of the client), no-worker, no-queue', 'reason'),
  };
}

/** Counts the requests that a gateway answers, and those that it sheds. */
export class GatewayMetrics {
  readonly #metrics;

  constructor(registry: Registry) {
    this.#metrics = gatewayMetrics(registry);
  }

  observe({ method, route, status, seconds, problem }: RequestObservation): void {
    this.#metrics.requests.observe({ method, route, status: String(status) }, seconds);
    if (problem) this.#metrics.problems.inc({ problem });
  }

  readonly shed = (reason: string): void => this.#metrics.shed.inc({ reason });
}

/** Registers gauges of the synchronous requests. */
export function watchSyncLoad(
  registry: Registry,
  deadlineMillis: number,
  load: () => SyncLoad,
): void {
  // biome-ignore format: a table reads best with a row a line
  registerGauges(registry, load, [
    ['selvage_predicted_image_seconds', 'Predicted time of an image in a worker, by its megapixels', ({ imageMillis }) => imageMillis.map(([size, millis]) => [millis / 1000, String(size)]), 'megapixels'],
    ['selvage_predicted_wait_seconds',  'Predicted time of a removal that arrives now', ({ waitMillis }) => waitMillis / 1000],
    ['selvage_predicted_queue_seconds', 'Predicted time until a worker begins with a removal that arrives now', ({ queueMillis }) => queueMillis / 1000],
    ['selvage_sync_deadline_seconds',   'Deadline of a synchronous request; a burst is shed when the predicted wait exceeds 0.8 of it', () => deadlineMillis / 1000],
    ['selvage_sync_queue_depth',        'Removals waiting or running', ({ depth }) => depth],
    ['selvage_sync_work_seconds',       'Predicted time in a slot of the removals and refinements in progress of this gateway', ({ workMillis }) => workMillis / 1000],
    ['selvage_worker_slots',            'Images all live workers can process at once', ({ slots }) => slots],
    ['selvage_workers',                 'Live workers', ({ workers }) => workers],
  ], 0);
}
