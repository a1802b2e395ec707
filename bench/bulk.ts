import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { type FeedServer, startFeedServer } from '../test/support/feed-server.ts';
import { drawnShirt } from '../test/support/images.ts';
import { type Stack, startStack } from '../test/support/stack.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { readPhotos } from './eval-photos.ts';
import { printFigures } from './print-figures.ts';
import { median } from './statistics.ts';

interface Options {
  pictures: number;
  rounds: number;
  width: number;
  slots: number;
  eval?: string;
  json: boolean;
}

/** Returns images per second. */
async function throughput(pictures: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (pictures * 1000) / (performance.now() - startedAt);
}

/** The bare loop: sends every image through the engine, with all slots busy, and stores nothing. */
async function bareLoop(engine: Engine, images: readonly Buffer[], slots: number): Promise<void> {
  const remaining = [...images];
  const lane = async () => {
    for (let image = remaining.pop(); image; image = remaining.pop())
      await engine.removeBackground(image);
  };
  await Promise.all(Array.from({ length: slots + 1 }, lane));
}

interface Service {
  stack: Stack;
  headers: Record<string, string>;
}

async function request(service: Service, path: string, body?: string, type = 'application/json') {
  const response = await fetch(service.stack.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...service.headers, ...(body && { 'content-type': type }) },
    ...(body && { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Creates a batch with a row for each URL; returns its id. */
async function open(service: Service, urls: readonly string[]): Promise<string> {
  const { id } = await request(service, '/intake/v1/batches', '{}');
  const rows = urls.map((imageUrl, i) => JSON.stringify({ customId: `sku-${i}`, imageUrl }));
  const path = `/intake/v1/batches/${id}/items`;
  await request(service, path, rows.join('\n'), 'application/x-ndjson');
  return id;
}

async function complete(service: Service, id: string): Promise<void> {
  await request(service, `/intake/v1/batches/${id}/seal`, '');
  for (;;) {
    const { status, counts } = await request(service, `/intake/v1/batches/${id}`);
    if (status === 'completed' && counts.failed === 0) return;
    if (status === 'completed') throw new Error(`${counts.failed} rows failed`);
    await sleep(250);
  }
}

const serveImages = (server: FeedServer, images: readonly Buffer[], round: number): string[] =>
  images.map((body, i) => server.put(`/${round}/${i}.jpg`, { body, type: 'image/jpeg' }));

/** Draws a different image for each row of each round: no result is cached. */
async function draw(options: Options, round: number): Promise<Buffer[]> {
  const { pictures, width } = options;
  const one = (i: number) =>
    drawnShirt({ format: 'jpeg', width: width + i, height: width + round });
  const images: Buffer[] = [];
  for (let i = 0; i < pictures; i++) images.push(await one(i));
  return images;
}

/**
 * Reads real photos, spread over all kinds. A byte after their end, which no decoder reads, makes them different images
 * in each round.
 */
async function readReal({ pictures }: Options, folder: string, round: number): Promise<Buffer[]> {
  const photos = await readPhotos(folder);
  if (photos.length === 0) throw new Error(`${folder} has no photos with a manifest.json`);
  const step = Math.max(1, photos.length / pictures);
  const count = Math.min(pictures, photos.length);
  const chosen = Array.from({ length: count }, (_, i) => photos[Math.floor(i * step)]!);
  return Promise.all(
    chosen.map(async ({ image }) => Buffer.concat([await readFile(image), Buffer.of(round)])),
  );
}

interface Round {
  images: number;
  /** Images per second. */
  bare: number;
  bulk: number;
}

async function measureRound(
  service: Service,
  server: FeedServer,
  { slots }: Options,
  images: readonly Buffer[],
  round: number,
): Promise<Round> {
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots,
    maxPixels: 50_000_000,
    modelsHome: '.selvage/models',
  });
  await bareLoop(engine, images.slice(0, 2 * slots), slots);
  const bare = await throughput(images.length, () => bareLoop(engine, images, slots));
  await engine.close();
  const id = await open(service, serveImages(server, images, round));
  const bulk = await throughput(images.length, () => complete(service, id));
  return { images: images.length, bare, bulk };
}

async function measure(service: Service, server: FeedServer, options: Options) {
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const images = options.eval
      ? await readReal(options, options.eval, round)
      : await draw(options, round);
    rounds.push(await measureRound(service, server, options, images, round));
  }
  const middle = (figure: (round: Round) => number) =>
    Number(median(rounds.map(figure)).toFixed(2));
  return {
    'bare loop, images per second': middle(({ bare }) => bare),
    'batch by URL, images per second': middle(({ bulk }) => bulk),
    'batch / bare loop, median of rounds': middle(({ bare, bulk }) => bulk / bare),
    slots: options.slots,
    images: middle(({ images }) => images),
    rounds: rounds.length,
  };
}

/** Prints the throughput of a batch of URLs as a share of the bare inference loop, measured alternately. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench bulk')
    .option('--pictures <n>', 'images per round', Number, 200)
    .option('--rounds <n>', 'rounds of one bare loop and one batch', Number, 3)
    .option('--width <px>', 'width and height of the drawn photos', Number, 800)
    .option('--slots <n>', 'inference children', Number, 2)
    .option('--eval <folder>', 'use real photos of this folder, at most --pictures of them')
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const server = await startFeedServer();
  const env = { WORKER_CONCURRENCY: String(options.slots), FETCH_ALLOW: '127.0.0.0/8' };
  const stack = await startStack({ ...env, LOG_LEVEL: 'info' });
  try {
    const { key } = await stack.key();
    const service = { stack, headers: { authorization: `Bearer ${key}` } };
    const figures = await measure(service, server, options);
    printFigures(figures, options.json);
  } finally {
    await stack.stop();
    await server.close();
  }
}
