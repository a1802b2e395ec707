import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { REQUEST_BUCKETS_SECONDS, registerLiveGauges } from './registry.ts';

/** Asynchronous jobs may wait in a queue for long. */
const STEP_BUCKETS_SECONDS = [...REQUEST_BUCKETS_SECONDS, 60, 300, 1800];

/** Images that go through the network together. */
const BATCH_SIZE_BUCKETS = [1, 2, 4, 8, 16, 32];

/** One finished attempt at a job, for logs and metrics. */
export interface JobObservation {
  name: string;
  outcome: string;
  millis: number;
  /** Time in the queue before the first attempt. Later attempts also wait by design. */
  waitMillis?: number | undefined;
  /** Milliseconds by step, if it succeeded. */
  steps: Readonly<Record<string, number>>;
  /** The problem's type, if the job was rejected. */
  reason?: string | undefined;
  /** Whether the worker that had it before was lost. */
  isTakenOver: boolean;
}

/** Registers the metrics of jobs. Their label is `kind`, because Prometheus sets `job` itself. */
function createJobMetrics(registry: Registry) {
  const steps = new Histogram({
    name: 'selvage_job_step_seconds',
    help: 'Time of one step of a job: wait (in the queue), fetch, decode, inference, matte, encode, store; engine is all time within the child',
    labelNames: ['kind', 'step'],
    buckets: STEP_BUCKETS_SECONDS,
    registers: [registry],
  });
  const jobs = new Histogram({
    name: 'selvage_job_seconds',
    help: 'Time from taking a job to its end',
    labelNames: ['kind', 'outcome'],
    buckets: REQUEST_BUCKETS_SECONDS,
    registers: [registry],
  });
  const rejections = new Counter({
    name: 'selvage_job_refusals_total',
    help: 'Jobs that ended with a problem, by type; upstream-failed of deliver-webhook is an abandoned delivery',
    labelNames: ['kind', 'problem'],
    registers: [registry],
  });
  const takenOver = new Counter({
    name: 'selvage_jobs_taken_over_total',
    help: 'Attempts at jobs that stalled because their worker was lost or stuck',
    labelNames: ['kind'],
    registers: [registry],
  });
  return (end: JobObservation): void => {
    const { name: kind, outcome, reason } = end;
    jobs.observe({ kind, outcome }, end.millis / 1000);
    if (outcome === 'refused' && reason) rejections.inc({ kind, problem: reason });
    if (end.isTakenOver) takenOver.inc({ kind });
    if (end.waitMillis !== undefined) steps.observe({ kind, step: 'wait' }, end.waitMillis / 1000);
    for (const [step, millis] of Object.entries(end.steps)) {
      steps.observe({ kind, step }, millis / 1000);
    }
  };
}

/** Jobs that fetch, or wait for their turn to. */
interface FetchPool {
  active(): number;
  waiting(): number;
}

/** Hosts and clients are no labels: they are many, and strangers choose them. */
function createFetchMetrics(registry: Registry) {
  const errors = new Counter({
    name: 'selvage_fetch_errors_total',
    help: 'Failed fetches of images, feeds and webhooks by reason; too-slow and timeout are slow servers',
    labelNames: ['reason'],
    registers: [registry],
  });
  return {
    fetchError: (reason: string): void => errors.inc({ reason }),
    fetchPools(pools: Readonly<Record<string, FetchPool>>): void {
      new Gauge({
        name: 'selvage_fetch_permits',
        help: 'Jobs with a permit to fetch (active) and without (waiting), by pool',
        labelNames: ['pool', 'state'],
        registers: [registry],
        collect() {
          for (const [pool, { active, waiting }] of Object.entries(pools)) {
            this.set({ pool, state: 'active' }, active());
            this.set({ pool, state: 'waiting' }, waiting());
          }
        },
      });
    },
  };
}

