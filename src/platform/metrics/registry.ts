import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Buckets from a quick rejection to the longest synchronous request, seconds. */
export const REQUEST_BUCKETS_SECONDS = [
  0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25,
];

/** Creates a process's registry with Node's default metrics (event loop lag, memory, CPU). */
export function createRegistry(version: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'selvage_build_info',
    help: 'Always 1; the running version is in the label',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return registry;
}

/** Registers gauges whose values are read from this process's memory at scrape time. */
export function registerLiveGauges(
  registry: Registry,
  gauges: readonly (readonly [name: string, help: string, read: () => number])[],
): void {
  for (const [name, help, read] of gauges) {
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

/** Registers counters, each with one label, whose values are read from this process's memory at scrape time. */
export function registerLiveCounters(
  registry: Registry,
  counters: Readonly<
    Record<string, { help: string; label: string; read: () => Readonly<Record<string, number>> }>
  >,
): void {
  for (const [name, { help, label, read }] of Object.entries(counters)) {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });
  }
}

interface LabelledValue {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A gauge whose values come from a sample. */
interface SampledGauge<S> {
  help: string;
  labels?: readonly string[];
  values(sample: S): readonly LabelledValue[];
}

/** Returns the value of a gauge without labels. */
export const single = (value: number): LabelledValue[] => [{ labels: {}, value }];

/** Several Prometheus servers, or an impatient one, cost no more than one. */
const CACHE_MILLIS = 1000;

/** Caches a sample for a time; a sample that failed is undefined. */
function cacheSample<S>(take: () => Promise<S>, cacheMillis: number): () => Promise<S | undefined> {
  let sample: Promise<S | undefined> = Promise.resolve(undefined);
  let sampledAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - sampledAt >= cacheMillis) {
      sampledAt = now;
      sample = take().catch(() => undefined);
    }
    return sample;
  };
}

/**
 * Registers gauges that share one sample of something outside this process. The sample is taken at
 * scrape time and cached, by default for a second; gauges have no value if it fails.
 */
export function registerSampledGauges<S>(
  registry: Registry,
  take: () => Promise<S>,
  gauges: Readonly<Record<string, SampledGauge<S>>>,
  cacheMillis = CACHE_MILLIS,
): void {
  const latestSample = cacheSample(take, cacheMillis);
  for (const [name, { help, labels = [], values }] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const sample = await latestSample();
        this.reset();
        if (labels.length === 0) this.remove(); // after reset it would be 0
        if (sample === undefined) return;
        for (const { labels, value } of values(sample)) this.set(labels, value);
      },
    });
  }
}
