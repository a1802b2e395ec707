import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import sharp from 'sharp';
import { createRandom, drawDay, drawWardrobe } from '../test/look/wardrobes.ts';
import { formOf, postImage } from '../test/support/client.ts';
import { drawnShirt } from '../test/support/images.ts';
import { type Stack, startStack } from '../test/support/stack.ts';
import { printFigures } from './print-figures.ts';
import { quantile } from './statistics.ts';

const [WIDTH, HEIGHT] = [8660, 5773];

type Send = (signal: AbortSignal) => Promise<Response>;

/** A flat picture of 50 megapixels under strokes that reach all of it, many times. */
async function heavyRefinement(stack: Stack, key: string): Promise<Send> {
  const size = { width: WIDTH, height: HEIGHT };
  const image = await sharp({ create: { ...size, channels: 3, background: '#c8b090' } })
    .jpeg({ quality: 60 })
    .toBuffer();
  const alpha = await sharp({ create: { ...size, channels: 3, background: '#808080' } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
  const strokes = [0, 1, 2, 3, 4, 5, 6].map((n) => ({
    mode: n % 2 ? 'erase' : 'add',
    radius: 2000,
    points: [
      [10, 10],
      [WIDTH - 10, HEIGHT - 10 - 100 * n],
    ],
  }));
  return (signal) => {
    const body = formOf(['image', image, 'photo.jpg'], ['alpha', alpha, 'alpha.png']);
    body.set('strokes', JSON.stringify(strokes));
    const headers = { authorization: `Bearer ${key}` };
    return fetch(`${stack.url}/bg/v1/refinements`, { method: 'POST', headers, body, signal });
  };
}

/** Posts a body to the outfit engine. */
function look(stack: Stack, key: string, name: 'trip' | 'outfits', items: number): Send {
  const random = createRandom(1);
  const { weather, met } = drawDay(random);
  const wardrobe = { items: drawWardrobe(random, items) };
  const days = Array.from({ length: 14 }, (_, n) => ({ date: `2026-11-${n + 10}`, weather, met }));
  const body = JSON.stringify(
    name === 'trip' ? { ...wardrobe, days, maxItems: 20 } : { ...wardrobe, weather, met },
  );
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return (signal) =>
    fetch(`${stack.url}/look/v1/${name}`, { method: 'POST', headers, body, signal });
}

/** Sends requests one after the other; their times and statuses. */
async function ask(send: Send, count: number) {
  const { signal } = new AbortController();
  const millis: number[] = [];
  const failed: number[] = [];
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now();
    const response = await send(signal);
    await response.arrayBuffer();
    if (response.ok) millis.push(performance.now() - startedAt);
    else failed.push(response.status);
  }
  return { millis, failed };
}

/** Sends requests over and over in lanes while `during` runs; counts the responses by status. */
async function beside<T>(lanes: readonly Send[], during: () => Promise<T>) {
  const end = new AbortController();
  const statuses: Record<string, number> = {};
  const running = lanes.map(async (send) => {
    while (!end.signal.aborted) {
      const status = await send(end.signal).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 'left',
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  });
  const result = await during();
  end.abort();
  await Promise.all(running);
  return { result, statuses };
}

/** Prints what one honest client sees alone, and beside others with heavy work. */
export async function run(argv: string[]): Promise<void> {
  const { count, json } = new Command('bench fairness')
    .option('--count <n>', 'honest requests of each kind, alone and beside the others', Number, 9)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<{ count: number; json: boolean }>();
  const stack = await startStack({ WORKER_CONCURRENCY: '2', LOG_LEVEL: 'info' });
  try {
    const keyOf = async (client: string) => (await stack.key({ client })).key;
    const honest = await keyOf('honest');
    const image = await drawnShirt({ width: 1200, height: 900, format: 'jpeg' });
    const remove: Send = (signal) => postImage(stack, image, { key: honest, signal });
    const outfit = look(stack, honest, 'outfits', 30);
    const figures: Record<string, number | string> = {};
    const clients = [0, 1, 2, 3].map((n) => keyOf(`heavy-${n}`));
    const heavy = await Promise.all(clients.map(async (key) => heavyRefinement(stack, await key)));
    const trips = [0, 1, 2, 3, 4, 5, 6, 7].map(async (n) =>
      look(stack, await keyOf(`traveller-${n}`), 'trip', 1000),
    );
    for (const [name, send, lanes] of [
      ['removal', remove, [...heavy, ...heavy]],
      ['outfit', outfit, await Promise.all(trips)],
    ] as const) {
      await ask(send, 2);
      const alone = await ask(send, count);
      const { result, statuses } = await beside(lanes, () => ask(send, count));
      figures[`${name} alone p50 ms`] = Math.round(quantile(alone.millis, 0.5));
      figures[`${name} beside p50 ms`] = Math.round(quantile(result.millis, 0.5));
      figures[`${name} beside max ms`] = Math.round(quantile(result.millis, 1));
      figures[`${name} beside, served`] = `${result.millis.length} of ${count}`;
      figures[`${name}: statuses of the others`] = JSON.stringify(statuses);
    }
    const pay = await fetch(`${stack.url}/bg/v1/background-removals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await clients[0]}` },
    });
    figures['a heavy client has left'] = pay.headers.get('ratelimit') ?? '';
    printFigures(figures, json);
  } finally {
    await stack.stop();
  }
}
