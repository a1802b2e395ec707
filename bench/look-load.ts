import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { createRandom, drawDay, drawWardrobe } from '../test/look/wardrobes.ts';
import { drawnShirt } from '../test/support/images.ts';
import { type Stack, startStack } from '../test/support/stack.ts';
import { printFigures } from './print-figures.ts';
import { quantile } from './statistics.ts';

interface Options {
  seconds: number;
  lanes: number;
  items: number;
  json: boolean;
}

/** Of `/livez`, milliseconds. */
const PROBE_MILLIS = 20;

const round = (value: number): number => Number(value.toFixed(1));

async function millisOf(request: () => Promise<Response>): Promise<number> {
  const startedAt = performance.now();
  const response = await request();
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return performance.now() - startedAt;
}

/** Repeats a request one after the other until `until`; its times in milliseconds. */
async function repeat(
  until: number,
  everyMillis: number,
  request: () => Promise<Response>,
): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < until) {
    times.push(await millisOf(request));
    await pause(everyMillis);
  }
  return times;
}

/** Requests to one stack. */
async function openRequests(stack: Stack, items: number) {
  const headersOf = async (client: string) => {
    const { key } = await stack.key({ client });
    return { authorization: `Bearer ${key}` };
  };
  const person = await headersOf('removals');
  const wardrobe = { ...(await headersOf('outfits')), 'content-type': 'application/json' };
  const random = createRandom(1);
  const bodies = Array.from({ length: 12 }, () =>
    JSON.stringify({ ...drawDay(random), plan: 'outdoor', items: drawWardrobe(random, items) }),
  );
  const image = await drawnShirt({ width: 640, height: 640, format: 'jpeg' });
  let sent = 0;
  return {
    livez: () => fetch(`${stack.url}/livez`),
    remove() {
      const body = new FormData();
      body.set('image', new Blob([image as Uint8Array<ArrayBuffer>]), 'photo.jpg');
      const url = `${stack.url}/bg/v1/background-removals`;
      return fetch(url, { method: 'POST', headers: person, body });
    },
    outfits() {
      sent += 1;
      const body = bodies[sent % bodies.length] ?? '';
      return fetch(`${stack.url}/look/v1/outfits`, { method: 'POST', headers: wardrobe, body });
    },
  };
}

/** Prints how quickly `/livez` and removals are answered while large wardrobes are computed. */
export async function run(argv: string[]): Promise<void> {
  const { seconds, lanes, items, json } = new Command('bench look-load')
    .option('--seconds <n>', 'without and with the load, each', Number, 20)
    .option('--lanes <n>', 'requests for outfits at a time', Number, 12)
    .option('--items <n>', 'items of each wardrobe', Number, 1000)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const stack = await startStack({ LOG_LEVEL: 'info', SYNC_TIMEOUT_SECONDS: '120' });
  try {
    const { livez, remove, outfits } = await openRequests(stack, items);
    const measure = async (busyLanes: number) => {
      const until = performance.now() + 1000 * seconds;
      const [probes, removals, ...found] = await Promise.all([
        repeat(until, PROBE_MILLIS, livez),
        repeat(until, PROBE_MILLIS, remove),
        ...Array.from({ length: busyLanes }, () => repeat(until, 0, outfits)),
      ]);
      return { probes, removals, found: found.flat() };
    };
    // Threads and the inference process start with the first requests.
    await Promise.all([remove(), outfits(), outfits()]);
    const idle = await measure(0);
    const busy = await measure(lanes);
    const figures = {
      'livez p50 ms': round(quantile(idle.probes, 0.5)),
      'livez p99 ms': round(quantile(idle.probes, 0.99)),
      'removal p50 ms': round(quantile(idle.removals, 0.5)),
      [`livez p50 ms with ${lanes}`]: round(quantile(busy.probes, 0.5)),
      [`livez p99 ms with ${lanes}`]: round(quantile(busy.probes, 0.99)),
      [`livez max ms with ${lanes}`]: round(quantile(busy.probes, 1)),
      [`removal p50 ms with ${lanes}`]: round(quantile(busy.removals, 0.5)),
      'outfits p50 ms': round(quantile(busy.found, 0.5)),
      outfits: busy.found.length,
      probes: busy.probes.length,
    };
    printFigures(figures, json);
  } finally {
    await stack.stop();
  }
}
