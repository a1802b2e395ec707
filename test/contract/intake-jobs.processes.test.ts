import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Grant } from '../../src/auth/key-record.ts';
import { createLog } from '../../src/platform/log.ts';
import { PROBLEMS, type ProblemType } from '../../src/platform/problem.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import { expectProblem, keyClient, postBase64, postImage } from '../support/client.ts';
import { drawnShirt, drawnShirtOnWood } from '../support/images.ts';
import { inferenceChildren, signalAll, whileFrozen } from '../support/inference.ts';
import { type IntakeClient, intakeClient, Job, readJob } from '../support/intake.ts';
import { plantServer, serve } from '../support/servers.ts';
import { useStack } from '../support/use-stack.ts';

const { stack, key, intake } = await useStack({
  FETCH_ALLOW: '127.0.0.0/8',
  MAX_IMAGE_BYTES: '400000',
});
const shirt = await drawnShirt({ width: 480, height: 600, format: 'jpeg' });

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** An image that no test has uploaded before. */
let images = 0;
const another = (): Promise<Buffer> => {
  images++;
  return drawnShirtOnWood({ width: 300 + images, height: 300, format: 'jpeg' });
};

/** The files of a job in storage: those with its id, or its image's hash, in their names. */
const storedOf = async (...words: string[]): Promise<string[]> =>
  (await stack.stored()).filter((file) => words.some((word) => file.includes(word)));

/** The inputs of a job in storage. */
const inputsOf = async (id: string): Promise<string[]> =>
  (await stack.stored(id)).filter((file) => file.startsWith('in/'));

const Usage = z.object({ storedBytes: z.object({ remaining: z.number() }) });
const storedBytesLeft = async (): Promise<number> =>
  Usage.parse(await (await intake.ask('GET', '/usage')).json()).storedBytes.remaining;

/** Everything Redis holds about jobs and keys, as one text. */
async function allInRedis(): Promise<string> {
  const redis = blockingConnection(stack.redis.url, createLog('test', 'silent'));
  const names = await redis.keys('*');
  const values = names.map(async (name) => {
    const type = await redis.type(name);
    if (type === 'hash') return JSON.stringify(await redis.hgetall(name));
    return type === 'string' ? ((await redis.get(name)) ?? '') : '';
  });
  const text = [...names, ...(await Promise.all(values))].join('\n');
  redis.disconnect();
  return text;
}

/** Returns the lines the worker logged about a job. */
const jobLines = (id: string): { outcome: string; steps: Record<string, number> }[] =>
  stack
    .logs()
    .split('\n')
    .filter((line) => line.includes('"msg":"job"') && line.includes(id))
    .map((line) => JSON.parse(line));

