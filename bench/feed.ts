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
import { type FeedServer, startFeedServer } from '../test/support/feed-server.ts';
import { startStack } from '../test/support/stack.ts';

interface Options {
  rows: number;
  pictures: number;
  json: boolean;
}

const round = (value: number): number => Number(value.toFixed(1));

async function ended(feeds: FeedClient, run: Pick<Run, 'feedId' | 'id'>): Promise<Run> {
  for (;;) {
    const now = await readRun(await feeds.ask('GET', feeds.pathOf(run)));
    if (now.status === 'completed') return now;
    if (now.problem) throw new Error(now.problem.detail);
    await sleep(100);
  }
}

/** A feed of so many products with a link each; products share pictures, as sizes of a shirt do. */
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
    ended(feeds, (await readFeed(await feeds.postJson({ url }))).run),
  );
  const { feedId } = first.run;
  const asked = shop.requests.length;
  const second = await timed(async () =>
    ended(feeds, await readRun(await feeds.ask('POST', `/feeds/${feedId}/runs`))),
  );
  const { changed, unchanged } = second.run.counts;
  return {
    rows: options.rows,
    'first import s': round(first.seconds),
    'unchanged re-import s': round(second.seconds),
    'its images changed': changed ?? Number.NaN,
    'its images unchanged': unchanged ?? Number.NaN,
    'its requests to the shop': shop.requests.length - asked,
  };
}

/** Prints how long a feed takes that was imported before and has not changed. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench feed')
    .option('--rows <n>', 'products', Number, 10_000)
    .option('--pictures <n>', 'that they share', Number, 100)
    .option('--json', 'answer in JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const shop = await startFeedServer();
  const env = { WORKER_CONCURRENCY: '2', FETCH_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'info' };
  const stack = await startStack(env);
  try {
    const figures = await measure(feedClient(stack, (await stack.key()).key), shop, options);
    const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(28)} ${value}`);
    console.log(options.json ? JSON.stringify(figures) : lines.join('\n'));
  } finally {
    await stack.stop();
    await shop.close();
  }
}