/** Returns a function that counts one. */
function createReviewCounter(registry: Registry) {
  const cutOuts = new Counter({
    name: 'selvage_cutouts_total',
    help: 'Cut-outs made, by whether a person should look at them: needed, unneeded',
    labelNames: ['review'],
    registers: [registry],
  });
  const reasons = new Counter({
    name: 'selvage_cutout_review_reasons_total',
    help: 'What was noticed about cut-outs; one may have several reasons, some of which need no review',
    labelNames: ['reason'],
    registers: [registry],
  });
  return (review: { needed: boolean; reasons: readonly string[] }): void => {
    cutOuts.inc({ review: review.needed ? 'needed' : 'unneeded' });
    for (const reason of review.reasons) reasons.inc({ reason });
  };
}

/** Returns a function that counts the verdicts on one picture. */
function createRulesCounter(registry: Registry) {
  const counter = new Counter({
    name: 'selvage_rule_verdicts_total',
    help: 'Verdicts on cut-outs by rule packs; the packs of clients are counted as own',
    labelNames: ['pack', 'rule', 'verdict'],
    registers: [registry],
  });
  return (pack: string, verdicts: readonly { id: string; passed: boolean }[]): void => {
    for (const { id, passed } of verdicts)
      counter.inc({ pack, rule: id, verdict: passed ? 'passed' : 'failed' });
  };
}

interface EngineInfo {
  model: { id: string; version: string };
  device: string;
  /** Why a GPU is there and not in use. */
  fallback?: string | undefined;
}

export function createWorkerMetrics(registry: Registry) {
  const engineWaits = new Histogram({
    name: 'selvage_engine_wait_seconds',
    help: 'Time an image waited for an inference child',
    buckets: REQUEST_BUCKETS_SECONDS,
    registers: [registry],
  });
  const batchSizes = new Histogram({
    name: 'selvage_engine_batch_size',
    help: 'Images that went through the network together, counted once for each of them',
    buckets: BATCH_SIZE_BUCKETS,
    registers: [registry],
  });
  const model = new Gauge({
    name: 'selvage_model_info',
    help: 'Always 1; the removal model and its device are in the labels',
    labelNames: ['model', 'version', 'device'],
    registers: [registry],
  });
  const fallback = new Gauge({
    name: 'selvage_device_fallback',
    help: '1 if there is a GPU that DEVICE=auto could not use, else 0; the log says why',
    registers: [registry],
  });
  const sweeps = new Gauge({
    name: 'selvage_sweep_last_success_timestamp_seconds',
    help: 'When this worker last finished a sweep, or started; use the newest of all workers',
    labelNames: ['sweep'],
    registers: [registry],
  });
  const recovered = new Counter({
    name: 'selvage_recovered_records_total',
    help: 'Manifests of records that Redis had lost, by outcome: restored, or unreadable and kept',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const damaged = new Counter({
    name: 'selvage_damaged_blobs_total',
    help: 'Stored files found by the scrub whose bytes are not those that were written; the log names them',
    registers: [registry],
  });
  return {
    job: createJobMetrics(registry),
    review: createReviewCounter(registry),
    rules: createRulesCounter(registry),
    ...createFetchMetrics(registry),
    picture({ waitMillis, batchSize }: { waitMillis: number; batchSize: number }): void {
      engineWaits.observe(waitMillis / 1000);
      batchSizes.observe(batchSize);
    },
    engine(engine: EngineInfo, children: () => number): void {
      const { id, version } = engine.model;
      model.set({ model: id, version, device: engine.device }, 1);
      fallback.set(engine.fallback === undefined ? 0 : 1);
      registerLiveGauges(registry, {
        selvage_engine_children: { help: 'Live inference children', read: children },
      });
    },
    recovered({ restored, unreadable }: { restored: number; unreadable: number }): void {
      recovered.inc({ outcome: 'restored' }, restored);
      recovered.inc({ outcome: 'unreadable' }, unreadable);
    },
    swept: (sweep: string) => sweeps.setToCurrentTime({ sweep }),
    damaged: () => damaged.inc(),
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;
