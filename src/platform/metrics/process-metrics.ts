import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds, from a quick refusal to the longest a synchronous request may take. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/** Work that nobody waits for may stand in line for long. */
const STEP_SECONDS = [...SECONDS, 60, 300, 1800];

/** Pictures that go through a network together. */
const BATCH_SIZES = [1, 2, 4, 8, 16, 32];

/** A process's registry, with Node's own figures (event loop lag, memory, CPU) in it. */
export function createRegistry(version: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'selvage_build_info',
    help: 'Always 1; the version that runs is in the label',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return registry;
}

/** Gauges that are read from this process's own memory. */
function liveGauges(
  registry: Registry,
  gauges: Readonly<Record<string, [help: string, read: () => number]>>,
): void {
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
}

/** The gateway's figures. Load is read at scrape time. */
export function createGatewayMetrics(
  registry: Registry,
  deadlineMillis: number,
  load: () => { waitMillis: number; depth: number; slots: number; workers: number },
) {
  const requests = new Histogram({
    name: 'selvage_http_request_seconds',
    help: 'Time from request to answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const problems = new Counter({
    name: 'selvage_http_problems_total',
    help: 'Requests answered with a problem, by its type: refusals by rate and quota among them',
    labelNames: ['problem'],
    registers: [registry],
  });
  liveGauges(registry, {
    selvage_predicted_wait_seconds: [
      'How long a removal that comes now would take',
      () => load().waitMillis / 1000,
    ],
    selvage_sync_deadline_seconds: [
      'How long a request may wait; in a burst it is refused where it would take more than 0.8 of it',
      () => deadlineMillis / 1000,
    ],
    selvage_sync_queue_depth: ['Removals waiting or being worked on', () => load().depth],
    selvage_worker_slots: ['Images all live workers can work on at once', () => load().slots],
    selvage_workers: ['Live workers', () => load().workers],
  });
  return {
    observe(fact: {
      method: string;
      route: string;
      status: number;
      seconds: number;
      problem?: string | undefined;
    }): void {
      const { method, route, status, seconds, problem } = fact;
      requests.observe({ method, route, status: String(status) }, seconds);
      if (problem) problems.inc({ problem });
    },
  };
}

/** What is observed of one job's end. */
export interface JobEnd {
  name: string;
  outcome: string;
  millis: number;
  /** For its first attempt, in the queue. */
  waitMillis?: number | undefined;
  steps: Readonly<Record<string, number>>;
  /** Of a refusal: the type of the problem. */
  reason?: string | undefined;
  /** The worker that had it before was lost. */
  isTakenOver: boolean;
}

/** The worker's figures about jobs. Their label is `kind`: `job` is Prometheus's own. */
function createJobMetrics(registry: Registry) {
  const steps = new Histogram({
    name: 'selvage_job_step_seconds',
    help: 'Time of one step of a job: wait (in the queue), fetch, decode, inference, matte, encode, store; engine is all within the child',
    labelNames: ['kind', 'step'],
    buckets: STEP_SECONDS,
    registers: [registry],
  });
  const jobs = new Histogram({
    name: 'selvage_job_seconds',
    help: 'Time from taking a job to its end',
    labelNames: ['kind', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'selvage_job_refusals_total',
    help: 'Jobs that ended with a problem, by its type; upstream-failed of deliver-webhook is a delivery given up',
    labelNames: ['kind', 'problem'],
    registers: [registry],
  });
  const takenOver = new Counter({
    name: 'selvage_jobs_taken_over_total',
    help: 'Attempts at jobs that stalled before, since the worker that had them was lost or stuck',
    labelNames: ['kind'],
    registers: [registry],
  });
  return (end: JobEnd): void => {
    const { name: kind, outcome, reason } = end;
    jobs.observe({ kind, outcome }, end.millis / 1000);
    if (outcome === 'refused' && reason) refusals.inc({ kind, problem: reason });
    if (end.isTakenOver) takenOver.inc({ kind });
    if (end.waitMillis !== undefined) steps.observe({ kind, step: 'wait' }, end.waitMillis / 1000);
    for (const [step, millis] of Object.entries(end.steps)) {
      steps.observe({ kind, step }, millis / 1000);
    }
  };
}

/** What a worker's engine is. */
export interface EngineFacts {
  model: { id: string; version: string };
  device: string;
}

/** The worker's figures. */
export function createWorkerMetrics(registry: Registry) {
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
  const model = new Gauge({
    name: 'selvage_model_info',
    help: 'Always 1; the model that cuts out and the device it runs on are in the labels',
    labelNames: ['model', 'version', 'device'],
    registers: [registry],
  });
  const sweeps = new Gauge({
    name: 'selvage_sweep_last_success_timestamp_seconds',
    help: 'When this worker last finished a sweep, or began to run; the newest of all workers counts',
    labelNames: ['sweep'],
    registers: [registry],
  });
  return {
    job: createJobMetrics(registry),
    picture({ waitMillis, batchSize }: { waitMillis: number; batchSize: number }): void {
      turns.observe(waitMillis / 1000);
      batches.observe(batchSize);
    },
    engine({ model: { id, version }, device }: EngineFacts, children: () => number): void {
      model.set({ model: id, version, device }, 1);
      liveGauges(registry, {
        selvage_engine_children: ['Inference children that are alive', children],
      });
    },
    swept: (sweep: string) => sweeps.setToCurrentTime({ sweep }),
  };
}
