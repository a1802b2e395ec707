import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { feedClient, readFeed } from '../test/support/feed-client.ts';
import { type FeedServer, startFeedServer } from '../test/support/feed-server.ts';
import { startS3Stack } from '../test/support/s3-stack.ts';
import { testS3 } from '../test/support/services.ts';
import { type Stack, startStack } from '../test/support/stack.ts';
import { untilCompleted } from './feed.ts';
import { printFigures } from './print-figures.ts';
import { quantile } from './statistics.ts';

const SETTINGS = { FETCH_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'info' };

/** Exports a feed of one product, and returns the link to its picture. */
async function publish(stack: Stack, shop: FeedServer): Promise<string> {
  const feeds = feedClient(stack, (await stack.key()).key);
  const body = `id,title,image_link\nsku-1,Shirt,${await shop.putImage('/1.jpg', 1)}`;
  const { id, run } = await readFeed(await feeds.send('/feeds?background=white', body));
  await untilCompleted(feeds, run);
  const text = await (await feeds.ask('GET', `/feeds/${id}/export`)).text();
  return text.trim().split(',').at(-1) ?? '';
}

async function timed(link: string, method: string): Promise<{ millis: number; sha256: string }> {
  const startedAt = performance.now();
  const response = await fetch(link, { method, redirect: 'manual' });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { millis: performance.now() - startedAt, sha256 };
}

/** Prints how long a published link takes on S3 and on a file store, asked by turns. */
export async function run(argv: string[]): Promise<void> {
  const { requests, json } = new Command('bench links')
    .option('--requests <n>', 'requests of each kind', Number, 500)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<{ requests: number; json: boolean }>();
  const s3 = await testS3();
  if (typeof s3 === 'string') throw new Error(s3);
  const shop = await startFeedServer();
  const stacks = [await startStack(SETTINGS), await startS3Stack(s3, SETTINGS)];
  try {
    const links = await Promise.all(stacks.map((stack) => publish(stack, shop)));
    const figures: Record<string, number> = {};
    for (const method of ['GET', 'HEAD']) {
      const millis: number[][] = [[], []];
      for (let i = 0; i < requests; i++) {
        const [file, object] = [await timed(links[0]!, method), await timed(links[1]!, method)];
        if (file.sha256 !== object.sha256) throw new Error('the stores send different bytes');
        millis[0]!.push(file.millis);
        millis[1]!.push(object.millis);
      }
      const [file = 0, object = 0] = millis.map((all) => quantile(all, 0.5));
      figures[`${method} p50 ms, files`] = Number(file.toFixed(2));
      figures[`${method} p50 ms, S3`] = Number(object.toFixed(2));
      figures[`${method} S3 / files`] = Number((object / file).toFixed(2));
    }
    printFigures(figures, json);
  } finally {
    await Promise.all([...stacks.map((stack) => stack.stop()), shop.close(), s3.stop()]);
  }
}
