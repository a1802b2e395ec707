import { describe, expect, test } from 'vitest';
import { batchPrefix } from '../../../src/intake/batches/batch-files.ts';
import { feedKeys, feedPrefix } from '../../../src/intake/feeds/feed-keys.ts';
import { eraseFeed, expireRun, finishRun } from '../../../src/intake/feeds/feed-retention.ts';
import { FeedRuns, scheduledRunId } from '../../../src/intake/feeds/runs.ts';
import type { Blobs } from '../../../src/storage/blobs.ts';
import { startFeedRun } from '../../../workers/feeds/run-stages.ts';
import { attemptOf } from '../../support/attempts.ts';
import { type FinishedRow, useFeedBench } from '../../support/feed-runs.ts';

const bench = await useFeedBench();

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

type Move = Parameters<typeof bench.batches.move>[1];
const move = (id: string, from: Move['from'], to: Move['to']) =>
  bench.batches.move(id, { from, to, fields: {}, dueAtMillis: Date.now() + 1e6 });

/** Runs an uploaded feed from start to end, with these products and outcomes of their images. */
async function runOf(
  feedId: string,
  came: Readonly<Record<string, FinishedRow>>,
  now = bench.now,
): Promise<string> {
  const runId = await bench.start(feedId);
  const rows = Object.keys(came).map((id) => `${id},https://x.example/${id}.jpg\n`);
  const source = feedKeys(CLIENT, feedId).source(runId);
  await bench.blobs.put(source, Buffer.from(header + rows.join('')), { mediaType: 'text/csv' });
  await bench.read(feedId, runId);
  const run = await bench.work(runId, ({ customId }) => came[customId]!, pictureKey(feedId));
  expect(run.status).toBe('finalizing');
  await finishRun({ ...bench, now }, run);
  await move(runId, ['finalizing'], 'completed');
  return runId;
}

describe('a run that completes', () => {
  test('keeps the images that it does not use for the time of grace', async () => {
    const { id } = await bench.feed({ outputSeconds: 30 * 86_400 });
    const afterDays = (days: number) => () => Date.now() + days * 86_400_000;
    const key = pictureKey(id);
    await runOf(id, { a: { picture: 1 }, b: { picture: 2 }, c: { failed: 'no' } });
    const { images } = feedKeys(CLIENT, id);
    expect(await keysUnder(images)).toEqual([key(1), key(2)]);
    await bench.blobs.put(key(9), Buffer.from('of a canceled run'));
    const next = { b: { picture: 2, unchanged: true }, d: { picture: 3 } };
    await runOf(id, next);
    expect(await keysUnder(images)).toEqual([key(1), key(2), key(3), key(9)]);
    await runOf(id, next, afterDays(13));
    expect(await keysUnder(images)).toEqual([key(1), key(2), key(3), key(9)]);
    const last = await runOf(id, next, afterDays(15));
    expect(await keysUnder(images)).toEqual([key(2), key(3)]);
    expect((await bench.known(id)).lastCompletedRunId).toBe(last);
  });

  test('knows a row that was left out when it is back', async () => {
    const { id } = await bench.feed({});
    await runOf(id, { a: { picture: 1 }, b: { picture: 2 }, c: { picture: 3 } });
    await runOf(id, { b: { picture: 2, unchanged: true }, c: { picture: 4 } });
    const back = await runOf(id, { A: { picture: 1 }, b: { picture: 2 }, c: { picture: 4 } });
    const rows = (await bench.rows(back)) as { earlier?: { etag?: string } }[];
    expect(rows.map(({ earlier }) => earlier?.etag)).toEqual(['"1"', '"2"', '"4"']);
  });

  test('may be finished again without effect', async () => {
    const { id } = await bench.feed({});
    const runId = await runOf(id, { a: { picture: 1 } });
    const before = await bench.known(id);
    await finishRun(bench, await bench.run(runId));
    expect(await bench.known(id)).toEqual(before);
    expect(await keysUnder(feedKeys(CLIENT, id).images)).toHaveLength(1);
  });

  test('retains the last ten runs, and removes older ones with all their blobs', async () => {
    const { id } = await bench.feed({});
    const runs: string[] = [];
    for (let i = 0; i < 12; i++) runs.unshift(await runOf(id, { a: { picture: i } }));
    const feed = await bench.known(id);
    expect(feed.runs).toEqual(runs.slice(0, 10));
    for (const old of runs.slice(10)) {
      expect(await bench.batches.get(old)).toBeUndefined();
      expect(await keysUnder(batchPrefix({ client: CLIENT, id: old }))).toEqual([]);
      expect(await bench.blobs.head(feedKeys(CLIENT, id).source(old))).toBeUndefined();
      expect(await bench.redis.keys(`*${old}*`)).toEqual([expect.stringMatching(/:feed:/)]);
    }
    expect(await bench.outcomes(runs[9] ?? '')).toHaveLength(1);
  });
});

