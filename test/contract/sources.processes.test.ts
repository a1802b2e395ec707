import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/client.ts';
import { selvage } from '../cli/command.ts';
import { type BucketFault, startBucketServer } from '../support/bucket-server.ts';
import { answerOf } from '../support/client.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import { plantServer } from '../support/servers.ts';
import {
  bucketManifest,
  bucketPlace,
  declareSources,
  folderManifest,
  putFile,
  type SourceClient,
  sourceClient,
} from '../support/sources.ts';
import { useFolder } from '../support/use-folder.ts';
import { useStack } from '../support/use-stack.ts';

const List = z.object({ sources: z.array(z.looseObject({ id: z.string() })) });

/** Runs the command with the key of the sources. */
const command = (args: string[], more: NodeJS.ProcessEnv = {}) =>
  selvage(['sources', ...args], { SELVAGE_URL: stack.url, SELVAGE_KEY: key, ...more });

const incoming = (name: string) => join(home, name, 'in');
const results = (name: string) => join(home, name, 'out');
const folderSource = (id: string) => ({
  id,
  client: 'tests',
  everySeconds: 1,
  from: { kind: 'folder', path: incoming(id) },
  to: { kind: 'folder', path: results(id) },
});
const bucketSource = (id: string, everySeconds = 1) => ({
  id,
  client: 'tests',
  everySeconds,
  from: bucketPlace(server, id, 'in/'),
  to: bucketPlace(server, id, 'out/'),
});

const home = await useFolder();
const server = await startBucketServer('photos', 'events', 'denied', 'vanishing', 'mixed');
afterAll(() => server.close());
const file = await declareSources(home, [
  folderSource('shelf'),
  bucketSource('photos'),
  bucketSource('events', 86_400),
  bucketSource('denied'),
  bucketSource('vanishing'),
  bucketSource('mixed'),
  folderSource('crossed'),
  { ...folderSource('foreign'), client: 'someone-else' },
]);
const { stack, key, postJson } = await useStack({ SOURCES_FILE: file });
const sources = sourceClient(stack, key);
const others = sourceClient(stack, (await stack.key({ client: 'someone-else' })).key);
const shirt = await drawnShirtOnWood({ width: 96, height: 112, format: 'jpeg' });

/** A picture that no other test has sent. */
let drawn = 0;
async function picture(): Promise<Buffer> {
  drawn += 1;
  const dot = { width: 2, height: 2, channels: 3, background: { r: drawn, g: 0, b: 255 } } as const;
  const input = await sharp({ create: dot }).png().toBuffer();
  return sharp(shirt)
    .composite([{ input, left: 1, top: 1 }])
    .jpeg()
    .toBuffer();
}

test('a folder: each photo is cut out once, under its name, and the manifest tells all', async () => {
  const from = incoming('shelf');
  await mkdir(results('shelf'), { recursive: true });
  await putFile(from, 'shirt.jpg', await picture());
  await putFile(from, 'shirt.jpeg', await picture());
  await putFile(from, 'new/summer/dress.JPG', await picture());
  await putFile(from, 'notes.txt', 'no image');
  await putFile(from, 'empty.jpg', '');
  await putFile(from, '.hidden.jpg', await picture());
  await putFile(home, 'secret.jpg', await picture());
  await symlink(join(home, 'secret.jpg'), join(from, 'link.jpg'));
  await symlink(home, join(from, 'linked'));
  expect(await sources.get('shelf')).toMatchObject({ status: 'off', counts: { found: 0 } });

  await sources.start('shelf', { options: { backgroundColor: '#ffffff', format: 'webp' } });
  const counts = { found: 5, pending: 0, succeeded: 3, failed: 1, rejected: 1 };
  await sources.until('shelf', { status: 'watching', counts });
  const lines = await folderManifest(results('shelf'));
  const byInput = new Map(lines.map((line) => [line.input, line]));
  const expected = ['empty.jpg', 'new/summer/dress.JPG', 'notes.txt', 'shirt.jpeg', 'shirt.jpg'];
  expect([...byInput.keys()].sort()).toEqual(expected);
  expect(lines).toHaveLength(5);
  expect(byInput.get('empty.jpg')).toMatchObject({
    status: 'rejected',
    problem: { detail: 'The object is empty' },
  });
  expect(byInput.get('notes.txt')?.status).toBe('failed');
  expect(byInput.get('new/summer/dress.JPG')).toMatchObject({
    status: 'succeeded',
    output: 'new/summer/dress.webp',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    confidence: expect.any(Number),
    review: { needed: expect.any(Boolean) },
  });
  // Both would be shirt.webp: the second one keeps its whole name.
  const outputs = ['shirt.jpg', 'shirt.jpeg'].map((name) => byInput.get(name)?.output);
  expect(['shirt.webp']).toContain(outputs.find((name) => name === 'shirt.webp'));
  expect(new Set(outputs).size).toBe(2);
  for (const { output } of lines.filter(({ status }) => status === 'succeeded')) {
    const cut = await readFile(join(results('shelf'), output ?? ''));
    expect((await sharp(cut).metadata()).format).toBe('webp');
  }
  expect(await readdir(join(results('shelf'), '.selvage-parts'))).toEqual([]);

  // A new version replaces the result; what has not changed is not touched again.
  await putFile(from, 'new/summer/dress.JPG', await picture());
  await sources.until('shelf', { status: 'watching', counts: { succeeded: 4 } });
  const after = await folderManifest(results('shelf'));
  expect(after).toHaveLength(6);
  const versions = after.filter(({ input }) => input === 'new/summer/dress.JPG');
  expect(new Set(versions.map(({ version }) => version)).size).toBe(2);
  expect(versions[1]?.output).toBe('new/summer/dress.webp');
});

