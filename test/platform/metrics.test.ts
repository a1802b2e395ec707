import { expect, test } from 'vitest';
import { GatewayMetrics, watchSyncLoad } from '../../src/platform/metrics/gateway.ts';
import { createRegistry } from '../../src/platform/metrics/registry.ts';
import { WorkerMetrics } from '../../src/platform/metrics/worker.ts';

const REPORT = {
  name: 'run-job',
  outcome: 'succeeded',
  millis: 900,
  waitMillis: 20,
  steps: { decode: 5, inference: 40 },
  isTakenOver: false,
};

test('a finished job is counted by its kind, its outcome and each of its steps', async () => {
  const registry = createRegistry('1.2.3');
  const metrics = new WorkerMetrics(registry);
  metrics.job(REPORT);
  metrics.job({ ...REPORT, waitMillis: undefined, isTakenOver: true });
  metrics.job({ ...REPORT, outcome: 'refused', reason: 'upstream-failed', steps: {} });
  metrics.job({ ...REPORT, outcome: 'failed', reason: 'a sentence with an id in it', steps: {} });
  const text = await registry.metrics();
  const lines = [
    'selvage_build_info{version="1.2.3"} 1',
    'selvage_job_seconds_count{kind="run-job",outcome="succeeded"} 2',
    'selvage_job_step_seconds_count{kind="run-job",step="inference"} 2',
    // Later attempts do not count: they waited for their backoff, or for a lost worker.
    'selvage_job_step_seconds_count{kind="run-job",step="wait"} 3',
    'selvage_job_step_seconds_sum{kind="run-job",step="wait"} 0.06',
    'selvage_job_refusals_total{kind="run-job",problem="upstream-failed"} 1',
    'selvage_jobs_taken_over_total{kind="run-job"} 1',
  ];
  for (const line of lines) expect(text.split('\n')).toContain(line);
  expect(text).not.toContain('a sentence');
});

test('cut-outs are counted by their review and its reasons', async () => {
  const registry = createRegistry('1');
  const metrics = new WorkerMetrics(registry);
  metrics.review({ needed: true, reasons: ['blurred', 'cut-by-frame'] });
  metrics.review({ needed: false, reasons: ['cut-by-frame'] });
  metrics.review({ needed: false, reasons: [] });
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('selvage_cutouts_total{review="needed"} 1');
  expect(lines).toContain('selvage_cutouts_total{review="unneeded"} 2');
  expect(lines).toContain('selvage_cutout_review_reasons_total{reason="blurred"} 1');
  expect(lines).toContain('selvage_cutout_review_reasons_total{reason="cut-by-frame"} 2');
});

test('verdicts are counted by pack, rule and outcome', async () => {
  const registry = createRegistry('1');
  const metrics = new WorkerMetrics(registry);
  const border = { id: 'border', passed: true };
  metrics.rules('amazon-main', [border, { id: 'fringe', passed: false }]);
  metrics.rules('own', [border]);
  metrics.rules('own', [border]);
  const lines = (await registry.metrics()).split('\n');
  const name = 'selvage_rule_verdicts_total';
  expect(lines).toContain(`${name}{pack="amazon-main",rule="border",verdict="passed"} 1`);
  expect(lines).toContain(`${name}{pack="amazon-main",rule="fringe",verdict="failed"} 1`);
  expect(lines).toContain(`${name}{pack="own",rule="border",verdict="passed"} 2`);
});

test('fetching is counted by reason and by pool', async () => {
  const registry = createRegistry('1');
  const metrics = new WorkerMetrics(registry);
  metrics.fetchError('too-slow');
  metrics.fetchError('too-slow');
  metrics.fetchPools({ feeds: { active: () => 3, waiting: () => 5 } });
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('selvage_fetch_errors_total{reason="too-slow"} 2');
  expect(lines).toContain('selvage_fetch_permits{pool="feeds",state="active"} 3');
  expect(lines).toContain('selvage_fetch_permits{pool="feeds",state="waiting"} 5');
});

test('without a worker the predicted wait is infinite', async () => {
  const registry = createRegistry('1');
  const load = {
    queueMillis: Number.POSITIVE_INFINITY,
    waitMillis: Number.POSITIVE_INFINITY,
    imageMillis: [] as [number, number][],
    depth: 0,
    workMillis: 0,
    slots: 0,
    workers: 0,
  };
  watchSyncLoad(registry, 25_000, () => load);
  const metrics = new GatewayMetrics(registry);
  metrics.observe({ method: 'GET', route: '/x', status: 503, seconds: 1, problem: 'gone' });
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('selvage_predicted_wait_seconds +Inf');
  expect(lines).toContain('selvage_predicted_queue_seconds +Inf');
  expect(lines.filter((line) => line.startsWith('selvage_predicted_image_seconds{'))).toEqual([]);
  load.imageMillis = [[12, 1500]];
  expect(await registry.metrics()).toContain(
    'selvage_predicted_image_seconds{megapixels="12"} 1.5\n',
  );
  expect(lines).toContain('selvage_sync_deadline_seconds 25');
  expect(lines).toContain('selvage_http_problems_total{problem="gone"} 1');
});

test.each([
  [undefined, 0],
  ['no CUDA', 1],
])(
  'a GPU that is there and not in use, because of %s, is reported as %i',
  async (fallback, value) => {
    const registry = createRegistry('1.2.3');
    const engine = { model: { id: 'm', version: '1' }, device: 'cpu', fallback };
    new WorkerMetrics(registry).engine(engine, () => 1);
    expect(await registry.metrics()).toContain(`selvage_device_fallback ${value}`);
  },
);
