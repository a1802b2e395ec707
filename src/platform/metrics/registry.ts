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
  gauges: Readonly<Record<string, { help: string; read: () => number }>>,
): void {
  for (const [name, { help, read }] of Object.entries(gauges)) {
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