test('options that are wrong are told; without them those of before stay', async () => {
  const put = (body: unknown) => answerOf(sources.send('PUT', '/shelf', body));
  expect(await put({ options: { format: 'gif' } })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/options/format' }] },
  });
  expect((await put({ options: { preset: 'none' } })).status).toBe(400);
  expect((await put({ folder: '/etc' })).status).toBe(400);
  const link = { backgroundImageUrl: 'http://127.0.0.1/a.jpg' };
  expect((await put({ options: link })).status).toBe(400);
  expect(await put({ paused: true })).toMatchObject({
    status: 200,
    body: { status: 'paused', options: { format: 'webp', backgroundColor: '#ffffff' } },
  });
  await putFile(incoming('shelf'), 'later.jpg', await picture());
  await sources.send('POST', '/shelf/scan');
  expect(await put({})).toMatchObject({ body: { options: { format: 'webp' } } });
  await sources.until('shelf', { status: 'watching', counts: { succeeded: 5 } });
});

test('objects are charged to the key that has started the source; a spent quota waits', async () => {
  const poor = sourceClient(stack, (await stack.key({ quotaPerDay: 2 })).key);
  await poor.start('shelf');
  for (let i = 0; i < 3; i++) await putFile(incoming('shelf'), `quota/${i}.jpg`, await picture());
  await putFile(incoming('shelf'), 'quota/none.jpg', '');
  const waiting = await sources.until('shelf', { status: 'waiting', counts: { succeeded: 7 } });
  expect(waiting.problem).toMatchObject({ type: 'quota-exceeded' });
  const usage = await poor.usage();
  expect(usage.quota).toMatchObject({ limit: 2, remaining: 0 });
  await sources.start('shelf');
  await sources.send('POST', '/shelf/scan');
  await sources.until('shelf', { status: 'watching', counts: { succeeded: 8, rejected: 2 } });
});

test('a prefix of a bucket: results under another prefix, each object once', async () => {
  for (let i = 0; i < 3; i++) server.put('photos', `in/a/${i}.jpg`, await picture());
  server.put('photos', 'in/folder/', Buffer.alloc(0));
  server.put('photos', 'in/../../etc/passwd.jpg', await picture());
  server.put('photos', 'in/name with ünïcode & +.jpg', await picture());
  server.put('photos', 'elsewhere/b.jpg', await picture());
  await sources.start('photos');
  const counts = { found: 5, pending: 0, succeeded: 4, failed: 0, rejected: 1 };
  await sources.until('photos', { status: 'watching', counts });
  const made = server.keys('photos').filter((key) => key.startsWith('out/'));
  expect(made.filter((key) => !key.includes('selvage-manifest'))).toEqual([
    'out/a/0.png',
    'out/a/1.png',
    'out/a/2.png',
    'out/name with ünïcode & +.png',
  ]);
  const lines = bucketManifest(server, 'photos', 'out/');
  expect(lines).toHaveLength(5);
  expect(lines.find(({ status }) => status === 'rejected')?.input).toBe('../../etc/passwd.jpg');

  // Results that are copied among the photos are recognized: they are made from none.
  const result = server.get('photos', 'out/a/0.png') ?? Buffer.alloc(0);
  server.put('photos', 'in/copy.png', result, { 'x-amz-meta-selvage-result': '1' });
  await sources.until('photos', { status: 'watching', counts: { failed: 1 } });
  expect(bucketManifest(server, 'photos', 'out/').at(-1)?.problem?.detail).toMatch(/result/);
});

