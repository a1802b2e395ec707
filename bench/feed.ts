import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import {
  type FeedClient,
  feedClient,
  type Run,
  readFeed,
  readRun,
} from '../test/support/feed-client.ts';
import { type FeedServer, pictureOf, startFeedServer } from '../test/support/feed-server.ts';
import { freePort } from '../test/support/free-port.ts';
import { type Stack, startStack } from '../test/support/stack.ts';
import { printFigures } from './print-figures.ts';
import { treeOf, withCpuMillis } from './processes.ts';

interface Options {
  rows: number;
  pictures: number;
  photos: number;
  operation: string;
  dryRun: boolean;
  deadHost: boolean;
  json: boolean;
}

const WORKER_PORT = await freePort();

const round = (value: number): number => Number(value.toFixed(1));

export async function untilCompleted(
  feeds: FeedClient,
  run: Pick<Run, 'feedId' | 'id'>,
): Promise<Run> {
  for (;;) {
    const current = await readRun(await feeds.ask('GET', feeds.pathOf(run)));
    if (current.status === 'completed') return current;
    if (current.problem) throw new Error(current.problem.detail);
    await sleep(100);
  }
}

/** Serves a feed of products with one image each; products share images, as sizes of a shirt do. */
async function serveFeed(shop: FeedServer, { rows, pictures }: Options): Promise<string> {
  const lines = ['id,title,image_link'];
  for (let i = 0; i < rows; i++) {
    lines.push(`sku-${i},Shirt ${i},${await shop.putImage(`/${i}.jpg`, i % pictures)}`);
  }
  return shop.put('/feed.csv', { body: `${lines.join('\r\n')}\r\n`, type: 'text/csv' });
}

async function timed(work: () => Promise<Run>): Promise<{ run: Run; seconds: number }> {
  const startedAt = performance.now();
  const run = await work();
  return { run, seconds: (performance.now() - startedAt) / 1000 };
}

async function measure(feeds: FeedClient, shop: FeedServer, options: Options) {
  const url = await serveFeed(shop, options);
  const first = await timed(async () =>
    untilCompleted(feeds, (await readFeed(await feeds.postJson({ url }))).run),
  );
  const { feedId } = first.run;
  const requestsBefore = shop.requests.length;
  const second = await timed(async () =>
    untilCompleted(feeds, await readRun(await feeds.ask('POST', `/feeds/${feedId}/runs`))),
  );
  const { changed, unchanged } = second.run.counts;
  return {
    rows: options.rows,
    'first import s': round(first.seconds),
    'unchanged re-import s': round(second.seconds),
    're-import: images changed': changed ?? Number.NaN,
    're-import: images unchanged': unchanged ?? Number.NaN,
    're-import: requests to the shop': shop.requests.length - requestsBefore,
  };
}

/** Serves a feed of which several rows have one photo; `first` is the number of its first one. */
async function servePhotos(shop: FeedServer, rows: number, photos: number, first: number) {
  const links: string[] = [];
  // Every other number: both feeds have photos of about the same size.
  for (let i = 0; i < photos; i++) {
    const number = first + 2 * i;
    links.push(await shop.putImage(`/photo-${number}.jpg`, number));
  }
  const lines = Array.from({ length: rows }, (_, i) => `sku-${i},Shirt,${links[i % photos]}`);
  const body = `id,title,image_link\n${lines.join('\n')}\n`;
  return shop.put(`/rows-${rows}.csv`, { body, type: 'text/csv' });
}

/** Images that went through an engine so far. */
async function engineTasks(workerPort: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text();
  return Number(/^selvage_engine_wait_seconds_count (\d+)/m.exec(metrics)?.[1]);
}

