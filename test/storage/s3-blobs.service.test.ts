import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import {
  DeleteBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type MultipartUpload,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Blobs } from '../../src/storage/blobs.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { createS3Blobs } from '../../src/storage/s3-blobs.ts';
import { S3Reader } from '../../src/storage/s3-transfer.ts';
import { startStoreGate } from '../faults/store-gate.ts';
import { freePort } from '../support/free-port.ts';
import { reportMissing } from '../support/requirement.ts';
import { type TestS3, testS3 } from '../support/services.ts';
import { blobsContract, entriesOf } from './blobs.contract.ts';

/** More than one part of an upload. */
const TWO_PARTS_BYTES = 9 * 2 ** 20;

const found = await testS3();
if (typeof found === 'string') {
  reportMissing('s3', found);
  test.skip(`blobs in S3 (${found})`);
} else {
  describe('blobs in S3', () => againstServer(found));
}

function againstServer(s3: TestS3): void {
  const client = new S3Client({ ...s3, forcePathStyle: true });
  const opened: { bucket: string; blobs: Blobs }[] = [];
  const freshBucket = () => `selvage-test-${randomUUID()}`;

  /** Opens a bucket that is deleted after the tests. */
  async function open(bucket: string, endpoint = s3.endpoint): Promise<Blobs> {
    const blobs = await createS3Blobs({ ...s3, endpoint, bucket });
    opened.push({ bucket, blobs });
    return blobs;
  }

  afterAll(async () => {
    for (const Bucket of new Set(opened.map(({ bucket }) => bucket))) {
      const blobs = await createS3Blobs({ ...s3, bucket: Bucket });
      for (const { key } of await entriesOf(blobs, '')) await blobs.delete(key);
      await client.send(new DeleteBucketCommand({ Bucket }));
      blobs.close();
    }
    for (const { blobs } of opened) blobs.close();
    client.destroy();
    await s3.stop();
  });

  blobsContract(() => open(freshBucket()));

  test('a missing bucket is created, also by several processes at once', async () => {
    const bucket = freshBucket();
    const opened = await Promise.all([open(bucket), open(bucket), open(bucket)]);
    await opened[0]?.put('shared', Buffer.from('x'));
    expect(await opened[1]?.head('shared')).toMatchObject({ bytes: 1 });
    await expect(open(bucket)).resolves.toBeDefined();
  });

  test('what is read by requests of its own is what the SDK reads, and the rest is left to it', async () => {
    const bucket = freshBucket();
    const blobs = await open(bucket);
    const meta = { sha256: 'ab', intent: '{"a":1}' };
    await blobs.put('a/b.txt', Buffer.from('0123456789'), { mediaType: 'text/plain', meta });
    const reader = new S3Reader(client, bucket);
    for (const range of [undefined, 'bytes=2-4']) {
      const own = await reader.read('GET', 'a/b.txt', undefined, range);
      if (own === 'absent') throw new Error('it is not');
      const theirs = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key: 'a/b.txt', Range: range }),
      );
      const read = Buffer.concat((await own?.Body.toArray()) ?? []).toString();
      expect(read).toBe(await theirs.Body?.transformToString());
      for (const field of [
        'ContentLength',
        'ContentType',
        'ETag',
        'LastModified',
        'Metadata',
        'ContentRange',
      ] as const)
        expect([field, own?.[field]]).toEqual([field, theirs[field]]);
    }
    const expected = { ContentLength: 10, Metadata: meta };
    expect(await reader.read('HEAD', 'a/b.txt')).toMatchObject(expected);
    expect(await reader.read('HEAD', 'a/missing')).toBe('absent');
    expect(await reader.read('GET', 'a/missing')).toBeUndefined();
    expect(await reader.read('GET', 'a/b.txt', undefined, 'bytes=100-200')).toBeUndefined();
    const strangers = new S3Client({ ...s3, endpoint: 'http://127.0.0.1:1', forcePathStyle: true });
    expect(await new S3Reader(strangers, bucket).read('GET', 'a/b.txt')).toBeUndefined();
    strangers.destroy();
  });

  describe('a put of several parts', () => {
    /** The uploads of a bucket that are neither complete nor aborted. */
    const uploadsIn = async (Bucket: string) =>
      (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? [];

    /** Expects that nothing is left of an upload that a test has seen under way. */
    async function expectNothing(bucket: string, blobs: Blobs, [seen]: MultipartUpload[]) {
      expect(await uploadsIn(bucket)).toEqual([]);
      const { Key, UploadId } = seen ?? {};
      const parts = client.send(new ListPartsCommand({ Bucket: bucket, Key, UploadId }));
      // Ceph says NoSuchKey, S3 NoSuchUpload.
      await expect(parts).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } });
      expect(await entriesOf(blobs, '')).toEqual([]);
    }

    test.each([
      { what: 'whose stream fails', isAborted: false, says: 'the client hung up' },
      { what: 'that is aborted', isAborted: true, says: 'the caller has left' },
    ])('$what leaves no part behind', async ({ isAborted, says }) => {
      const bucket = freshBucket();
      const blobs = await open(bucket);
      const caller = new AbortController();
      let seen: MultipartUpload[] = [];
      const body = Readable.from(
        (async function* () {
          yield Buffer.alloc(TWO_PARTS_BYTES);
          while (seen.length === 0) seen = await uploadsIn(bucket);
          if (!isAborted) throw new Error(says);
          caller.abort(new Error(says));
          yield Buffer.alloc(TWO_PARTS_BYTES);
        })(),
      );
      await expect(blobs.put('ended', body, {}, caller.signal)).rejects.toThrow(says);
      await expectNothing(bucket, blobs, seen);
    });

    test('aborted while a part is sent leaves no part behind', async () => {
      const gate = await startStoreGate(s3.endpoint);
      onTestFinished(() => gate.close());
      const bucket = freshBucket();
      const blobs = await open(bucket, gate.endpoint);
      const caller = new AbortController();
      let parts = 0;
      let seen: Promise<MultipartUpload[]> = Promise.resolve([]);
      gate.meet({ at: 'request', isIt: ({ method }) => method === 'PUT' && ++parts === 2 }, () => {
        seen = uploadsIn(bucket);
        seen.then(() => caller.abort(new Error('the caller has left')));
      });
      gate.spoil(() => (parts === 2 ? { action: 'drip', millis: 5 } : undefined));
      const body = Readable.from([Buffer.alloc(TWO_PARTS_BYTES), Buffer.alloc(TWO_PARTS_BYTES)]);
      await expect(blobs.put('left', body, {}, caller.signal)).rejects.toThrow('has left');
      gate.mend();
      await expectNothing(bucket, blobs, await seen);
    });

    test('reads no further than two parts ahead; a short one is one request', async () => {
      const gate = await startStoreGate(s3.endpoint);
      onTestFinished(() => gate.close());
      const blobs = await open(freshBucket(), gate.endpoint);
      const methods: string[] = [];
      let readMiB = 0;
      let aheadMiB = 0;
      gate.spoil(({ method }) => {
        const sent = methods.filter((each) => each === 'PUT').length * 8;
        if (method === 'PUT') aheadMiB = Math.max(aheadMiB, readMiB - sent);
        methods.push(method);
        return undefined;
      });
      const bodyOf = (lengthMiB: number) =>
        Readable.from(
          (function* () {
            for (readMiB = 0; readMiB < lengthMiB; readMiB++) yield Buffer.alloc(2 ** 20);
          })(),
          { highWaterMark: 1 },
        );
      await blobs.put('long', bodyOf(60));
      expect(methods).toEqual(['POST', ...Array.from({ length: 8 }, () => 'PUT'), 'POST']);
      expect(aheadMiB).toBeLessThanOrEqual(16);
      methods.length = 0;
      await blobs.put('short', bodyOf(8));
      expect(methods).toEqual(['PUT']);
    });
  });

  test('every call to a server that stops responding can be aborted', async () => {
    const server = await freezable(s3.endpoint);
    const blobs = await open(freshBucket(), server.endpoint);
    server.freeze();
    const calls = {
      put: (signal: AbortSignal) => blobs.put('a', Buffer.from('x'), {}, signal),
      stream: (signal: AbortSignal) => blobs.put('a', Readable.from([Buffer.alloc(9)]), {}, signal),
      get: (signal: AbortSignal) => blobs.get('a', signal),
      open: (signal: AbortSignal) => blobs.open('a', signal),
      head: (signal: AbortSignal) => blobs.head('a', signal),
      delete: (signal: AbortSignal) => blobs.delete('a', signal),
      copy: (signal: AbortSignal) => blobs.copy('a', 'b', signal),
      check: (signal: AbortSignal) => blobs.check(signal),
      list: (signal: AbortSignal) => blobs.list('', signal)[Symbol.asyncIterator]().next(),
    };
    for (const [name, call] of Object.entries(calls)) {
      const caller = new AbortController();
      const received = server.received();
      const response = call(caller.signal);
      received.then(() => caller.abort(new Error(`${name} aborted`)));
      await expect(response).rejects.toThrow(`${name} aborted`);
    }
  });

  test('a wrong secret is rejected at the start', async () => {
    const credentials = { ...s3.credentials, secretAccessKey: 'wrong' };
    const opening = createS3Blobs({ ...s3, credentials, bucket: freshBucket() });
    await expect(opening).rejects.toThrow(/^The bucket selvage-test-\S+ cannot be used: check/);
  });

  test('a missing bucket that may not be created is named', async () => {
    const gate = await startStoreGate(s3.endpoint);
    onTestFinished(() => gate.close());
    gate.spoil(({ method }) =>
      method === 'PUT' ? { action: 'refuse', status: 403, code: 'AccessDenied' } : undefined,
    );
    const opening = createS3Blobs({ ...s3, endpoint: gate.endpoint, bucket: 'selvage-none' });
    await expect(opening).rejects.toThrow(
      'The bucket selvage-none does not exist and cannot be created: create it, or grant s3:CreateBucket (403 AccessDenied)',
    );
  });

  test("STORE=s3 finds its server by the SDK's own settings", async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.endpoint);
    vi.stubEnv('AWS_REGION', s3.region);
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3.credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3.credentials.secretAccessKey);
    onTestFinished(() => void vi.unstubAllEnvs());
    const bucket = freshBucket();
    const blobs = await openStorage({ STORE: 's3', STORE_DIR: 'unused', S3_BUCKET: bucket });
    opened.push({ bucket, blobs });
    await blobs.put('here', Buffer.from('x'));
    expect(await entriesOf(blobs, '')).toMatchObject([{ key: 'here' }]);
  });

  test.each([
    { what: 'fails', status: 503, code: 'SlowDown', recovers: true },
    { what: 'rejects requests', status: 403, code: 'AccessDenied', recovers: false },
  ])('a server that $what at the start of a process is waited for: $recovers', async (row) => {
    const gate = await startStoreGate(s3.endpoint);
    onTestFinished(() => gate.close());
    vi.stubEnv('AWS_ENDPOINT_URL_S3', gate.endpoint);
    vi.stubEnv('AWS_REGION', s3.region);
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3.credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3.credentials.secretAccessKey);
    onTestFinished(() => void vi.unstubAllEnvs());
    // More often than the client itself tries.
    let left = 4;
    gate.spoil(() => (left-- > 0 ? { action: 'refuse', ...row } : undefined));
    const bucket = freshBucket();
    const opening = openStorage({ STORE: 's3', STORE_DIR: 'unused', S3_BUCKET: bucket });
    if (!row.recovers) return expect(opening).rejects.toThrow();
    opened.push({ bucket, blobs: await opening });
    expect(left).toBeLessThan(0);
  });
}

test('an unreachable server is reported at the start', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const opening = createS3Blobs({ endpoint, region: 'us-east-1', credentials, bucket: 'none' });
  await expect(opening).rejects.toThrow('ECONNREFUSED');
});

/** A proxy to a server that can be frozen: from then on requests are accepted and never answered. */
async function freezable(endpoint: string) {
  const { hostname, port } = new URL(endpoint);
  const sockets = new Set<Socket>();
  const listeners = new Set<() => void>();
  let frozen = false;
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', () => socket.destroy()));
    }
    near.on('data', (chunk) => {
      if (!frozen) far.write(chunk);
      for (const listener of listeners) listener();
      listeners.clear();
    });
    far.pipe(near);
    near.on('close', () => far.destroy());
  });
  const nearPort = await freePort();
  await new Promise<void>((resolve) => proxy.listen(nearPort, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return {
    endpoint: `http://127.0.0.1:${nearPort}`,
    freeze: () => {
      frozen = true;
    },
    /** Resolves when the next bytes arrive. */
    received: () => new Promise<void>((resolve) => listeners.add(resolve)),
  };
}