test('the source of another client does not exist for this one', async () => {
  const ids = async (client: SourceClient) => {
    const list = List.parse(await (await client.send('GET', '')).json());
    return list.sources.map(({ id }) => id);
  };
  const own = ['shelf', 'photos', 'events', 'denied', 'vanishing', 'mixed', 'crossed'];
  expect(await ids(sources)).toEqual(own);
  expect(await ids(others)).toEqual(['foreign']);
  for (const [method, path] of [
    ['GET', '/foreign'],
    ['PUT', '/foreign'],
    ['POST', '/foreign/scan'],
    ['POST', '/foreign/events'],
  ] as const) {
    expect((await sources.send(method, path, method === 'GET' ? undefined : {})).status).toBe(404);
  }
  // Nothing says where folders are, or with which keys buckets are read.
  const text = await (await sources.send('GET', '')).text();
  expect(text).not.toContain(home);
  expect(text).not.toContain('test-secret');
});

/** A notification as S3 sends it. */
const notification = (bucket: string, ...keys: string[]) => ({
  Records: keys.map((key) => ({
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    eventName: 'ObjectCreated:Put',
    s3: {
      bucket: { name: bucket, arn: `arn:aws:s3:::${bucket}` },
      object: { key: encodeURIComponent(key).replaceAll('%20', '+'), size: 1, eTag: 'forged' },
    },
  })),
});

test('SNS declares texts, and a command confirms its handshake: no address of a message is fetched', async () => {
  const asked: string[] = [];
  const sns = await plantServer(async (request, response) => {
    asked.push(`${request.url} ${await text(request)}`);
    response.end('<ConfirmSubscriptionResponse/>');
  });
  const topicArn = 'arn:aws:sns:eu-central-1:123456789012:photos';
  const handshake = {
    Type: 'SubscriptionConfirmation',
    TopicArn: topicArn,
    Token: '2336412f37fb687f5d51e6e2425c464de1884dfd4',
    SubscribeURL: `${sns.origin}/forged`,
    SigningCertURL: `${sns.origin}/forged.pem`,
  };
  const headers = { 'content-type': 'text/plain; charset=UTF-8' };
  const send = (body: unknown) =>
    answerOf(postJson('/intake/v1/sources/events/events', body, headers));
  expect(await send({ ...handshake, TopicArn: 'arn:aws:sns:evil.example/:1:x' })).toMatchObject({
    status: 400,
  });
  expect(await send(handshake)).toEqual({ status: 202, body: { objects: 0, ignored: 0 } });
  const Message = JSON.stringify(notification('events', 'private/0.jpg'));
  expect(await send({ Type: 'Notification', TopicArn: topicArn, Message })).toEqual({
    status: 202,
    body: { objects: 1, ignored: 1 },
  });
  const confirm = (topic: string) =>
    command(['confirm', 'events', '--topic', topic], { AWS_ENDPOINT_URL_SNS: sns.origin });
  const other = await confirm(`${topicArn}-other`);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining(topicArn)]);
  expect(asked).toEqual([]);
  expect((await confirm(topicArn)).code).toBe(0);
  const body = new URLSearchParams({
    Action: 'ConfirmSubscription',
    Version: '2010-03-31',
    TopicArn: topicArn,
    Token: handshake.Token,
  });
  expect(asked).toEqual([`/ ${body}`]);
});

