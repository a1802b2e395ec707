import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds, from a quick refusal to the longest a synchronous request may take. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/** Pictures that go through a network together. */
const BATCH_SIZES = [1, 2, 4, 8, 16, 32];

/** A process's registry, with Node's own figures (event loop lag, memory, CPU) in it. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** The gateway's figures. Load is read at scrape time. */
export function createGatewayMetrics(
  registry: Registry,
  load: () => { waitMillis: number; depth: number; slots: number; workers: number },
) {
  const requests = new Histogram({
    name: 'selvage_http_request_seconds',
    help: 'Time from request to answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const gauges: Record<string, [help: string, read: () => number]> = {
    selvage_predicted_wait_seconds: [
      'How long a removal that comes now would take',
      () => load().waitMillis / 1000,
    ],
    selvage_sync_queue_depth: ['Removals waiting or being worked on', () => load().depth],
    selvage_worker_slots: ['Images all live workers can work on at once', () => load().slots],
    selvage_workers: ['Live workers', () => load().workers],
  };
  for (const [name, [help, read]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
  return {
    observe: (fact: { method: string; route: string; status: number; seconds: number }) =>
      requests.observe(
        { method: fact.method, route: fact.route, status: String(fact.status) },
        fact.seconds,
      ),
  };
}

/** The worker's figures. */
export function createWorkerMetrics(registry: Registry) {
  const steps = new Histogram({
    name: 'selvage_job_step_seconds',
    help: 'Time of one step of a job: wait, fetch, decode, inference, encode, store',
    labelNames: ['job', 'step'],
    buckets: SECONDS,
    registers: [registry],
  });
  const jobs = new Histogram({
    name: 'selvage_job_seconds',
    help: 'Time from taking a job to its end',
    labelNames: ['job', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  const turns = new Histogram({
    name: 'selvage_engine_wait_seconds',
    help: 'Time a picture waited for an inference child',
    buckets: SECONDS,
    registers: [registry],
  });
  const batches = new Histogram({
    name: 'selvage_engine_batch_size',
    help: 'Pictures that went through the network together, counted once for each of them',
    buckets: BATCH_SIZES,
    registers: [registry],
  });
  return {
    picture({ waitMillis, batchSize }: { waitMillis: number; batchSize: number }): void {
      turns.observe(waitMillis / 1000);
      batches.observe(batchSize);
    },
    step: (job: string, step: string, millis: number) =>
      steps.observe({ job, step }, millis / 1000),
    job: (job: string, outcome: string, millis: number) =>
      jobs.observe({ job, outcome }, millis / 1000),
  };
}