describe('a job', () => {
  test('is accepted at once, processed later, and its result is streamed', async () => {
    const image = await another();
    const response = await intake.post(image);
    expect(response.status).toBe(202);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const accepted = await readJob(response);
    expect(response.headers.get('location')).toBe(`/intake/v1/jobs/${accepted.id}`);
    expect(accepted).toMatchObject({
      status: expect.stringMatching(/queued|active/),
      operations: ['remove-background'],
      input: { sha256: sha256(image), bytes: image.length, height: 300 },
    });
    const done = await intake.until(accepted.id, 'succeeded');
    const retainedMillis = Date.parse(done.expiresAt) - Date.parse(done.finishedAt ?? '');
    expect(retainedMillis).toBe(86_400_000);
    const result = await intake.result(done.id);
    const png = Buffer.from(await result.arrayBuffer());
    expect(result.headers.get('content-type')).toBe('image/png');
    expect(result.headers.get('content-length')).toBe(String(png.length));
    expect(result.headers.get('x-model')).toMatch(/^garment-cutout@/);
    const head = await intake.ask('HEAD', `/jobs/${done.id}/result`);
    expect(head.headers.get('content-length')).toBe(String(png.length));
    expect(done.results?.cutout).toMatchObject({
      url: done.links.result,
      bytes: png.length,
      sha256: sha256(png),
      height: 300,
    });
    expect(await sharp(png).metadata()).toMatchObject({ height: 300, hasAlpha: true });
    await expect.poll(() => inputsOf(done.id)).toEqual([]);
  });

  test('returns its result as a link that needs no key, if requested', async () => {
    const { id } = await readJob(await intake.post(await another()));
    const done = await intake.until(id, 'succeeded');
    const path = `/jobs/${id}/result?delivery=redirect`;
    const response = await intake.ask('GET', path, { redirect: 'manual' });
    expect(response.status).toBe(303);
    const location = response.headers.get('location') ?? '';
    expect(location).toMatch(new RegExp(`^/intake/v1/files/${id}\\.png\\?key=out%2F`));
    const file = await fetch(`${stack.url}${location}`);
    expect(sha256(Buffer.from(await file.arrayBuffer()))).toBe(done.results?.cutout?.sha256);
    expect(file.headers.get('etag')).toBe(`"${done.results?.cutout?.sha256}"`);
    expect(
      Number(/max-age=(\d+)$/.exec(file.headers.get('cache-control') ?? '')?.[1]),
    ).toBeGreaterThan(200);
    expect(stack.logs()).not.toContain('signature=');
    await intake.erase(id);
    await expectProblem(await fetch(`${stack.url}${location}`), 'gone');
    await expectProblem(await intake.ask('GET', path), 'gone');
    const wrong = await intake.ask('GET', `/jobs/${id}/result?delivery=mail`);
    await expectProblem(wrong, 'invalid-request');
  });

  test('gives the same image as a synchronous removal', async () => {
    const { id } = await intake.done(shirt);
    const later = Buffer.from(await (await intake.result(id)).arrayBuffer());
    const atOnce = Buffer.from(await (await postImage(stack, shirt, { key })).arrayBuffer());
    expect(later.equals(atOnce)).toBe(true);
  });

  const every = { operations: ['remove-background'], retention: { outputSeconds: 60 } };
  test.each([
    ['base64', '', {}],
    ['a data URL and every field', 'data:image/jpeg;base64,', every],
  ])('accepts %s', async (_, scheme, fields) => {
    const imageBase64 = scheme + (await another()).toString('base64');
    const response = await intake.postJson({ imageBase64, ...fields });
    expect(response.status).toBe(202);
    await intake.until((await readJob(response)).id, 'succeeded');
  });

  test('accepts its fields as text next to a file', async () => {
    const fields = { operations: 'remove-background', retention: '{"outputSeconds":3600}' };
    const { id } = await readJob(await intake.post(await another(), fields));
    const done = await intake.until(id, 'succeeded');
    expect(Date.parse(done.expiresAt) - Date.parse(done.finishedAt ?? '')).toBe(3_600_000);
  });

  test('with a cached image computes nothing', async () => {
    const image = await another();
    const first = await intake.done(image);
    const second = await readJob(await intake.post(image));
    const done = await intake.until(second.id, 'succeeded');
    await expect.poll(() => jobLines(second.id)).toHaveLength(1);
    expect(jobLines(first.id)[0]?.steps).toHaveProperty('inference');
    expect(jobLines(second.id)[0]?.steps).not.toHaveProperty('inference');
    expect(done.results?.cutout?.sha256).toBe((await intake.get(first.id)).results?.cutout?.sha256);
    expect(await storedOf(sha256(image))).toHaveLength(2);
    // Inputs stay until the ends are on Redis's disk.
    for (const { id } of [first, second]) await expect.poll(() => inputsOf(id)).toEqual([]);
    // Each has its own copy: erasing one leaves the other its result.
    expect(await (await intake.erase(first.id)).json()).toMatchObject({ blobs: 1 });
    expect(await storedOf(first.id)).toEqual([]);
    expect((await intake.result(second.id)).status).toBe(200);
    expect(await (await intake.erase(second.id)).json()).toMatchObject({ blobs: 1 });
    expect(await storedOf(sha256(image))).toEqual([]);
  });

  test('of another client with the same image is computed again', async () => {
    const image = await another();
    await intake.done(image);
    const other = intakeClient(stack, (await stack.key({ client: 'other' })).key);
    const theirs = await other.done(image);
    await expect.poll(() => jobLines(theirs.id)).toHaveLength(1);
    expect(jobLines(theirs.id)[0]?.steps).toHaveProperty('inference');
  });
});