test('events name objects that are looked up: forged, repeated and late ones do no harm', async () => {
  const post = (event: unknown) => answerOf(sources.send('POST', '/events/events', event));
  await sources.start('events');
  await sources.until('events', { status: 'watching', listedAt: expect.any(String) });
  server.put('events', 'in/first one.jpg', await picture());
  server.put('events', 'in/2.jpg', await picture());
  server.put('events', 'in/3.jpg', await picture());
  server.put('events', 'in/4.jpg', await picture());
  server.put('events', 'private/5.jpg', await picture());

  const first = notification('events', 'in/first one.jpg');
  expect(await post(first)).toEqual({ status: 202, body: { objects: 1, ignored: 0 } });
  // In the envelopes of SQS and SNS, and as MinIO and EventBridge have it.
  const Message = JSON.stringify(notification('events', 'in/2.jpg'));
  const Body = JSON.stringify({ Type: 'Notification', Message });
  const inQueue = { Messages: [{ MessageId: '1', Body }] };
  await post(inQueue);
  const named3 = notification('events', 'in/3.jpg');
  await post({ EventName: 's3:ObjectCreated:Put', Key: 'x', ...named3 });
  const detail = { bucket: { name: 'events' }, object: { key: 'in/4.jpg' } };
  await post({ source: 'aws.s3', 'detail-type': 'Object Created', detail });
  // Forged: another bucket, outside the prefix, an object that does not exist, a name out of the folder.
  expect(await post(notification('photos', 'in/a/0.jpg'))).toMatchObject({ body: { ignored: 1 } });
  expect(await post(notification('events', 'private/5.jpg', 'out/2.png'))).toMatchObject({
    body: { objects: 2, ignored: 2 },
  });
  const lost = notification('events', 'in/none.jpg', 'in/../private/5.jpg', 'in/', 'in/a//b.jpg');
  expect(await post(lost)).toMatchObject({ body: { objects: 4, ignored: 3 } });
  for (let i = 0; i < 3; i++) await post(first);
  expect(await post({ Service: 'Amazon S3', Event: 's3:TestEvent' })).toMatchObject({
    status: 202,
  });
  const thousands = { Records: Array(5000).fill({ Records: [] }) };
  const wrongs = [{}, { Records: [{}] }, { Body: 'no JSON' }, [], { detail: { bucket: 1 } }];
  for (const wrong of [thousands, ...wrongs]) expect((await post(wrong)).status).toBe(400);
  const counts = { found: 4, pending: 0, succeeded: 4, failed: 0, rejected: 0 };
  await sources.until('events', { status: 'watching', counts });
  // The object is replaced. The event of the old version comes last, and once more after the new result.
  server.put('events', 'in/2.jpg', await picture());
  await post(notification('events', 'in/2.jpg'));
  await post(inQueue);
  await sources.until('events', { status: 'watching', counts: { succeeded: 5 } });
  await post(inQueue);
  // What is looked up for this one includes what the old event has named.
  server.put('events', 'in/3.jpg', await picture());
  await post(named3);
  const replaced = { found: 6, pending: 0, succeeded: 6, failed: 0, rejected: 0 };
  await sources.until('events', { status: 'watching', counts: replaced });
  const inputs = bucketManifest(server, 'events', 'out/').map(({ input }) => input);
  expect(inputs.sort()).toEqual(['2.jpg', '2.jpg', '3.jpg', '3.jpg', '4.jpg', 'first one.jpg']);

  // A listing on request finds what no event has named.
  server.put('events', 'in/unnamed.jpg', await picture());
  expect((await sources.send('POST', '/events/scan')).status).toBe(202);
  await sources.until('events', { status: 'watching', counts: { found: 7, succeeded: 7 } });
  expect((await sources.send('POST', '/shelf/events', first)).status).toBe(409);
});

