import { randomUUID } from 'node:crypto';
import { DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fileRoutes } from '../../../src/api/intake/files.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import type { Blobs } from '../../../src/storage/blobs.ts';
import { fileLinks } from '../../../src/storage/file-links.ts';
import { createS3Blobs } from '../../../src/storage/s3-blobs.ts';
import { serve as serveRoutes } from '../../http/serve.ts';
import { reportMissing } from '../../support/requirement.ts';
import { type TestS3, testS3 } from '../../support/services.ts';
import { useBlobs } from '../../support/use-blobs.ts';

const links = fileLinks(Buffer.alloc(32, 'of the test'));
const inSeconds = (seconds: number): number => Date.now() / 1000 + seconds;
const PNG = { mediaType: 'image/png' };
const KEY = 'out/c/0123/m-1/job_1.png';
const TEXT = 'the bytes of a png';
const PUBLISHED = 'feeds/c/f/images/1.jpg';

/**
 * Serves the files of a storage. Returns a function that requests them without following redirects.
 */
async function serve(blobs: Blobs) {
  const server = await serveRoutes(fileRoutes({ blobs, links, now: hostClock }));
  return {
    server,
    ask: (path: string, init: RequestInit = {}) =>
      fetch(`${server.url}${path}`, { redirect: 'manual', ...init }),
  };
}
type Served = Awaited<ReturnType<typeof serve>>;

async function expectProblem(response: Response, type: string, status: number): Promise<void> {
  expect(await response.json()).toMatchObject({ type, status });
  expect(response.status).toBe(status);
}

