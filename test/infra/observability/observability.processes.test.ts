import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postImage } from '../../support/client.ts';
import { readFeed } from '../../support/feed-client.ts';
import { freePort } from '../../support/free-port.ts';
import { drawnShirt } from '../../support/images.ts';
import { readJob } from '../../support/intake.ts';
import { useStack } from '../../support/use-stack.ts';
import { attribute, type Span, startOtlpReceiver } from './otlp-receiver.ts';
import { askedFor, exposed, expressions, groupedBy } from './promql.ts';

const collector = await startOtlpReceiver();
afterAll(() => collector.stop());
const workerPort = await freePort();
const { stack, key, intake, batches, feeds } = await useStack({
  WORKER_PORT: String(workerPort),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_BSP_SCHEDULE_DELAY: '100',
});
let removal: Response;

const scrape = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();
const scrapeWorker = () => scrape(`http://127.0.0.1:${workerPort}`);

/** Produces what the tests below read. */
test('work of every kind succeeds', async () => {
  const shirt = (width: number) => drawnShirt({ width, height: 300, format: 'jpeg' });
  removal = await postImage(stack, await shirt(301), { key });
  expect(removal.status).toBe(200);

  const job = await readJob(await intake.post(await shirt(302)));
  const batchId = await batches.open();
  await batches.sendFiles(batchId, [['one.jpg', await shirt(303)]]);
  await batches.seal(batchId);
  const csv = 'id,image_link\nsku,http://127.0.0.1:9/private.jpg\n';
  const { run } = await readFeed(await feeds.send('/feeds', csv));
  await intake.until(job.id, 'succeeded');
  await batches.until(batchId, 'completed');
  await feeds.until(run, 'completed');
});

