import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets from a quick rejection to the longest synchronous request, seconds. */
export const REQUEST_BUCKETS_SECONDS = [
  0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25,
];

/** Returns what creates the metrics of a registry. */
export function metricsIn(registry: Registry) {
  const common = (name: string, help: string, labelNames: readonly string[]) => ({
    ...{ name, help, labelNames },
    registers: [registry],
  });
  return {
    counter: (name: string, help: string, ...labels: string[]) =>
      new Counter(common(name, help, labels)),
    gauge: (name: string, help: string, ...labels: string[]) =>
      new Gauge(common(name, help, labels)),
    histogram: (name: string, help: string, buckets: number[], ...labels: string[]) =>
      new Histogram({ ...common(name, help, labels), buckets }),
  };
}

/** Creates a process's registry with Node's default metrics (event loop lag, memory, CPU). */
export function createRegistry(version: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const help = 'Always 1; the running version is in the label';
  metricsIn(registry).gauge('selvage_build_info', help, 'version').set({ version }, 1);
  return registry;
}

/** Registers counters, each with one label, whose values are read from this process's memory at scrape time. */
export function registerLiveCounters(
  registry: Registry,
  counters: readonly (readonly [
    name: string,
    help: string,
    label: string,
    read: () => Readonly<Record<string, number>>,
  ])[],
): void {
  for (const [name, help, label, read] of counters) {
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

/** A value with those of its labels, in the order of their names. */
type LabelledValue = readonly [value: number, ...labels: string[]];

/** A gauge, what is read for it from a sample, and the names of its labels. */
type GaugeRow<S> = readonly [
  name: string,
  help: string,
  read: (sample: S) => number | readonly LabelledValue[],
  ...labels: string[],
];

/** Several Prometheus servers, or an impatient one, cost no more than one. */
const CACHE_MILLIS = 1000;

/** Caches a sample for a time; a sample that failed is undefined. */
function cacheSample<S>(take: () => S | Promise<S>, cacheMillis: number) {
  let sample: Promise<S | undefined> = Promise.resolve(undefined);
  let sampledAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - sampledAt >= cacheMillis) {
      sampledAt = now;
      sample = (async () => take())().catch(() => undefined);
    }
    return sample;
  };
}

/**
 * Registers gauges that share one sample. It is taken at scrape time and cached, by default for a second, as suits what
 * is outside this process; gauges have no value if it fails.
 * @param cacheMillis 0 for what is in this process's memory
 */
export function registerGauges<S>(
  registry: Registry,
  take: () => S | Promise<S>,
  gauges: readonly GaugeRow<S>[],
  cacheMillis = CACHE_MILLIS,
): void {
  const latestSample = cacheSample(take, cacheMillis);
  for (const [name, help, read, ...labelNames] of gauges) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const sample = await latestSample();
        this.reset();
        if (labelNames.length === 0) this.remove(); // after reset it would be 0
        if (sample === undefined) return;
        const values = read(sample);
        if (typeof values === 'number') this.set(values);
        else for (const [value, ...labels] of values) this.labels(...labels).set(value);
      },
    });
  }
}
