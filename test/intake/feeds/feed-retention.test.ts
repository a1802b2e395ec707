import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchPrefix } from '../../../src/intake/batches/batch-files.ts';
import { feedKeys, feedPrefix } from '../../../src/intake/feeds/feed-keys.ts';
import { eraseFeed, expireRun, finishRun } from '../../../src/intake/feeds/feed-retention.ts';
import { scheduledRunId } from '../../../src/intake/feeds/runs.ts';
import { startFeedRun } from '../../../workers/feeds/start-run.ts';
import { type Came, type FeedBench, startFeedBench } from '../../support/feed-runs.ts';

let bench: FeedBench;
beforeAll(async () => {
  bench = await startFeedBench();
});
afterAll(() => bench.stop());

const CLIENT = 'shop';
const NEVER = new AbortController().signal;
const header = 'id,image_link\n';

const keysUnder = async (prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of bench.blobs.list(prefix)) keys.push(key);
  return keys.sort();
};
const pictureKey = (feedId: string) => (picture: number) =>
  `${feedKeys(CLIENT, feedId).images}${picture}.png`;

/** One whole run of a feed that was sent, with these products and what came of their images. */
async function runOf(feedId: string, came: Readonly<Record<string, Came>>): Promise<string> {
  const runId = await bench.start(feedId);
  const rows = Object.keys(came).map((id) => `${id},https://x.example/${id}.jpg\n`);
  const source = feedKeys(CLIENT, feedId).source(runId);
  await bench.blobs.put(source, Buffer.from(header + rows.join('')), { mediaType: 'text/csv' });
  await bench.read(feedId, runId);
  const run = await bench.work(runId, ({ customId }) => came[customId]!, pictureKey(feedId));
  expect(run.status).toBe('finalizing');
  await finishRun(bench, run);
  await bench.batches.move(runId, {
    ...{ from: ['finalizing'], to: 'completed', fields: {}, dueAtMillis: Date.now() + 1e6 },
  });
  return runId;
}

describe('a run that completes', () => {
  test('deletes the images that it has no use for, and no other', async () => {
    const { id } = await bench.feed({});
    const key = pictureKey(id);
    await runOf(id, { a: { picture: 1 }, b: { picture: 2 }, c: { failed: 'no' } });
    const { images } = feedKeys(CLIENT, id);
    expect(await keysUnder(images)).toEqual([key(1), key(2)]);
    await bench.blobs.put(key(9), Buffer.from('of a run that was called off'));
    const last = await runOf(id, { b: { picture: 2, unchanged: true }, d: { picture: 3 } });
    expect(await keysUnder(images)).toEqual([key(2), key(3)]);
    expect((await bench.known(id)).lastCompletedRunId).toBe(last);
  });

  test('may be finished again, which changes nothing', async () => {
    const { id } = await bench.feed({});
    const runId = await runOf(id, { a: { picture: 1 } });
    const before = await bench.known(id);
    await finishRun(bench, await bench.run(runId));
    expect(await bench.known(id)).toEqual(before);
    expect(await keysUnder(feedKeys(CLIENT, id).images)).toHaveLength(1);
  });

  test('leaves the last ten, and forgets older ones with all they had', async () => {
    const { id } = await bench.feed({});
    const runs: string[] = [];
    for (let i = 0; i < 12; i++) runs.unshift(await runOf(id, { a: { picture: i } }));
    const feed = await bench.known(id);
    expect(feed.runs).toEqual(runs.slice(0, 10));
    for (const old of runs.slice(10)) {
      expect(await bench.batches.get(old)).toBeUndefined();
      expect(await keysUnder(batchPrefix(CLIENT, old))).toEqual([]);
      expect(await bench.blobs.head(feedKeys(CLIENT, id).source(old))).toBeUndefined();
      expect(await bench.redis.keys(`*${old}*`)).toEqual([expect.stringMatching(/:feed:/)]);
    }
    expect(await bench.outcomes(runs[9] ?? '')).toHaveLength(1);
  });
});