describe('a job that classifies', () => {
  const WORDS = {
    status: expect.any(String),
    modelVersion: expect.stringMatching(/^garment-class@/),
  };

  test('returns what the garment is, and no image', async () => {
    const image = await another();
    const { id } = await readJob(await intake.post(image, { operations: 'classify' }));
    const done = await intake.until(id, 'succeeded');
    expect(done.results).toEqual({ classification: expect.objectContaining(WORDS) });
    expect((await expectProblem(await intake.result(id), 'not-found')).detail).toMatch(/no image/);
    await expect.poll(() => storedOf(id, sha256(image))).toEqual([]);
  });

  test('cuts out too if both operations are requested', async () => {
    const operations = ['remove-background', 'classify', 'classify'];
    const imageBase64 = (await another()).toString('base64');
    const { id } = await readJob(await intake.postJson({ imageBase64, operations }));
    const done = await intake.until(id, 'succeeded');
    expect(done).toMatchObject({
      operations: ['classify', 'remove-background'],
      results: { classification: WORDS, cutout: { height: 300 } },
    });
    expect((await intake.result(id)).status).toBe(200);
  });

  test('needs the scopes of all its operations', async () => {
    const scopes = ['background-removal:process' as const];
    const cutter = intakeClient(stack, (await stack.key({ scopes })).key);
    const response = await cutter.post(shirt, { operations: 'remove-background,classify' });
    await expectProblem(response, 'insufficient-scope');
  });
});

describe('a job by URL', () => {
  test('fetches the image, once', async () => {
    const image = await another();
    const server = await plantServer(serve(image, { 'content-type': 'image/jpeg' }));
    const storedBefore = await storedBytesLeft();
    const response = await intake.postJson({ imageUrl: `${server.origin}/shirt.jpg?token=CANARY` });
    expect(response.status).toBe(202);
    const { id } = await readJob(response);
    const done = await intake.until(id, 'succeeded');
    expect(done).toMatchObject({ input: { sha256: sha256(image), bytes: image.length } });
    expect(server.requests).toHaveLength(1);
    const counted = storedBefore - (await storedBytesLeft());
    expect(counted).toBeGreaterThanOrEqual(image.length);
    expect(counted).toBeLessThan(image.length + 200); // the URL is stored first
    expect(stack.logs()).not.toContain('CANARY');
    const stored = await allInRedis();
    expect(stored).toContain(id);
    for (const secret of ['CANARY', key, image.subarray(200, 240).toString('base64')])
      expect(stored).not.toContain(secret);
  });

  test.each([
    ['no image', 200, '<html>Not found</html>', 'unsupported-media-type', /not JPEG/],
    ['an error', 404, 'gone', 'invalid-request', /HTTP 404/],
    ['too much', 200, 'x'.repeat(500_000), 'payload-too-large', /larger/],
  ])('that leads to %s fails with an explanation', async (_, status, body, type, words) => {
    const before = await intake.quotaLeft();
    const server = await plantServer((__, answer) => answer.writeHead(status).end(body));
    const { id } = await readJob(await intake.postJson({ imageUrl: `${server.origin}/a.jpg` }));
    const failed = await intake.until(id, 'failed');
    expect(failed.problem).toMatchObject({ type, detail: expect.stringMatching(words) });
    expect((await intake.result(id)).status).toBe(PROBLEMS[type as ProblemType].status);
    expect(await intake.quotaLeft()).toBe(before);
    await expect.poll(() => storedOf(id)).toEqual([]);
  });
});

describe('a job is rejected', () => {
  const url = { imageUrl: 'http://a.example/' };
  const kept = (outputSeconds: number) => ({ ...url, retention: { outputSeconds } });
  test.each<[what: string, body: unknown, pointer: string]>([
    ['no image', {}, '/imageBase64'],
    ['an unknown member', { ...url, size: 1 }, '/size'],
    ['a URL that is not HTTP', { imageUrl: 'ftp://a.example/' }, '/imageUrl'],
    ['an unknown operation', { ...url, operations: ['paint'] }, '/operations/0'],
    ['no operation', { ...url, operations: [] }, '/operations'],
    ['too short a retention', kept(59), '/retention/outputSeconds'],
    ['too long a retention', kept(604_801), '/retention/outputSeconds'],
    ['invalid base64', { imageBase64: '***' }, '/imageBase64'],
  ])('with %s and a pointer to it', async (_, body, pointer) => {
    const problem = await expectProblem(await intake.postJson(body), 'invalid-request');
    expect(problem).toMatchObject({ errors: [{ pointer }] });
  });

  test('with both an image and a URL', async () => {
    const response = await intake.post(shirt, url);
    await expectProblem(response, 'invalid-request');
  });

  test.each([
    ['bytes that are no image', Buffer.from('hello'), 'unsupported-media-type'],
    ['too many bytes', Buffer.alloc(500_000, 0xff), 'payload-too-large'],
  ] as const)('with %s, and costs nothing', async (_, image, type) => {
    const before = await intake.quotaLeft();
    await expectProblem(await intake.post(image), type);
    expect(await intake.quotaLeft()).toBe(before);
  });

  test('over the quota', async () => {
    const poor = intakeClient(stack, (await stack.key({ quotaPerDay: 1 })).key);
    expect((await poor.post(shirt)).status).toBe(202);
    await expectProblem(await poor.post(shirt), 'quota-exceeded');
  });
});

