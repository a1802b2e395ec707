import type { Registry } from 'prom-client';
import { metricsIn, registerGauges } from './registry.ts';

interface LookLoad {
  waiting: number;
  running: number;
  /** Those of them with heavy work. */
  heavy: number;
  /** Live threads. */
  threads: number;
}

/** Of outfit requests. `load` is read at scrape time. */
export class LookMetrics {
  readonly #requests;

  constructor(registry: Registry, load: () => LookLoad) {
    this.#requests = metricsIn(registry).counter(
      'selvage_look_requests_total',
      'Outfit requests for the threads by outcome: computed, canceled (the client disconnected) or rejected with 503',
      'outcome',
    );
    // biome-ignore format: a table reads best with a row a line
    registerGauges(registry, load, [
      ['selvage_look_waiting',       'Outfit requests that wait for a thread', ({ waiting }) => waiting],
      ['selvage_look_running',       'Outfit requests that have a thread', ({ running }) => running],
      ['selvage_look_running_heavy', 'Outfit requests with a thread whose predicted work is heavy; they leave one thread to others', ({ heavy }) => heavy],
      ['selvage_look_threads',       'Live threads that compute outfits; they start when they are needed', ({ threads }) => threads],
    ], 0);
  }

  ended(outcome: 'computed' | 'canceled' | 'rejected'): void {
    this.#requests.inc({ outcome });
  }
}
