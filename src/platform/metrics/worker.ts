import type { Registry } from 'prom-client';
import { metricsIn, REQUEST_BUCKETS_SECONDS, registerGauges } from './registry.ts';

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

/** Jobs that fetch, or wait for their turn to. */
interface FetchPool {
  active(): number;
  waiting(): number;
}

interface EngineInfo {
  model: { id: string; version: string };
  device: string;
  /** Why a GPU is there and not in use. */
  fallback?: string | undefined;
}

/** Registers the metrics of a worker. Of jobs, the label is `kind`, because Prometheus sets `job` itself. */
function workerMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricsIn(registry);
  // biome-ignore format: a table reads best with a row a line
  return {
    steps:         histogram('selvage_job_step_seconds', 'Time of one step of a job: wait (in the queue), fetch, decode, inference, matte, encode, store; engine is all time within the child', STEP_BUCKETS_SECONDS, 'kind', 'step'),
    jobs:          histogram('selvage_job_seconds', 'Time from taking a job to its end', REQUEST_BUCKETS_SECONDS, 'kind', 'outcome'),
    refusals:      counter('selvage_job_refusals_total', 'Jobs that ended with a problem, by type; upstream-failed of deliver-webhook is an abandoned delivery', 'kind', 'problem'),
    takenOver:     counter('selvage_jobs_taken_over_total', 'Attempts at jobs that stalled because their worker was lost or stuck', 'kind'),
    // Hosts and clients are no labels: they are many, and strangers choose them.
    fetchErrors:   counter('selvage_fetch_errors_total', 'Failed fetches of images, feeds and webhooks by reason; too-slow and timeout are slow servers', 'reason'),
    cutOuts:       counter('selvage_cutouts_total', 'Cut-outs made, by whether a person should look at them: needed, unneeded', 'review'),
    reviewReasons: counter('selvage_cutout_review_reasons_total', 'What was noticed about cut-outs; one may have several reasons, some of which need no review', 'reason'),
    verdicts:      counter('selvage_rule_verdicts_total', 'Verdicts on cut-outs by rule packs; the packs of clients are counted as own', 'pack', 'rule', 'verdict'),
    engineWaits:   histogram('selvage_engine_wait_seconds', 'Time an image waited for an inference child', REQUEST_BUCKETS_SECONDS),
    batchSizes:    histogram('selvage_engine_batch_size', 'Images that went through the network together, counted once for each of them', BATCH_SIZE_BUCKETS),
    model:         gauge('selvage_model_info', 'Always 1; the removal model and its device are in the labels', 'model', 'version', 'device'),
    fallback:      gauge('selvage_device_fallback', '1 if there is a GPU that DEVICE=auto could not use, else 0; the log says why'),
    sweeps:        gauge('selvage_sweep_last_success_timestamp_seconds', 'When this worker last finished a sweep, or started; use the newest of all workers', 'sweep'),
    recovered:     counter('selvage_recovered_records_total', 'Manifests of records that Redis had lost, by outcome: restored, or unreadable and kept', 'outcome'),
    damaged:       counter('selvage_damaged_blobs_total', 'Stored files found by the scrub whose bytes are not those that were written; the log names them'),
  };
}

/** Counts and times what a worker does. */
export class WorkerMetrics {
  readonly #registry;
  readonly #metrics;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#metrics = workerMetrics(registry);
  }

  job(end: JobObservation): void {
    const { name: kind, outcome, reason } = end;
    this.#metrics.jobs.observe({ kind, outcome }, end.millis / 1000);
    if (outcome === 'refused' && reason) this.#metrics.refusals.inc({ kind, problem: reason });
    if (end.isTakenOver) this.#metrics.takenOver.inc({ kind });
    const steps = { ...(end.waitMillis !== undefined && { wait: end.waitMillis }), ...end.steps };
    for (const [step, millis] of Object.entries(steps)) {
      this.#metrics.steps.observe({ kind, step }, millis / 1000);
    }
  }

  fetchError(reason: string): void {
    this.#metrics.fetchErrors.inc({ reason });
  }

  fetchPools(pools: Readonly<Record<string, FetchPool>>): void {
    const help = 'Jobs with a permit to fetch (active) and without (waiting), by pool';
    const read = () =>
      Object.entries(pools).flatMap(([pool, { active, waiting }]) => [
        [active(), pool, 'active'] as const,
        [waiting(), pool, 'waiting'] as const,
      ]);
    const row = ['selvage_fetch_permits', help, read, 'pool', 'state'] as const;
    registerGauges(this.#registry, () => null, [row], 0);
  }

  readonly review = (review: { needed: boolean; reasons: readonly string[] }): void => {
    this.#metrics.cutOuts.inc({ review: review.needed ? 'needed' : 'unneeded' });
    for (const reason of review.reasons) this.#metrics.reviewReasons.inc({ reason });
  };

  /** Counts the verdicts on one picture. */
  rules(pack: string, verdicts: readonly { id: string; passed: boolean }[]): void {
    for (const { id, passed } of verdicts) {
      this.#metrics.verdicts.inc({ pack, rule: id, verdict: passed ? 'passed' : 'failed' });
    }
  }

  readonly picture = ({ waitMillis, batchSize }: { waitMillis: number; batchSize: number }) => {
    this.#metrics.engineWaits.observe(waitMillis / 1000);
    this.#metrics.batchSizes.observe(batchSize);
  };

  engine({ model, device, fallback }: EngineInfo, children: () => number): void {
    this.#metrics.model.set({ model: model.id, version: model.version, device }, 1);
    this.#metrics.fallback.set(fallback === undefined ? 0 : 1);
    const row = ['selvage_engine_children', 'Live inference children', children] as const;
    registerGauges(this.#registry, () => null, [row], 0);
  }

  readonly recovered = ({ restored, unreadable }: { restored: number; unreadable: number }) => {
    this.#metrics.recovered.inc({ outcome: 'restored' }, restored);
    this.#metrics.recovered.inc({ outcome: 'unreadable' }, unreadable);
  };

  readonly swept = (sweep: string): void => this.#metrics.sweeps.setToCurrentTime({ sweep });
  readonly damaged = (): void => this.#metrics.damaged.inc();
}