test('an image that cannot be decoded fails its job and costs nothing', async () => {
  const before = await intake.quotaLeft();
  const { id } = await readJob(await intake.post(shirt.subarray(0, 5000)));
  const failed = await intake.until(id, 'failed');
  expect(failed.problem).toMatchObject({ type: 'invalid-request' });
  await expectProblem(await intake.result(id), 'invalid-request');
  expect(await intake.quotaLeft()).toBe(before);
  await expect.poll(() => storedOf(id, sha256(shirt.subarray(0, 5000)))).toEqual([]);
});

describe('while a job is running', () => {
  test('its result is a conflict with Retry-After', async () => {
    const image = await another();
    const id = await whileFrozen(stack, async () => {
      const { id } = await readJob(await intake.post(image));
      const response = await intake.result(id);
      expect(response.headers.get('retry-after')).toBe('1');
      await expectProblem(response, 'conflict');
      return id;
    });
    await intake.until(id, 'succeeded');
    await expectProblem(await intake.cancel(id), 'conflict');
  });

  test('it can be cancelled, queued or active, and its quota is refunded', async () => {
    const before = await intake.quotaLeft();
    const [first, second] = [await another(), await another()];
    const ids = await whileFrozen(stack, async () => {
      const active = (await readJob(await intake.post(first))).id;
      await intake.until(active, 'active');
      const queued = (await readJob(await intake.post(second))).id;
      for (const id of [queued, active]) {
        const response = await intake.cancel(id);
        expect(response.status).toBe(200);
        expect(await readJob(response)).toMatchObject({ id, status: 'canceled' });
        expect((await intake.cancel(id)).status).toBe(200);
        await expectProblem(await intake.result(id), 'conflict');
      }
      return [active, queued];
    });
    expect(await intake.quotaLeft()).toBe(before);
    await expect.poll(() => jobLines(ids[0] ?? '')).toMatchObject([{ outcome: 'canceled' }]);
    expect(await storedOf(...ids, sha256(first), sha256(second))).toEqual([]);
  });

  test('it can be erased, and a worker that finishes later leaves nothing', async () => {
    const before = await intake.quotaLeft();
    const image = await another();
    const id = await whileFrozen(stack, async () => {
      const { id } = await readJob(await intake.post(image));
      await intake.until(id, 'active');
      const receipt = await (await intake.erase(id)).json();
      expect(receipt).toEqual({ id, erasedAt: expect.any(String), blobs: 1 });
      expect(await (await intake.erase(id)).json()).toEqual(receipt);
      return id;
    });
    await expect.poll(() => jobLines(id)).toHaveLength(1);
    await intake.done(shirt); // the probe
    const { erasedAt } = (await (await intake.erase(id)).json()) as { erasedAt: string };
    for (const response of [
      await intake.ask('GET', `/jobs/${id}`),
      await intake.result(id),
      await intake.cancel(id),
    ]) {
      const expected = { type: 'gone', status: 410, detail: 'This job was erased', erasedAt };
      expect(await response.json()).toMatchObject(expected);
    }
    expect(await storedOf(id, sha256(image))).toEqual([]);
    expect(await intake.quotaLeft()).toBe(before - 1); // the probe
  });

  test('its worker may be killed: another processes it once', async () => {
    const image = await another();
    const lost = stack.worker;
    const id = await whileFrozen(stack, async () => {
      const { id } = await readJob(await intake.post(image));
      await intake.until(id, 'active');
      const orphans = inferenceChildren(stack);
      await stack.startWorker();
      await lost.end('SIGKILL');
      signalAll(orphans, 'SIGKILL');
      return id;
    });
    await intake.until(id, 'succeeded');
    expect((await intake.result(id)).status).toBe(200);
    await expect.poll(() => jobLines(id)).toMatchObject([{ outcome: 'succeeded' }]);
    await expect.poll(() => inputsOf(id)).toEqual([]);
  });
});

