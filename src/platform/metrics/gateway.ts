import { Counter, Histogram, type Registry } from 'prom-client';
import { REQUEST_BUCKETS_SECONDS, registerLiveGauges } from './registry.ts';

/** The current load of the synchronous queue. */
export interface SyncLoad {
  /** Predicted time of a removal that arrives now. */
  waitMillis: number;
  /** Removals waiting or running. */
  depth: number;
  /** Images all live workers can process at once. */
  slots: number;
  /** Live workers. */
  workers: number;
}

/** One answered request. */
export interface RequestObservation {
  method: string;
  /** The route's pattern, without parameter values. */
  route: string;
  status: number;
  seconds: number;
  /** The problem's type, if the response was one. */
  problem: string | undefined;
}

/** Registers the gateway's metrics. `load` is read at scrape time. */
export function createGatewayMetrics(
  registry: Registry,
  deadlineMillis: number,
  load: () => SyncLoad,
) {
  const requests = new Histogram({
    name: 'selvage_http_request_seconds',
    help: 'Time from request to response',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS_SECONDS,
    registers: [registry],
  });
  const problems = new Counter({
    name: 'selvage_http_problems_total',
    help: 'Problem responses by type, including rejections by rate limit and quota',
    labelNames: ['problem'],
    registers: [registry],
  });
  registerLiveGauges(registry, {
    selvage_predicted_wait_seconds: {
      help: 'Predicted time of a removal that arrives now',
      read: () => load().waitMillis / 1000,
    },
    selvage_sync_deadline_seconds: {
      help: 'Deadline of a synchronous request; a burst is shed when the predicted wait exceeds 0.8 of it',
      read: () => deadlineMillis / 1000,
    },
    selvage_sync_queue_depth: {
      help: 'Removals waiting or running',
      read: () => load().depth,
    },
    selvage_worker_slots: {
      help: 'Images all live workers can process at once',
      read: () => load().slots,
    },
    selvage_workers: { help: 'Live workers', read: () => load().workers },
  });
  return {
    observe({ method, route, status, seconds, problem }: RequestObservation): void {
      requests.observe({ method, route, status: String(status) }, seconds);
      if (problem) problems.inc({ problem });
    },
  };
}