describe('metrics', () => {
  const ENGINE = ['wait', 'decode', 'inference', 'matte', 'encode', 'engine', 'store'];
  test.each([
    { kind: 'remove-background', steps: [...ENGINE, 'fetch'] },
    { kind: 'run-job', steps: ENGINE },
    { kind: 'run-row', steps: ENGINE },
    { kind: 'ingest-feed', steps: ['wait', 'fetch', 'rows'] },
  ])('each step of $kind is measured', async ({ kind, steps }) => {
    const text = await scrapeWorker();
    const counted = [
      ...text.matchAll(/^selvage_job_step_seconds_count\{kind="([\w-]+)",step="(\w+)"\} [1-9]/gm),
    ];
    const found = counted.filter((match) => match[1] === kind).map((match) => match[2]);
    expect(found).toEqual(expect.arrayContaining(steps));
  });

  test('the worker reports its model, device, sweeps and dependencies', async () => {
    const text = await scrapeWorker();
    expect(text).toMatch(
      /^selvage_model_info\{model="garment-cutout",version="[^"]+",device="cpu"\} 1$/m,
    );
    const sweeps = [...text.matchAll(/^selvage_sweep_last_\w+\{sweep="(\w+)"\} (\S+)$/gm)];
    expect(sweeps.map((match) => match[1])).toEqual([
      'orphans',
      'expired',
      'strays',
      'recovery',
      'scrub',
      'batches',
    ]);
    for (const [, , at] of sweeps)
      expect(Math.abs(Date.now() / 1000 - Number(at))).toBeLessThan(60);
    for (const dependency of ['redis', 'store']) {
      expect(text).toContain(`selvage_dependency_up{dependency="${dependency}"} 1`);
    }
  });

  test('the gateway reports its queues, batches and problems', async () => {
    expect((await postImage(stack, new Uint8Array([1, 2, 3]), { key })).status).toBe(415);
    const text = await scrape(stack.url);
    expect(text).toContain('selvage_queue_jobs{queue="bulk",state="waiting"} 0');
    expect(text).toContain('selvage_queue_oldest_seconds{queue="sync"} 0');
    expect(text).toMatch(/^selvage_batches_under_way 0$/m);
    expect(text).toContain('selvage_sources{status="unreachable"} 0');
    expect(text).toContain('selvage_source_objects{state="pending"} 0');
    expect(text).toContain('selvage_http_problems_total{problem="unsupported-media-type"} 1');
    expect(text).toMatch(/^selvage_redis_memory_used_bytes [1-9]/m);
    expect(text).toMatch(/^selvage_store_free_bytes [1-9]/m);
  });

  test('no label contains a client, a key or a URL', async () => {
    const text = (await scrape(stack.url)) + (await scrapeWorker());
    expect(text).toContain('selvage_http_request_seconds_count{');
    expect(text).toContain('selvage_job_step_seconds_count{');
    for (const secret of [key, 'private.jpg', '"tests"', 'photo.jpg']) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('dashboard, alerts and scaling', () => {
  let known: Map<string, Set<string>>;
  beforeAll(async () => {
    known = exposed((await scrape(stack.url)) + (await scrapeWorker()));
  });

  test.each(expressions)('%s queries existing metrics: %s', (_asker, expr) => {
    const asked = askedFor(expr);
    expect(asked).not.toHaveLength(0);
    const labels = new Set(['instance', 'le']);
    for (const [metric, matched] of asked) {
      expect([...known.keys()]).toContain(metric);
      const own = known.get(metric) ?? new Set();
      for (const label of own) labels.add(label);
      // A metric without samples yet has no labels.
      if (own.size > 0) expect([...own]).toEqual(expect.arrayContaining(matched));
    }
    const unseen = asked.some(([metric]) => known.get(metric)?.size === 0);
    if (!unseen) expect([...labels]).toEqual(expect.arrayContaining(groupedBy(expr)));
  });
});

describe('traces', () => {
  const STEPS = ['fetch', 'engine', 'decode', 'inference', 'matte', 'encode', 'store'];
  const traceOf = (requestId: string | null): Span[] => {
    const root = collector.spans.find(
      (span) => !span.parentSpanId && attribute(span, 'selvage.request_id') === requestId,
    );
    return collector.spans.filter(({ traceId }) => traceId === root?.traceId);
  };

  test('a removal is one trace, from the request through the queue to each step', async () => {
    const requestId = removal.headers.get('x-request-id');
    const names = ['POST /bg/v1/background-removals', 'add sync.remove-background'];
    await expect
      .poll(() => traceOf(requestId).map(({ name }) => name))
      .toEqual(expect.arrayContaining([...names, 'process sync', ...STEPS]));
    const trace = traceOf(requestId);
    const ids = trace.map(({ spanId }) => spanId);
    const roots = trace.filter(({ parentSpanId }) => !ids.includes(parentSpanId ?? ''));
    expect(roots.map(({ name }) => name)).toEqual([names[0]]);

    const work = trace.find(({ name }) => name === 'process sync');
    if (!work) throw new Error('no work');
    expect(attribute(work, 'selvage.request_id')).toBe(requestId);
    const steps = trace.filter(({ name }) => STEPS.includes(name));
    expect(steps.length).toBeGreaterThanOrEqual(STEPS.length);
    for (const step of steps) {
      expect(step.startTimeUnixNano, step.name).toBeGreaterThanOrEqual(work.startTimeUnixNano);
      expect(step.endTimeUnixNano, step.name).toBeLessThanOrEqual(work.endTimeUnixNano);
    }
  });

  test('each process has its name, and internal work of libraries is not traced', async () => {
    await expect
      .poll(() => new Set(collector.spans.map(({ service }) => service)))
      .toEqual(new Set(['selvage-gateway', 'selvage-worker']));
    const roots = collector.spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(
      roots.map(({ name }) => name).filter((name) => /getNextJob|Locks|Stalled/.test(name)),
    ).toEqual([]);
  });

  test('no secret is exported', () => {
    expect(collector.text()).toContain('selvage-gateway');
    expect(collector.text()).toContain('selvage-worker');
    for (const secret of [key, 'photo.jpg', 'private.jpg', 'one.jpg']) {
      expect(collector.text()).not.toContain(secret);
    }
  });
});

test('while Redis is unavailable metrics are served, except those read from Redis', async () => {
  await stack.redis.end();
  for (const page of [() => scrape(stack.url), scrapeWorker]) {
    await expect.poll(page).toContain('selvage_dependency_up{dependency="redis"} 0');
  }
  const text = await scrape(stack.url);
  expect(text).toMatch(/^selvage_http_request_seconds_count\{/m);
  expect(text).not.toMatch(/^selvage_(queue_jobs|redis_memory_used_bytes)[ {]/m);
  await stack.redis.start();
  await expect
    .poll(() => scrape(stack.url))
    .toContain('selvage_queue_jobs{queue="sync",state="waiting"} 0');
});