describe('a run whose time has passed', () => {
  const end = (id: string) =>
    bench.batches.move(id, {
      ...{ from: ['open', 'completed'], to: 'expired', fields: {}, dueAtMillis: Date.now() + 1e6 },
    });
  const expire = async (id: string) => {
    await end(id);
    await expireRun(bench, await bench.run(id));
  };

  test('takes its document along, and the images where it is the last', async () => {
    const { id } = await bench.feed({});
    const { images, source } = feedKeys(CLIENT, id);
    const first = await runOf(id, { a: { picture: 1 } });
    const second = await runOf(id, { a: { picture: 1 }, b: { picture: 2 } });
    await expire(first);
    expect(await bench.blobs.head(source(first))).toBeUndefined();
    expect(await keysUnder(images)).toHaveLength(2);
    await expire(second);
    expect(await bench.blobs.head(source(second))).toBeUndefined();
    expect(await keysUnder(images)).toEqual([]);
  });

  test('leaves the images to one that is under way, which takes them along when it fails', async () => {
    const { id } = await bench.feed({});
    const { images } = feedKeys(CLIENT, id);
    const first = await runOf(id, { a: { picture: 1 } });
    const second = await bench.start(id);
    await expire(first);
    expect(await keysUnder(images)).toHaveLength(1);
    await expire(second);
    expect(await keysUnder(images)).toEqual([]);
  });
});

describe('a feed that is erased', () => {
  test('goes with everything, also where the first try was cut off', async () => {
    const { id } = await bench.feed({ schedule: '0 3 * * *' });
    const runId = await runOf(id, { a: { picture: 1 }, b: { picture: 2 } });
    const open = await bench.start(id);
    const broken = {
      ...bench,
      store: { ...bench.store, deleteFeed: () => Promise.reject(new Error('no store')) },
    };
    await expect(eraseFeed(broken, await bench.known(id), Date.now())).rejects.toThrow('no store');
    expect((await bench.known(id)).erasure).toEqual({ erasedAt: expect.any(String) });

    const receipt = await eraseFeed(bench, await bench.known(id), Date.now());
    expect(receipt.blobs).toBeGreaterThanOrEqual(2);
    expect(await eraseFeed(bench, await bench.known(id), Date.now() + 9)).toEqual(receipt);
    expect(await keysUnder(feedPrefix(CLIENT, id))).toEqual([]);
    for (const run of [runId, open]) {
      expect(await keysUnder(batchPrefix(CLIENT, run))).toEqual([]);
      expect(await bench.batches.get(run)).toBeUndefined();
    }
    expect((await bench.feeds.ofClient(CLIENT, 1000)).map((feed) => feed.id)).not.toContain(id);
  });

  test('starts no run any more', async () => {
    const feed = await bench.feed({});
    await eraseFeed(bench, feed, Date.now());
    expect(await bench.runs.start(feed, 'run_1', 'r')).toBe(false);
    expect(await bench.batches.get('run_1')).toBeUndefined();
    await startFeedRun(bench)({ feedId: feed.id, requestId: 'r' }, NEVER, true, 'job');
    expect((await bench.known(feed.id)).runs).toEqual([]);
  });
});

describe('a run that is started', () => {
  test('by many at once is one', async () => {
    const feed = await bench.feed({});
    const starts = ['run_a', 'run_b', 'run_c', 'run_d'].map((id) =>
      bench.runs.start(feed, id, 'r'),
    );
    const won = await Promise.all(starts);
    expect(won.filter(Boolean)).toHaveLength(1);
    const { runs } = await bench.known(feed.id);
    expect(runs).toHaveLength(1);
    const jobs = (await bench.jobs()).filter(({ data }) => data.feedId === feed.id);
    expect(jobs.map((job) => job.id)).toEqual(runs);
  });

  test('by its schedule is the same one when the job is tried again', async () => {
    const feed = await bench.feed({});
    const start = startFeedRun(bench);
    const data = { feedId: feed.id, requestId: 'r' };
    await start(data, NEVER, false, 'repeat:feed:1');
    await start(data, NEVER, false, 'repeat:feed:1');
    const runId = scheduledRunId('repeat:feed:1');
    expect((await bench.known(feed.id)).runs).toEqual([runId]);
    await start(data, NEVER, false, 'repeat:feed:2');
    expect((await bench.known(feed.id)).runs).toEqual([runId]);

    await bench.batches.move(runId, {
      ...{ from: ['open'], to: 'failed', fields: {}, dueAtMillis: Date.now() + 1e6 },
    });
    await start(data, NEVER, false, 'repeat:feed:1');
    expect((await bench.known(feed.id)).runs).toEqual([runId]);
    await start(data, NEVER, false, 'repeat:feed:3');
    expect((await bench.known(feed.id)).runs).toEqual([scheduledRunId('repeat:feed:3'), runId]);
  });

  test('and whose reading was lost is read when the next one is asked for', async () => {
    const feed = await bench.feed({});
    const runId = await bench.start(feed.id);
    await (await bench.queue.getJob(runId))?.remove();
    await expect(bench.start(feed.id)).rejects.toThrow('under way');
    expect(await bench.queue.getJob(runId)).toBeDefined();
  });
});
