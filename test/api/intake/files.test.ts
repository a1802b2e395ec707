import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileRoutes } from '../../../src/api/intake/files.ts';
import { createServer, type HttpServer } from '../../../src/http/server.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import type { Blobs } from '../../../src/storage/blobs.ts';
import { fileLinks } from '../../../src/storage/file-links.ts';
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts';
import { createS3Blobs } from '../../../src/storage/s3-blobs.ts';
import { reportMissing } from '../../support/requirement.ts';
import { type TestS3, testS3 } from '../../support/services.ts';

const links = fileLinks(Buffer.alloc(32, 'of the test'));
const inSeconds = (seconds: number): number => Date.now() / 1000 + seconds;
const SHA256 = 'ab'.repeat(32);
const PNG = { mediaType: 'image/png', meta: { sha256: SHA256 } };
const KEY = 'out/c/0123/m-1/job_1.png';

/**
 * Serves the files of a storage. Returns a function that requests them without following redirects.
 */
async function serve(blobs: Blobs) {
  const server: HttpServer = createServer({
    routes: fileRoutes({ blobs, links, now: hostClock }),
    lookUp: async () => undefined,
    limits: { admit: () => Promise.reject(new Error('keyless')) },
    sunsets: [],
    log: createLog('test', 'silent'),
    maxImageBytes: 1000,
    sniff: () => undefined,
    problemBase: undefined,
    observe: () => {},
  });
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
  return {
    server,
    ask: (path: string, init: RequestInit = {}) =>
      fetch(`${url}${path}`, { redirect: 'manual', ...init }),
  };
}
type Served = Awaited<ReturnType<typeof serve>>;

async function expectProblem(response: Response, type: string, status: number): Promise<void> {
  expect(await response.json()).toMatchObject({ type, status });
  expect(response.status).toBe(status);
}

/** Tests that apply to every storage. */
function rejections(served: () => Served, blobs: () => Blobs): void {
  test('an altered link is not found', async () => {
    const link = links.create(KEY, 'a.png', inSeconds(60)).replace('job_1', 'job_2');
    await expectProblem(await served().ask(link), 'not-found', 404);
  });

  test('an expired link is gone', async () => {
    const link = links.create(KEY, 'a.png', inSeconds(-1));
    await expectProblem(await served().ask(link), 'gone', 410);
  });

  test('a link to an erased file is gone', async () => {
    await blobs().put('out/c/erased.png', Buffer.from('a png'), PNG);
    const link = links.create('out/c/erased.png', 'a.png', inSeconds(60));
    expect((await served().ask(link)).status).toBeLessThan(400);
    await blobs().delete('out/c/erased.png');
    await expectProblem(await served().ask(link), 'gone', 410);
  });

  test('a link without its signature is an invalid request', async () => {
    const path = '/intake/v1/files/a.png?key=out/a';
    await expectProblem(await served().ask(path), 'invalid-request', 400);
  });
}

describe('files in a file system', () => {
  let dir: string;
  let blobs: Blobs;
  let served: Served;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'selvage-files-'));
    blobs = await createFsBlobs({ dir });
    await blobs.put(KEY, Buffer.from('a png'), PNG);
    served = await serve(blobs);
  });
  afterAll(async () => {
    await served.server.app.close();
    await rm(dir, { recursive: true, force: true });
  });
  rejections(
    () => served,
    () => blobs,
  );

  test('are streamed with their metadata in headers', async () => {
    const response = await served.ask(links.create(KEY, 'a.png', inSeconds(600)));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('a png');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '5',
      'cache-control': expect.stringMatching(/^private, max-age=(600|599)$/),
      etag: `"${SHA256}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  test('respond to HEAD without a body', async () => {
    const link = links.create(KEY, 'a.png', inSeconds(600));
    const response = await served.ask(link, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('5');
    expect(response.headers.get('etag')).toBe(`"${SHA256}"`);
    expect(await response.text()).toBe('');
  });

  test.each([`"${SHA256}"`, `W/"${SHA256}"`, `"other", "${SHA256}"`, '*'])(
    'are not sent again to a client that has %s',
    async (tag) => {
      const link = links.create(KEY, 'a.png', inSeconds(600));
      const response = await served.ask(link, { headers: { 'if-none-match': tag } });
      expect(response.status).toBe(304);
      expect(response.headers.get('etag')).toBe(`"${SHA256}"`);
      expect(await response.text()).toBe('');
    },
  );

  test('that do not expire are revalidated with each request, and may change', async () => {
    const link = links.create('feeds/c/f/export.xml', 'export.xml');
    const etags = new Set<string | null>();
    for (const text of ['<a/>', '<bb/>']) {
      const type = { mediaType: 'application/xml' };
      await blobs.put('feeds/c/f/export.xml', Buffer.from(text), type);
      const response = await served.ask(link);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
      expect(await response.text()).toBe(text);
      etags.add(response.headers.get('etag'));
    }
    expect(etags.size).toBe(2);
  });
});

const found = await testS3();
if (typeof found === 'string') {
  reportMissing('s3', found);
  test.skip(`files in S3 (${found})`);
} else {
  describe('files in S3', () => inS3(found));
}

function inS3(s3: TestS3): void {
  const Bucket = `selvage-test-${randomUUID()}`;
  let blobs: Blobs;
  let served: Served;
  beforeAll(async () => {
    blobs = await createS3Blobs({ ...s3, bucket: Bucket });
    await blobs.put(KEY, Buffer.from('a png'), PNG);
    served = await serve(blobs);
  });
  afterAll(async () => {
    await served.server.app.close();
    for await (const { key } of blobs.list('')) await blobs.delete(key);
    blobs.close();
    const client = new S3Client({ ...s3, forcePathStyle: true });
    await client.send(new DeleteBucketCommand({ Bucket }));
    client.destroy();
    await s3.stop();
  });
  rejections(
    () => served,
    () => blobs,
  );

  const presignedUrl = async (expiresAtSeconds?: number): Promise<URL> => {
    const response = await served.ask(links.create(KEY, 'a.png', expiresAtSeconds));
    expect(response.status).toBe(303);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    return new URL(response.headers.get('location') ?? '');
  };

  test('redirect to a presigned URL that needs no key', async () => {
    const response = await fetch(await presignedUrl(inSeconds(600)));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(await response.text()).toBe('a png');
  });

  test.each([
    [600, /^300$/],
    [20, /^(20|19)$/],
    [undefined, /^300$/],
  ])('with %s seconds left redirect to a URL valid for %s seconds', async (seconds, expires) => {
    const url = await presignedUrl(seconds && inSeconds(seconds));
    expect(url.searchParams.get('X-Amz-Expires')).toMatch(expires);
  });

  test('reject a URL that was altered', async () => {
    const url = await presignedUrl(inSeconds(600));
    url.pathname = url.pathname.replace('job_1', 'job_2');
    expect((await fetch(url)).status).toBe(403);
  });
}
