import { Gauge, type Registry } from 'prom-client';

/** One value of a figure that has several. */
export interface Labelled {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A figure, and how it is read out of what was looked at. */
export interface Reading<S> {
  help: string;
  labels?: readonly string[];
  of(seen: S): readonly Labelled[];
}

/** A figure without labels. */
export const one = (value: number): Labelled[] => [{ labels: {}, value }];

/** Two Prometheus servers, or an impatient one, cost no more than one. */
const FRESH_MILLIS = 1000;

/** Looks again when the last look is older than so many milliseconds; nothing where it failed. */
function freshly<S>(look: () => Promise<S>, freshMillis: number): () => Promise<S | undefined> {
  let seen: Promise<S | undefined> = Promise.resolve(undefined);
  let seenAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - seenAt >= freshMillis) {
      seenAt = now;
      seen = look().catch(() => undefined);
    }
    return seen;
  };
}

/**
 * Gauges that share one look at something outside this process. It is looked at when they are asked
 * for, and not again within a second; what cannot be seen has no value.
 */
export function sampledGauges<S>(
  registry: Registry,
  look: () => Promise<S>,
  gauges: Readonly<Record<string, Reading<S>>>,
  freshMillis = FRESH_MILLIS,
): void {
  const latest = freshly(look, freshMillis);
  for (const [name, { help, labels = [], of }] of Object.entries(gauges)) {
    new Gauge({
      ...{ name, help, labelNames: [...labels], registers: [registry] },
      async collect() {
        const seen = await latest();
        this.reset();
        if (labels.length === 0) this.remove(); // a reset one would be 0
        for (const { labels, value } of seen === undefined ? [] : of(seen)) this.set(labels, value);
      },
    });
  }
}