test('the client and the command start, pause, scan and report', async () => {
  const client = createClient({ baseUrl: stack.url, key });
  expect((await client.sources.list()).map(({ id }) => id)).toContain('photos');
  const paused = await client.sources.put('photos', { paused: true });
  expect(paused).toMatchObject({ status: 'paused', from: { bucket: 'photos', prefix: 'in/' } });
  const receipt = await client.sources.sendEvent('photos', notification('photos', 'in/a/0.jpg'));
  expect(receipt).toMatchObject({ objects: 1, ignored: 0 });

  const run = (...args: string[]) => command(args);
  const started = await run('start', 'photos', '--background', 'white', '--json');
  expect(JSON.parse(started.stdout)).toMatchObject({
    id: 'photos',
    options: { backgroundColor: '#ffffff' },
  });
  expect((await run('pause', 'photos')).stdout).toMatch(
    /^photos {2}paused\nfrom +s3:\/\/photos\/in\//,
  );
  expect(JSON.parse((await run('resume', 'photos', '--json')).stdout)).toMatchObject({
    options: { backgroundColor: '#ffffff' },
  });
  expect((await run('scan', 'photos')).code).toBe(0);
  expect((await run('status', 'photos')).stdout).toMatch(/objects +\d+ found: \d+ succeeded/);
  expect((await run('list')).stdout).toMatch(/^id +status +pending/);
  expect(await run('status', 'foreign')).toMatchObject({ code: 1 });
  expect(await client.sources.get('photos')).toMatchObject({ id: 'photos' });
  expect(await client.sources.scan('photos')).toMatchObject({ id: 'photos' });
});

/** Waits until a source is to be tried again later than at a time, ms. Returns when. */
async function laterRetry(id: string, after: number): Promise<number> {
  const retryMillis = async () => Date.parse(String((await sources.get(id)).retryAt));
  await expect.poll(retryMillis, { interval: 50 }).toBeGreaterThan(after);
  return retryMillis();
}

test('a prefix without rights, and a bucket that vanishes: the source says so and goes on by itself', async () => {
  const denied = { status: 403, code: 'AccessDenied' };
  server.spoil(({ bucket }) => (bucket === 'denied' ? denied : undefined));
  server.put('denied', 'in/1.jpg', await picture());
  await sources.start('denied');
  const unreachable = await sources.until('denied', { status: 'unreachable' });
  expect(unreachable.problem).toMatchObject({
    type: 'upstream-unavailable',
    detail: 'the bucket answers 403 AccessDenied',
  });
  // Attempts become rare.
  const first = await laterRetry('denied', 0);
  const second = await laterRetry('denied', first);
  const third = await laterRetry('denied', second);
  expect(third - second).toBeGreaterThan(second - first);

  // The photos can be read, and no result can be written.
  server.spoil(({ bucket, method }) =>
    bucket === 'denied' && method === 'PUT' ? denied : undefined,
  );
  await sources.send('POST', '/denied/scan');
  await expect
    .poll(() => server.requests.filter((request) => request === 'PUT denied/out/1.png').length)
    .toBeGreaterThan(1);
  await sources.until('denied', { status: 'unreachable' });

  server.spoil(() => undefined);
  await sources.send('POST', '/denied/scan');
  const counts = { found: 1, pending: 0, succeeded: 1, failed: 0, rejected: 0 };
  await sources.until('denied', { status: 'watching', counts });
  expect(bucketManifest(server, 'denied', 'out/')).toHaveLength(1);

  // A bucket vanishes while its objects wait, and is back.
  server.put('vanishing', 'in/1.jpg', await picture());
  await sources.start('vanishing');
  await sources.until('vanishing', { status: 'watching', counts: { succeeded: 1 } });
  const noBucket = { status: 404, code: 'NoSuchBucket' };
  let vanish = () => {};
  const vanished = new Promise<BucketFault>((resolve) => {
    vanish = () => resolve(noBucket);
  });
  server.spoil(({ bucket, method, key }) =>
    bucket === 'vanishing' && method === 'GET' && key.startsWith('in/') ? vanished : undefined,
  );
  for (let i = 2; i <= 4; i++) server.put('vanishing', `in/${i}.jpg`, await picture());
  // All are rows of a batch by now, and one is being read.
  await sources.until('vanishing', { counts: { found: 4, pending: 3 } });
  await expect
    .poll(() => server.requests.filter((request) => request.startsWith('GET vanishing/in/')).length)
    .toBeGreaterThan(1);
  server.spoil(({ bucket }) => (bucket === 'vanishing' ? noBucket : undefined));
  vanish();
  const gone = await sources.until('vanishing', { status: 'unreachable' });
  expect(gone.problem?.detail).toBe('the bucket answers 404 NoSuchBucket');
  server.spoil(() => undefined);
  await sources.until('vanishing', { status: 'watching', counts: { succeeded: 4, failed: 0 } });
  const inputs = bucketManifest(server, 'vanishing', 'out/').map(({ input }) => input);
  expect(inputs.sort()).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg']);
});