describe('an expired run', () => {
  const expire = async (id: string) => {
    await move(id, ['open', 'completed'], 'expired');
    await expireRun(bench, await bench.run(id));
  };

  test('loses its document, and as the last one the images', async () => {
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

  test('leaves the images to a run under way, which deletes them when it expires', async () => {
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

describe('an erased feed', () => {
  test('loses everything, even if the first attempt was interrupted', async () => {
    const { id } = await bench.feed({ schedule: '0 3 * * *' });
    const runId = await runOf(id, { a: { picture: 1 }, b: { picture: 2 } });
    const open = await bench.start(id);
    const blobs: Blobs = {
      ...bench.blobs,
      deleteAll: (prefix) =>
        prefix === feedPrefix(CLIENT, id)
          ? Promise.reject(new Error('no storage'))
          : bench.blobs.deleteAll(prefix),
    };
    const broken = { ...bench, blobs };
    await expect(eraseFeed(broken, bench.queue, await bench.known(id), Date.now())).rejects.toThrow(
      'no storage',
    );
    expect((await bench.known(id)).erasure).toEqual({ erasedAt: expect.any(String) });

    const receipt = await eraseFeed(bench, bench.queue, await bench.known(id), Date.now());
    expect(receipt.blobs).toBeGreaterThanOrEqual(2);
    expect(await eraseFeed(bench, bench.queue, await bench.known(id), Date.now() + 9)).toEqual(
      receipt,
    );
    expect(await keysUnder(feedPrefix(CLIENT, id))).toEqual([]);
    for (const run of [runId, open]) {
      expect(await keysUnder(batchPrefix({ client: CLIENT, id: run }))).toEqual([]);
      expect(await bench.batches.get(run)).toBeUndefined();
    }
    expect((await bench.feeds.list(CLIENT, 1000)).map((feed) => feed.id)).not.toContain(id);
  });

  test('starts no more runs', async () => {
    const feed = await bench.feed({});
    await eraseFeed(bench, bench.queue, feed, Date.now());
    expect(await bench.runs.start(feed, 'run_1', 'r')).toBe(false);
    expect(await bench.batches.get('run_1')).toBeUndefined();
    await startFeedRun(bench)({ feedId: feed.id, requestId: 'r' }, NEVER, attemptOf());
    expect((await bench.known(feed.id)).runs).toEqual([]);
  });
});

describe('a run', () => {
  test('that is started by many processes at once is started once', async () => {
    const feed = await bench.feed({});
    const ids = ['run_a', 'run_b', 'run_c', 'run_d'];
    const won = await Promise.all(ids.map((id) => bench.runs.start(feed, id, 'r')));
    expect(won.filter(Boolean)).toHaveLength(1);
    const { runs } = await bench.known(feed.id);
    expect(runs).toHaveLength(1);
    const jobs = (await bench.jobs()).filter(({ data }) => data.feedId === feed.id);
    expect(jobs.map((job) => job.id)).toEqual(runs);
  });

  test('is created and expires by the given clock, not by that of the host', async () => {
    const nowMillis = Date.parse('2031-05-06T12:00:00.000Z');
    const runs = new FeedRuns({ ...bench, now: () => nowMillis });
    const feed = await bench.feed({});
    expect(await runs.start(feed, 'run_clock', 'r')).toBe(true);
    expect(await bench.run('run_clock')).toMatchObject({
      createdAt: '2031-05-06T12:00:00.000Z',
      expiresAt: '2031-05-07T12:00:00.000Z',
    });
  });

  test('that is started by a schedule is the same one when the job is retried', async () => {
    const feed = await bench.feed({});
    const start = startFeedRun(bench);
    const data = { feedId: feed.id, requestId: 'r' };
    await start(data, NEVER, attemptOf({ jobId: 'repeat:feed:1000000' }));
    await start(data, NEVER, attemptOf({ jobId: 'repeat:feed:1000000' }));
    const runId = scheduledRunId('repeat:feed:1000000');
    expect((await bench.known(feed.id)).runs).toEqual([runId]);
    await start(data, NEVER, attemptOf({ jobId: 'repeat:feed:2000000' }));
    expect((await bench.known(feed.id)).runs).toEqual([runId]);

    await move(runId, ['open'], 'failed');
    await start(data, NEVER, attemptOf({ jobId: 'repeat:feed:1000000' }));
    expect((await bench.known(feed.id)).runs).toEqual([runId]);
    await start(data, NEVER, attemptOf({ jobId: 'repeat:feed:3000000' }));
    const later = scheduledRunId('repeat:feed:3000000');
    expect((await bench.known(feed.id)).runs).toEqual([later, runId]);
  });

  test('whose ingestion was lost is queued again when the next one is requested', async () => {
    const feed = await bench.feed({});
    const runId = await bench.start(feed.id);
    await (await bench.queue.getJob(runId))?.remove();
    await expect(bench.start(feed.id)).rejects.toThrow('under way');
    expect(await bench.queue.getJob(runId)).toBeDefined();
  });
});
