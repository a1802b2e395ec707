import { Counter, type Registry } from 'prom-client';
import { registerLiveGauges } from './registry.ts';

/** Outfit requests of this gateway that are not computed yet. */
interface LookLoad {
  waiting: number;
  running: number;
}

/** Registers the metrics of the threads that compute outfits. `load` is read at scrape time. */
export function createLookMetrics(registry: Registry, load: () => LookLoad) {
  const requests = new Counter({
    name: 'selvage_look_requests_total',
    help: 'Outfit requests for the threads by outcome: computed, canceled (the client disconnected) or rejected with 503',
    labelNames: ['outcome'],
    registers: [registry],
  });
  registerLiveGauges(registry, {
    selvage_look_waiting: {
      help: 'Outfit requests that wait for a thread',
      read: () => load().waiting,
    },
    selvage_look_running: {
      help: 'Threads that compute outfits',
      read: () => load().running,
    },
  });
  return {
    ended: (outcome: 'computed' | 'canceled' | 'rejected') => requests.inc({ outcome }),
  };
}