const FailurePage = z.object({
  failures: z.array(z.looseObject({ name: z.string(), reason: z.string() })),
  unlisted: z.array(z.object({ name: z.string(), reason: z.string() })),
});

async function failuresOf(id: string): Promise<Map<string, string>> {
  const response = await sources.send('GET', `/${id}/failures`);
  const { failures } = FailurePage.parse(await response.json());
  return new Map(failures.map(({ name, reason }) => [name, reason]));
}

test('an object that its bucket denies fails alone, is named, and is done when it is given', async () => {
  const answers = new Map<string, BucketFault>([
    ['in/archived.jpg', { status: 403, code: 'InvalidObjectState' }],
    ['in/owned.jpg', { status: 403, code: 'AccessDenied' }],
    ['in/broken.jpg', { status: 500, code: 'InternalError' }],
    ['out/unwritten.png', { status: 403, code: 'AccessDenied' }],
  ]);
  server.spoil(({ bucket, key }) => (bucket === 'mixed' ? answers.get(key) : undefined));
  for (const name of ['archived', 'owned', 'broken', 'unwritten', 'good']) {
    server.put('mixed', `in/${name}.jpg`, await picture());
  }
  await sources.start('mixed');
  // Four wait, each by itself; the source goes on.
  const first = { pending: 0, succeeded: 1, failed: 0, rejected: 0 };
  const failures = { waiting: 4, givenUp: 0, unlisted: 0 };
  await sources.until('mixed', { status: 'watching', counts: first, failures });
  expect(await failuresOf('mixed')).toEqual(
    new Map([
      ['archived.jpg', 'the bucket answers 403 InvalidObjectState'],
      ['broken.jpg', 'the bucket answers 500 InternalError'],
      ['owned.jpg', 'the bucket answers 403 AccessDenied'],
      ['unwritten.jpg', 'the bucket answers 403 AccessDenied'],
    ]),
  );
  const isLogged = () => /"object":"archived\.jpg".*object of a source failed/.test(stack.logs());
  await expect.poll(isLogged).toBe(true);

  // An event names them, and one that nobody may look up: what comes later is done all the same.
  answers.set('in/secret.jpg', { status: 403, code: 'AccessDenied' });
  server.put('mixed', 'in/secret.jpg', await picture());
  server.put('mixed', 'in/later.jpg', await picture());
  const named = ['in/secret.jpg', 'in/owned.jpg', 'in/later.jpg'];
  await sources.send('POST', '/mixed/events', notification('mixed', ...named));
  await sources.until('mixed', { status: 'watching', counts: { succeeded: 2 } });
  await expect.poll(async () => (await failuresOf('mixed')).has('secret.jpg')).toBe(true);
  server.put('mixed', 'in/latest.jpg', await picture());
  await sources.until('mixed', { status: 'watching', counts: { succeeded: 3 } });

  const listed = await command(['failures', 'mixed']);
  expect(listed.stdout).toMatch(/owned\.jpg +the bucket answers 403 +2 /);

  // The rights are given: a scan does not wait for the pauses.
  answers.clear();
  await sources.send('POST', '/mixed/scan');
  const all = { pending: 0, succeeded: 8, failed: 0, rejected: 0 };
  const none = { waiting: 0, givenUp: 0, unlisted: 0 };
  await sources.until('mixed', { status: 'watching', counts: all, failures: none });
  const inputs = bucketManifest(server, 'mixed', 'out/').map(({ input }) => input);
  expect(inputs.sort()).toEqual([...new Set(inputs)]);
  expect(inputs).toHaveLength(8);
});

test('a photo whose result would have the name of a folder fails alone', async () => {
  await mkdir(join(results('crossed'), 'x.png'), { recursive: true });
  await putFile(incoming('crossed'), 'x.jpg', await picture());
  await putFile(incoming('crossed'), 'x.png/y.jpg', await picture());
  await putFile(incoming('crossed'), 'z.jpg', await picture());
  await sources.start('crossed');
  const failures = { waiting: 1, givenUp: 0 };
  await sources.until('crossed', { status: 'watching', counts: { succeeded: 2 }, failures });
  expect([...(await failuresOf('crossed'))]).toEqual([
    ['x.jpg', 'the result cannot be written (EISDIR, a folder has this name)'],
  ]);
});
