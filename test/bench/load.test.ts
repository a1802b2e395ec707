import { createServer } from 'node:http';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowedWaitMillis, loadFigures, retryAfterAccuracy } from '../../bench/load/figures.ts';
import { growthOf } from '../../bench/load/memory.ts';
import { openLoop, type Sent } from '../../bench/load/open-loop.ts';
import { arrivals } from '../../bench/load/schedule.ts';
import { withComment } from '../../bench/load/target.ts';
import { createRandom } from '../faults/random.ts';
import { listen } from '../support/free-port.ts';
import { drawnShirt } from '../support/images.ts';

describe('the schedule', () => {
  test('is a Poisson process of the requested rate, the same for the same seed', () => {
    const times = arrivals(20, 500, createRandom(7));
    expect(times).toEqual(arrivals(20, 500, createRandom(7)));
    expect(times).not.toEqual(arrivals(20, 500, createRandom(8)));
    expect(times.length / 500).toBeCloseTo(20, 0);
    expect(times.at(-1)).toBeLessThan(500_000);
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    const mean = gaps.reduce((a, b) => a + b) / gaps.length;
    const variance = gaps.reduce((all, gap) => all + (gap - mean) ** 2, 0) / gaps.length;
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1); // the standard deviation of its gaps equals their mean
  });
});

describe('an open loop', () => {
  const pending: (() => void)[] = [];
  const server = createServer((_request, response) => {
    pending.push(() => response.end());
    if (pending.length === 3) for (const respond of pending.splice(0)) respond();
  });
  let url = '';
  beforeAll(async () => {
    url = `http://127.0.0.1:${await listen(server)}`;
  });
  afterAll(() => server.close());
  const send = async () => ({ status: (await fetch(url)).status });

  test('does not wait for a response before it sends the next request', async () => {
    const { responses } = await openLoop([0, 40, 200], send); // the server responds when the third request arrives
    const sent = await responses;
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(sent[0]?.latency).toBeGreaterThan(195);
    expect(sent[1]?.latency).toBeGreaterThan(155);
  });

  test('keeps its schedule, and measures latency from it even if it is late', async () => {
    const blocking = async () => {
      const until = performance.now() + 100;
      while (performance.now() < until); // like a generator that is too slow
      return { status: 200 };
    };
    const { responses } = await openLoop([0, 10, 20, 500], blocking);
    const sent = await responses;
    expect(sent.map(({ intendedAt }) => intendedAt)).toEqual([0, 10, 20, 500]);
    expect(Math.min(...sent.map(({ lag }) => lag))).toBeGreaterThanOrEqual(-1.1); // never early
    expect(sent[1]?.lag).toBeGreaterThan(85);
    expect(sent[2]?.lag).toBeGreaterThan(175);
    expect(sent[2]?.latency).toBeGreaterThan(275);
  });
});

test('an image with a comment has different bytes and the same pixels', async () => {
  const jpeg = await drawnShirt({ width: 64, height: 48, format: 'jpeg' });
  const other = withComment(jpeg, 'two');
  expect(other.equals(jpeg)).toBe(false);
  const raw = (image: Buffer) => sharp(image).raw().toBuffer();
  expect((await raw(other)).equals(await raw(jpeg))).toBe(true);
});

describe('figures', () => {
  const sent = (status: number, latency: number, retryAfter?: string): Sent => ({
    status,
    latency,
    intendedAt: 0,
    lag: 0,
    ...(retryAfter !== undefined && { retryAfter }),
  });

  test('separate admitted requests from rejected ones', () => {
    const served = Array.from({ length: 100 }, (_, n) => sent(200, n + 1));
    const rejected = [sent(503, 9000, '1'), sent(503, 2, '0'), sent(503, 2, '1.5'), sent(503, 2)];
    expect(loadFigures([...served, ...rejected, sent(0, 1)])).toMatchObject({
      sent: 105,
      statuses: { 200: 100, 503: 4, 0: 1 },
      p50: 51,
      p99: 100,
      max: 100,
      properRejections: 1,
      rejectedIn: 9000,
    });
  });

  test('count the returning clients that were served', () => {
    expect(retryAfterAccuracy([])).toBeUndefined();
    expect(
      retryAfterAccuracy([200, 200, 503, 0].map((status) => ({ retryAfterSeconds: 1, status }))),
    ).toBe(0.5);
  });

  test('derive the allowed wait from load shedding: three images a slot, and a second or six images', () => {
    expect(allowedWaitMillis(20, 2, 25_000)).toBeCloseTo(300 + 1000, 6);
    expect(allowedWaitMillis(2, 2, 25_000)).toBeCloseTo(3000 + 3000, 6);
    expect(allowedWaitMillis(0.1, 1, 25_000)).toBe(25_000);
  });

  test('of memory growth leave out the first fifth', () => {
    expect(growthOf([1, 1, 5, 5, 9, 9, 9, 9, 7, 7])).toEqual({ earlyBytes: 5, lateBytes: 7 });
  });
});
