import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { FeedDownloads } from '../../../../src/api/intake/feeds/downloads.ts';
import type { Reply } from '../../../../src/http/route.ts';
import { feedKeys } from '../../../../src/intake/feeds/feed-keys.ts';
import { LearnedCategories } from '../../../../src/intake/learned-categories.ts';
import { ReviewDecisions } from '../../../../src/intake/review/decisions.ts';
import { hostClock } from '../../../../src/platform/clock.ts';
import { fileLinks } from '../../../../src/storage/file-links.ts';
import { useFeedBench } from '../../../support/feed-runs.ts';

const CALL = {
  baseUrl: 'https://selvage.example',
  headers: {},
  signal: new AbortController().signal,
};
const LIMITED = {
  type: 'rate-limit-exceeded',
  detail: 'A client may download 2 reports or exports of feeds at a time',
  headers: { 'retry-after': '2' },
};

const bench = await useFeedBench();

/** The last completed run of a new feed. */
async function completedRun(client: string) {
  const { batches, blobs, feeds } = bench;
  const { id } = await bench.feed({ client });
  const runId = await bench.start(id);
  const source = Buffer.from('id,title,image_link\na,Coat,https://shop.example/a.jpg\n');
  await blobs.put(feedKeys(client, id).source(runId), source, { mediaType: 'text/csv' });
  const dueAtMillis = Date.now();
  await batches.move(runId, { from: ['open'], to: 'completed', fields: {}, dueAtMillis });
  await feeds.update(id, { lastCompletedRunId: runId });
  return { feed: await bench.known(id), run: await bench.run(runId) };
}

const bodyOf = ({ body }: Reply): Readable => {
  if (body instanceof Readable) return body;
  throw new Error('the response has no stream');
};

function openDownloads() {
  const links = fileLinks(Buffer.alloc(32, 'of the test'));
  const reviews = new ReviewDecisions(bench.redis);
  const learnedCategories = new LearnedCategories(bench.redis, bench.blobs, hostClock);
  return new FeedDownloads({ ...bench, links, reviews, learnedCategories });
}

test('a client has two reports or exports open at a time; others are not affected', async () => {
  const downloads = openDownloads();
  const run = await completedRun('shop');
  const report = bodyOf(await downloads.report(run, CALL));
  const exported = bodyOf(await downloads.export(run, CALL));
  await expect(downloads.report(run, CALL)).rejects.toMatchObject(LIMITED);
  await expect(downloads.export(run, CALL)).rejects.toMatchObject(LIMITED);
  bodyOf(await downloads.report(await completedRun('other'), CALL)).destroy();

  expect(await exported.toArray()).not.toEqual([]); // read to its end
  const next = bodyOf(await downloads.report(run, CALL));
  await expect(downloads.report(run, CALL)).rejects.toMatchObject(LIMITED);
  report.destroy(); // the client disconnects
  await once(report, 'close');
  bodyOf(await downloads.export(run, CALL)).destroy();
  next.destroy();
});

test('a download that fails does not count', async () => {
  const downloads = openDownloads();
  const run = await completedRun('shop');
  await bench.blobs.delete(feedKeys('shop', run.feed.id).source(run.run.id));
  for (let i = 0; i < 3; i++)
    await expect(downloads.export(run, CALL)).rejects.toMatchObject({ type: 'gone' });
});