/** The work for a feed whose rows share photos, beside that for a feed with a row a photo. */
async function comparePhotos(feeds: FeedClient, shop: FeedServer, options: Options, stack: Stack) {
  const { rows, photos, operation } = options;
  const figures: Record<string, number> = { rows, photos };
  const pids = [stack.gateway, stack.worker, stack.redis.process()].flatMap(({ pid }) =>
    treeOf(pid),
  );
  for (const [first, count] of [photos, rows].entries()) {
    const url = await servePhotos(shop, count, photos, first);
    const before = { fetches: shop.requests.length, tasks: await engineTasks(WORKER_PORT) };
    const { result, cpuMillis } = await withCpuMillis(pids, () =>
      timed(async () => {
        const feed = await readFeed(await feeds.postJson({ url, operations: [operation] }));
        return untilCompleted(feeds, feed.run);
      }),
    );
    const { run, seconds } = result;
    Object.assign(figures, {
      [`${count} rows: s`]: round(seconds),
      [`${count} rows: CPU s`]: round(cpuMillis / 1000),
      [`${count} rows: engine tasks`]: (await engineTasks(WORKER_PORT)) - before.tasks,
      [`${count} rows: fetches`]: shop.requests.length - before.fetches - 1,
      [`${count} rows: units`]: run.counts.units ?? Number.NaN,
    });
  }
  return figures;
}

/** How long it takes to count what a feed would do. */
async function measureDryRun(feeds: FeedClient, shop: FeedServer, { rows }: Options) {
  const lines = Array.from(
    { length: rows },
    (_, i) => `sku-${i},Shirt no. ${i},${shop.origin}/${i}.jpg`,
  );
  const body = `id,title,image_link\n${lines.join('\n')}\n`;
  const { seconds } = await timed(async () => {
    const feed = await readFeed(await feeds.send('/feeds?dryRun=true', body));
    return untilCompleted(feeds, feed.run);
  });
  return { rows, 'dry run s': round(seconds), fetches: shop.requests.length };
}

/** Loopback addresses that each are a host of images. */
const HOSTS = Array.from({ length: 50 }, (_, i) => `127.0.0.${i + 10}`);

/** How long a feed over fifty hosts takes, and one of the same size of which one host never answers. */
async function measureDeadHost(feeds: FeedClient, shop: FeedServer, { rows }: Options) {
  let isDead = false;
  const answer: RequestListener = async ({ headers, url }, response) => {
    if (isDead && headers.host?.startsWith(`${HOSTS[0]}:`)) return;
    const body = await pictureOf(Number(/\d+/.exec(url ?? '')?.[0]));
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(body);
  };
  const servers = HOSTS.map((host) => createServer(answer).listen(0, host));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const origins = servers.map((server, i) => {
    const { port } = server.address() as AddressInfo;
    return `http://${HOSTS[i]}:${port}`;
  });
  const figures: Record<string, number> = { rows, hosts: HOSTS.length };
  for (const [name, first] of [
    ['all answer', 0],
    ['one never answers', 1],
  ] as const) {
    isDead = first === 1;
    const lines = Array.from(
      { length: rows },
      (_, i) => `sku-${i},Shirt,${origins[i % HOSTS.length]}/${first + 2 * i}.jpg`,
    );
    const body = `id,title,image_link\n${lines.join('\n')}\n`;
    const url = shop.put(`/${first}.csv`, { body, type: 'text/csv' });
    const { run, seconds } = await timed(async () =>
      untilCompleted(feeds, (await readFeed(await feeds.postJson({ url }))).run),
    );
    figures[`${name}: s`] = round(seconds);
    figures[`${name}: pictures`] = run.counts.succeeded ?? Number.NaN;
  }
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  return figures;
}

/** Prints the duration of a feed's first import and of a second one without changes. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench feed')
    .option('--rows <n>', 'products', Number, 10_000)
    .option('--pictures <n>', 'images that the products share', Number, 100)
    .option(
      '--photos <n>',
      'compare rows that share this many photos with a row a photo',
      Number,
      0,
    )
    .option('--operation <name>', 'with --photos: what is done', 'remove-background')
    .option('--dry-run', 'only count', false)
    .option('--dead-host', 'images on fifty hosts, of which one never answers', false)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const shop = await startFeedServer();
  const env = {
    WORKER_PORT: String(WORKER_PORT),
    WORKER_CONCURRENCY: '2',
    FETCH_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'info',
  };
  const stack = await startStack(env);
  try {
    const ways = [
      [options.dryRun, measureDryRun],
      [options.deadHost, measureDeadHost],
      [options.photos > 0, comparePhotos],
    ] as const;
    const work = ways.find(([isAsked]) => isAsked)?.[1] ?? measure;
    const figures = await work(feedClient(stack, (await stack.key()).key), shop, options, stack);
    printFigures(figures, options.json);
  } finally {
    await stack.stop();
    await shop.close();
  }
}
