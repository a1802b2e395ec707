import { Gauge, type Registry } from 'prom-client';

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