describe('the list of jobs', () => {
  const Page = z.object({
    jobs: z.array(Job),
    links: z.object({ next: z.string() }).optional(),
  });
  const page = async (client: IntakeClient, query = '') =>
    Page.parse(await (await client.ask('GET', `/jobs${query}`)).json());
  const idsOf = ({ jobs }: z.infer<typeof Page>) => jobs.map(({ id }) => id);
  const classify = { operations: ['classify'], imageUrl: 'http://nowhere.invalid/a.jpg' };
  /** Submits a job and cancels it, so that it stays as it is. */
  async function submit(client: IntakeClient): Promise<string> {
    const { id } = await readJob(await client.postJson(classify));
    await client.cancel(id);
    return id;
  }

  /** Reads all pages; calls `between` after the first. */
  async function readAll(client: IntakeClient, limit: number, between: () => Promise<unknown>) {
    const ids: string[] = [];
    let query: string | undefined = `?limit=${limit}`;
    for (let pages = 1; query !== undefined; pages++) {
      const read = await page(client, query);
      expect(read.jobs.length).toBeLessThanOrEqual(limit);
      ids.push(...idsOf(read));
      query = read.links?.next.replace(/^\/intake\/v1\/jobs/, '');
      if (pages === 1) await between();
    }
    return ids;
  }

  test('has each job once, the newest first, while others are added and erased', async () => {
    const lister = intakeClient(stack, (await stack.key({ client: 'lister' })).key);
    expect(await page(lister)).toEqual({ jobs: [] });
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await submit(lister));
    const newestFirst = ids.toReversed();
    expect((await page(lister, '?limit=1')).jobs[0]).toEqual(await lister.get(ids[11] ?? ''));
    const [lastOfPage = '', firstOfNext = ''] = newestFirst.slice(4, 6);
    const read = await readAll(lister, 5, async () => {
      await Promise.all([submit(lister), submit(lister), submit(lister)]);
      await lister.erase(lastOfPage); // the cursor of the next page
      await lister.erase(firstOfNext);
    });
    expect(read).toEqual(newestFirst.filter((id) => id !== firstOfNext));
    const after = idsOf(await page(lister, '?limit=100'));
    expect(after).toHaveLength(13);
    expect(after).not.toContain(lastOfPage);
  });

  test('keeps no job that has expired, and leaves nothing in Redis', async () => {
    const retention = { outputSeconds: 1, recordSeconds: 1 };
    const brief = intakeClient(stack, (await stack.key({ client: 'brief', retention })).key);
    await submit(brief);
    expect((await page(brief)).jobs).toHaveLength(1);
    await expect.poll(async () => (await page(brief)).jobs.length, { timeout: 45_000 }).toBe(0);
    const redis = blockingConnection(stack.redis.url, createLog('test', 'silent'));
    expect(await redis.exists('{selvage}:jobs-of:brief')).toBe(0);
    redis.disconnect();
  });

  test('has no job of another client, not even as a cursor, and none beyond the scopes', async () => {
    const owner = intakeClient(stack, (await stack.key({ client: 'owner' })).key);
    const first = await submit(owner);
    const second = await submit(owner);
    const stranger = intakeClient(stack, (await stack.key({ client: 'not-the-owner' })).key);
    const own = await submit(stranger);
    expect(idsOf(await page(stranger))).toEqual([own]);
    expect(await page(stranger, `?before=${second}`)).toEqual({ jobs: [] });
    expect(await page(stranger, '?before=job_none')).toEqual({ jobs: [] });
    expect(idsOf(await page(owner, `?before=${second}`))).toEqual([first]);
    const scopes: Grant['scopes'] = ['background-removal:process'];
    const cutter = intakeClient(stack, (await stack.key({ client: 'owner', scopes })).key);
    expect(await page(cutter)).toEqual({ jobs: [] });
    for (const query of ['?limit=0', '?limit=101', '?limit=x', `?before=${'x'.repeat(101)}`]) {
      await expectProblem(await owner.ask('GET', `/jobs${query}`), 'invalid-request');
    }
  });
});

describe('an Idempotency-Key', () => {
  const send = (image: Uint8Array, value: string, client = intake) =>
    client.post(image, {}, { 'idempotency-key': value });

  test('with another image is rejected; it is the same with another key, and new for another client', async () => {
    const image = await another();
    const { id } = await readJob(await send(image, 'order-3'));
    await expectProblem(await send(shirt, 'order-3'), 'idempotency-mismatch');
    const second = intakeClient(stack, (await stack.key()).key);
    expect((await readJob(await send(image, 'order-3', second))).id).toBe(id);
    const foreign = intakeClient(stack, (await stack.key({ client: 'foreign' })).key);
    expect((await readJob(await send(image, 'order-3', foreign))).id).not.toBe(id);
  });

  test('can be used again if the first request was rejected', async () => {
    await expectProblem(await send(Buffer.from('x'), 'order-4'), 'unsupported-media-type');
    expect((await send(shirt, 'order-4')).status).toBe(202);
  });
});

