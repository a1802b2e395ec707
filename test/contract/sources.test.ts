import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type BucketServer, startBucketServer } from '../support/bucket-server.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import {
  bucketManifest,
  bucketPlace,
  declareSources,
  folderManifest,
  putFile,
  type SourceClient,
  sourceClient,
} from '../support/sources.ts';
import { type Stack, startStack } from '../support/stack.ts';

const List = z.object({ sources: z.array(z.looseObject({ id: z.string() })) });

let stack: Stack;
let server: BucketServer;
let home: string;
let sources: SourceClient;
let others: SourceClient;
let shirt: Buffer;

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

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'selvage-sources-'));
  server = await startBucketServer('photos', 'events', 'denied', 'vanishing');
  const file = await declareSources(home, [
    folderSource('shelf'),
    bucketSource('photos'),
    bucketSource('events', 86_400),
    bucketSource('denied'),
    bucketSource('vanishing'),
    { ...folderSource('foreign'), client: 'someone-else' },
  ]);
  stack = await startStack({ SOURCES_FILE: file });
  sources = sourceClient(stack, (await stack.key()).key);
  others = sourceClient(stack, (await stack.key({ client: 'someone-else' })).key);
  shirt = await drawnShirtOnWood({ width: 96, height: 112, format: 'jpeg' });
});
afterAll(async () => {
  await stack.stop();
  await server.close();
  await rm(home, { recursive: true, force: true });
});

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
  expect([...byInput.keys()].sort()).toEqual([
    'empty.jpg',
    'new/summer/dress.JPG',
    'notes.txt',
    'shirt.jpeg',
    'shirt.jpg',
  ]);
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
  expect(await ids(sources)).toEqual(['shelf', 'photos', 'events', 'denied', 'vanishing']);
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