/** What holds for every storage. `open` returns an empty one. */
function publishedFiles(open: () => Promise<Blobs>): void {
  let blobs: Blobs;
  let served: Served;
  beforeAll(async () => {
    blobs = await open();
    await blobs.put(KEY, Buffer.from(TEXT), PNG);
    await blobs.put(PUBLISHED, Buffer.from(TEXT), PNG);
    served = await serve(blobs);
  });
  afterAll(() => served.server.app.close());

  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    served.ask(links.create(PUBLISHED, 'a.png'), { method, headers });
  const headersOf = async (method: string) => {
    const headers = Object.fromEntries((await ask({}, method)).headers);
    for (const name of ['connection', 'date', 'keep-alive', 'x-request-id']) delete headers[name];
    return headers;
  };

  test('an altered link is not found', async () => {
    const link = links.create(KEY, 'a.png', inSeconds(60)).replace('job_1', 'job_2');
    await expectProblem(await served.ask(link), 'not-found', 404);
  });

  test('an expired link is gone', async () => {
    const link = links.create(KEY, 'a.png', inSeconds(-1));
    await expectProblem(await served.ask(link), 'gone', 410);
  });

  const HEADERS = [{}, { range: 'bytes=0-1' }];
  test.each(HEADERS)('a link to an erased file is gone: %j', async (headers) => {
    await blobs.put('out/c/erased.png', Buffer.from('a png'), PNG);
    const link = links.create('out/c/erased.png', 'a.png', inSeconds(60));
    expect((await served.ask(link)).status).toBe(200);
    await blobs.delete('out/c/erased.png');
    await expectProblem(await served.ask(link, { headers }), 'gone', 410);
    expect((await served.ask(link, { headers, method: 'HEAD' })).status).toBe(410);
  });

  test('a link without its signature is an invalid request', async () => {
    const path = '/intake/v1/files/a.png?key=out/a';
    await expectProblem(await served.ask(path), 'invalid-request', 400);
  });

  test('are streamed without a redirect, with what caches need', async () => {
    const response = await ask();
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(TEXT);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=300',
      'content-length': String(TEXT.length),
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'image/png',
      etag: expect.stringMatching(/^"[^"]+"$/),
      'x-content-type-options': 'nosniff',
    });
    const age = Date.now() - Date.parse(response.headers.get('last-modified') ?? '');
    expect(Math.abs(age)).toBeLessThan(3_600_000);
  });

  test('of a link that expires stay with its reader, until then', async () => {
    const response = await served.ask(links.create(KEY, 'a.png', inSeconds(600)));
    expect(response.headers.get('cache-control')).toMatch(/^private, max-age=(600|599)$/);
    expect(await response.text()).toBe(TEXT);
  });

  test('respond to HEAD as to GET, without the body', async () => {
    expect(await headersOf('HEAD')).toEqual(await headersOf('GET'));
    const response = await ask({ range: 'bytes=0-1' }, 'HEAD');
    expect(response.status).toBe(200); // ranges are for GET
    expect(await response.text()).toBe('');
  });

  test('are not sent again to a client that has them', async () => {
    const { etag = '', 'last-modified': modified = '' } = await headersOf('GET');
    const later = new Date(Date.parse(modified) + 60_000).toUTCString();
    const conditions: Record<string, string>[] = [
      { 'if-none-match': etag },
      { 'if-none-match': `W/${etag}` },
      { 'if-none-match': `"other", ${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
      { 'if-modified-since': later },
    ];
    for (const headers of conditions) {
      for (const method of ['GET', 'HEAD']) {
        const response = await ask(headers, method);
        expect([headers, response.status]).toEqual([headers, 304]);
        expect(response.headers.get('etag')).toBe(etag);
        expect(await response.text()).toBe('');
      }
    }
    const earlier = new Date(Date.parse(modified) - 60_000).toUTCString();
    for (const headers of [
      { 'if-none-match': '"other"', 'if-modified-since': later },
      { 'if-modified-since': earlier },
      { 'if-modified-since': 'yesterday' },
    ]) {
      expect(await (await ask(headers as Record<string, string>)).text()).toBe(TEXT);
    }
  });

  test.each([
    ['bytes=0-3', 'the ', '0-3'],
    ['bytes=4-', 'bytes of a png', '4-17'],
    ['bytes=-3', 'png', '15-17'],
    ['bytes=4-99999', 'bytes of a png', '4-17'],
    ['bytes=-99999', TEXT, '0-17'],
    ['bytes=17-17', 'g', '17-17'],
  ])('in part: %s', async (range, text, sent) => {
    const response = await ask({ range });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe(text);
    expect(response.headers.get('content-range')).toBe(`bytes ${sent}/${TEXT.length}`);
    expect(response.headers.get('content-length')).toBe(String(text.length));
    expect(response.headers.get('etag')).toBe((await headersOf('GET')).etag);
  });

  const RANGES = ['bytes=18-', 'bytes=18-20', 'bytes=-0', `bytes=${'9'.repeat(40)}-`];
  test.each(RANGES)('have no part %s', async (range) => {
    const response = await ask({ range });
    expect(response.headers.get('content-range')).toBe('bytes */18');
    await expectProblem(response, 'range-not-satisfiable', 416);
  });

  const NO_RANGES = ['bytes=0-1,4-5', 'lines=0-1', 'bytes=9-3', 'bytes=-', 'bytes=0--1', '='];
  test.each(NO_RANGES)('are sent whole for %s', async (range) => {
    const response = await ask({ range });
    expect([response.status, await response.text()]).toEqual([200, TEXT]);
  });

  test('survive any Range', async () => {
    const part = fc.constantFrom('bytes=', 'bytes', '0', '17', '18', '-', ',', '9'.repeat(40), 'x');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1 }), async (parts) => {
        const response = await ask({ range: parts.join('') });
        const [, first = 0, last = TEXT.length - 1] =
          /^bytes (\d+)-(\d+)\/18$/.exec(response.headers.get('content-range') ?? '') ?? [];
        expect([200, 206, 416]).toContain(response.status);
        if (response.status === 416) return void (await response.body?.cancel());
        expect(await response.text()).toBe(TEXT.slice(Number(first), Number(last) + 1));
      }),
      { numRuns: 60 },
    );
  });

  test('in part only if they are still those of the earlier parts', async () => {
    const { etag = '', 'last-modified': modified = '' } = await headersOf('GET');
    const partIf = async (ifRange: string) =>
      (await ask({ range: 'bytes=0-3', 'if-range': ifRange })).text();
    expect(await partIf(etag)).toBe('the ');
    expect(await partIf(modified)).toBe('the ');
    for (const other of ['"other"', `W/${etag}`, new Date(0).toUTCString()])
      expect(await partIf(other)).toBe(TEXT);
  });

  test('that were replaced by as many bytes have another tag', async () => {
    const key = 'feeds/c/f/export.xml';
    const link = links.create(key, 'export.xml');
    const etags = new Set<string | null>();
    const texts = ['<a/>', '<b/>', '<c/>'];
    for (const text of texts) {
      await blobs.put(key, Buffer.from(text), { durable: false });
      const response = await served.ask(link);
      expect(await response.text()).toBe(text);
      etags.add(response.headers.get('etag'));
    }
    expect(etags.size).toBe(texts.length);
  });

  test.each([
    { what: 'longer', replacement: 'another text, and a longer one', expected: 'ther' },
    { what: 'shorter', replacement: 'ab', expected: '' },
  ])('that are replaced by $what ones meanwhile are not mixed', async (row) => {
    const key = `feeds/c/f/${row.what}`;
    await blobs.put(key, Buffer.from('some old text'));
    const replacing = await serve({
      ...blobs,
      async head(of, signal) {
        const head = await blobs.head(of, signal);
        if (head?.bytes === 13) await blobs.put(of, Buffer.from(row.replacement));
        return head;
      },
    });
    onTestFinished(() => void replacing.server.app.close());
    const headers = { range: 'bytes=3-6' };
    const response = await replacing.ask(links.create(key, 'a.txt'), { headers });
    if (row.expected === '') return expectProblem(response, 'range-not-satisfiable', 416);
    expect([response.status, await response.text()]).toEqual([206, row.expected]);
  });

  test('without a byte have no parts', async () => {
    await blobs.put('feeds/c/f/empty', Buffer.alloc(0), PNG);
    const link = links.create('feeds/c/f/empty', 'empty.png');
    expect(await (await served.ask(link)).text()).toBe('');
    const part = await served.ask(link, { headers: { range: 'bytes=0-' } });
    await expectProblem(part, 'range-not-satisfiable', 416);
  });
}

const inFolder = await useBlobs();
describe('files in a file system', () => {
  publishedFiles(async () => inFolder);
});

const found = await testS3();
if (typeof found === 'string') {
  reportMissing('s3', found);
  test.skip(`files in S3 (${found})`);
} else {
  describe('files in S3', () => inS3(found));
}

function inS3(s3: TestS3): void {
  const bucket = `selvage-test-${randomUUID()}`;
  /** The same server by a name of its own: signed for one, a URL is not valid for the other. */
  const publicEndpoint = s3.endpoint.replace('127.0.0.1', 'localhost');
  const opened: Blobs[] = [];
  async function open(settings: { publicEndpoint?: string } = {}): Promise<Blobs> {
    const blobs = await createS3Blobs({ ...s3, bucket, ...settings });
    opened.push(blobs);
    return blobs;
  }
  afterAll(async () => {
    const [blobs] = opened;
    for await (const { key } of blobs!.list('')) await blobs!.delete(key);
    for (const each of opened) each.close();
    const client = new S3Client({ ...s3, forcePathStyle: true });
    await client.send(new DeleteBucketCommand({ Bucket: bucket }));
    client.destroy();
    await s3.stop();
  });
  publishedFiles(() => open());

  describe('with a public endpoint', () => {
    let served: Served;
    beforeAll(async () => {
      const blobs = await open({ publicEndpoint });
      await blobs.put(KEY, Buffer.from(TEXT), PNG);
      served = await serve(blobs);
    });
    afterAll(() => served.server.app.close());

    const presignedUrl = async (expiresAtSeconds?: number, method = 'GET'): Promise<URL> => {
      const response = await served.ask(links.create(KEY, 'a.png', expiresAtSeconds), { method });
      expect(response.status).toBe(303);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      return new URL(response.headers.get('location') ?? '');
    };

    test.each(['GET', 'HEAD'])('%s is redirected to it, signed for it', async (method) => {
      const url = await presignedUrl(inSeconds(600), method);
      expect(url.origin).toBe(publicEndpoint);
      const response = await fetch(url, { method });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/png');
      expect(await response.text()).toBe(method === 'HEAD' ? '' : TEXT);
    });

    test.each([
      [600, /^300$/],
      [20, /^(20|19)$/],
      [undefined, /^300$/],
    ])('with %s seconds left the URL is valid for %s seconds', async (seconds, expires) => {
      const url = await presignedUrl(seconds && inSeconds(seconds));
      expect(url.searchParams.get('X-Amz-Expires')).toMatch(expires);
    });

    test('a URL that was altered is rejected', async () => {
      const url = await presignedUrl(inSeconds(600));
      url.pathname = url.pathname.replace('job_1', 'job_2');
      expect((await fetch(url)).status).toBe(403);
    });

    test('a file that does not exist is gone', async () => {
      const link = links.create('out/c/none.png', 'a.png', inSeconds(60));
      await expectProblem(await served.ask(link), 'gone', 410);
    });
  });
}