describe('a removal whose client prefers', () => {
  const ask = (prefer: string, image: Uint8Array) =>
    postImage(stack, image, { key, headers: { prefer } });

  test('to wait gets the result if it is ready by then', async () => {
    const response = await ask('respond-async, wait=20', shirt);
    expect(response.status).toBe(200);
    expect(response.headers.get('preference-applied')).toBe('respond-async, wait=20');
    const png = Buffer.from(await response.arrayBuffer());
    expect(await sharp(png).metadata()).toMatchObject({ width: 480, height: 600 });
    const sent = { key, headers: { prefer: 'wait=20' } };
    const inBase64 = await postBase64(stack, shirt.toString('base64'), sent);
    const { image_base64: base64 } = (await inBase64.json()) as { image_base64: string };
    expect(Buffer.from(base64, 'base64').equals(png)).toBe(true);
  });

  test('to wait gets the job if the time is up', async () => {
    const image = await another();
    const response = await whileFrozen(stack, () => ask('wait=1', image));
    expect(response.status).toBe(202);
    await intake.until((await readJob(response)).id, 'succeeded');
  });

  test('to wait gets the problem of the job if it fails', async () => {
    await expectProblem(await ask('wait=20', shirt.subarray(0, 5000)), 'invalid-request');
  });
});

test('usage returns what a key allows and what is left', async () => {
  const limits = { quotaPerDay: 5, rate: { count: 60, periodSeconds: 60 } };
  const own = intakeClient(stack, (await stack.key({ client: 'counted', ...limits })).key);
  const midnight = expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/);
  await own.post(shirt);
  expect(await (await own.ask('GET', '/usage')).json()).toEqual({
    client: 'counted',
    scopes: expect.arrayContaining(['background-removal:process']),
    intake: ['jobs', 'review', 'sources', 'settings', 'webhooks'],
    rate: { limit: 60, remaining: expect.any(Number), resetSeconds: expect.any(Number) },
    quota: { limit: 5, remaining: 4, resetsAt: midnight },
    storedBytes: {
      limit: 50_000_000_000,
      remaining: 50_000_000_000 - shirt.length,
      resetsAt: midnight,
    },
  });
});

test.each([
  ['http://user:secret@shop.example/a.jpg', /user name or password/],
  ['http://10.0.0.1/a.jpg', /public address/],
  ['http://8.8.8.8:25/a.jpg', /ports 80 and 443/],
])('a link that can never be fetched is rejected at once: %s', async (link, detail) => {
  const { key: ownKey } = await stack.key({ client: 'linking' });
  const own = intakeClient(stack, ownKey);
  const rejected = async (post: Promise<Response>, pointer: string) => {
    const response = await post;
    const errors = [{ pointer, detail: expect.stringMatching(detail) }];
    expect(await response.json()).toMatchObject({ type: 'invalid-request', errors });
    expect(response.status).toBe(400);
  };
  await rejected(own.postJson({ imageUrl: link }), '/imageUrl');
  const background = { backgroundImageUrl: link };
  const pointer = '/options/backgroundImageUrl';
  await rejected(own.post(shirt, { options: JSON.stringify(background) }), pointer);
  const { postJson } = keyClient(stack, ownKey);
  await rejected(postJson('/intake/v1/batches', { options: background }), pointer);
  await rejected(postJson('/intake/v1/feeds', { url: link }), '/url');
  for (const [path, list] of Object.entries({ jobs: [], batches: [], feeds: [] }))
    expect(await (await own.ask('GET', `/${path}`)).json()).toEqual({ [path]: list });
  expect(await stack.stored('linking')).toEqual([]);
});

test('a private address outside of the allowed networks is rejected', async () => {
  await stack.worker.end();
  await stack.startWorker({ FETCH_ALLOW: '' });
  const server = await plantServer(serve(shirt));
  const { id } = await readJob(await intake.postJson({ imageUrl: `${server.origin}/a.jpg` }));
  const failed = await intake.until(id, 'failed');
  expect(failed.problem).toMatchObject({
    type: 'invalid-request',
    detail: expect.stringMatching(/does not lead to a public address/),
  });
  expect(server.requests).toEqual([]);
});
